// Command sallyport is the wrapper, the command line and the headless hub: it guards MCP servers, and shows what needs a review.
//
// It is thin: it parses, calls, prints and exits. Claude Desktop starts one `sallyport wrap` per server entry, so everything before wrap
// begins is paid once per server; wrap therefore takes its own short way (wrapflags.go) and never builds the command line model (0.6 to 1.2
// ms, measured on two cores). Everything is callable from a test through run.
package main

import (
	"context"
	"io"
	"os"

	"github.com/sallyport/sallyport/proxy/control"
)

// version is set by the Makefile with -ldflags "-X main.version=…".
var version = "dev"

// streams are the three standard streams of one invocation.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// Exit codes. Scripts rely on them: docs/reference/commands.md.
const (
	exitFine   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPerson = 3 // a person must act
)

func main() {
	if control.Borrowed() {
		os.Exit(exitUsage) // print nothing: it would go to the hub
	}
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run is the whole program: one invocation with its arguments, and its exit code.
func run(ctx context.Context, args []string, s streams) int {
	if len(args) > 0 && args[0] == "wrap" {
		options, err := parseWrap(args[1:])
		switch {
		case err != nil:
			return fail(s, exitUsage, "wrap", err)
		case !options.help:
			return runWrap(ctx, options, s)
		}
	}
	if len(args) > 0 && args[0] == completeWord {
		return runComplete(ctx, args[1:], s)
	}
	return runCommand(ctx, args, s)
}
