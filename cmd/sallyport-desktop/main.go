// Command sallyport-desktop is Sallyport's window: the hub of this person, with the review, the tray and the notifications in
// the same process.
package main

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/sallyport/sallyport/app/desktop"
	"github.com/sallyport/sallyport/frontend"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	assets, err := fs.Sub(frontend.Dist, "dist")
	if err == nil && writesBindings {
		shell := desktop.NewShell()
		err = desktop.RunWindow(desktop.WindowOptions{Shell: shell, Page: desktop.NewPage(shell), Assets: assets})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sallyport-desktop:", err)
		return 1
	}
	_, _ = args, version
	return 0
}
