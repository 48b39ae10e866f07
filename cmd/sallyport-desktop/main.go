// Command sallyport-desktop is Sallyport's window: the hub, with the review, the tray and the notifications in the same process. One runs
// per person; a second start raises the window of the first.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/sallyport/sallyport/app/desktop"
	"github.com/sallyport/sallyport/frontend"
	"github.com/sallyport/sallyport/proxy/control"
)

// version is set by the Makefile with -ldflags "-X main.version=…".
var version = "dev"

func main() {
	if control.Borrowed() {
		os.Exit(2) // without a word, which would go to the hub
	}
	assets, err := fs.Sub(frontend.Dist, "dist")
	if err == nil && writesBindings {
		shell := desktop.NewShell()
		err = desktop.RunWindow(desktop.WindowOptions{Shell: shell, Page: desktop.NewPage(shell), Shapes: []any{&desktop.Shapes{}}, Assets: assets})
	}
	switch {
	case err != nil:
		os.Exit(fail(os.Stderr, err))
	case !writesBindings:
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, assets, desktop.RunWindow))
	}
}

// run is the whole program. Call it on the process's first thread, which the window's toolkit needs.
func run(args []string, out, errors io.Writer, assets fs.FS, window func(desktop.WindowOptions) error) int {
	flags := flag.NewFlagSet("sallyport-desktop", flag.ContinueOnError)
	flags.SetOutput(errors)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "sallyport-desktop [--hidden] [ROUTE]: open Sallyport's window, or raise the one that is open")
		flags.PrintDefaults()
	}
	hidden := flags.Bool("hidden", false, "start in the tray, without showing the window")
	byWrapper := flags.Bool("started-by-wrapper", false, "run the hub without a window if none can be opened")
	says := flags.Bool("version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *says {
		fmt.Fprintln(out, "sallyport-desktop", version)
		return 0
	}
	signal.Ignore(syscall.SIGHUP) // a hub outlives the terminal it was started in
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return fail(errors, err)
	}
	err = desktop.Run(context.Background(), desktop.Options{
		Home: home, Version: version, Route: flags.Arg(0), Hidden: *hidden, ByWrapper: *byWrapper, Assets: assets, Window: window,
	})
	if err != nil && *byWrapper {
		// A wrapper waits for a hub. One without a window is better than none: it still blocks what it should.
		fmt.Fprintln(errors, "sallyport-desktop:", err)
		err = becomeHub(control.WrapperProgram())
	}
	if err != nil {
		return fail(errors, err)
	}
	return 0
}

func fail(out io.Writer, err error) int {
	fmt.Fprintln(out, "sallyport-desktop:", err)
	return 1
}
