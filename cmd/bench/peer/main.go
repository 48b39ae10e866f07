// Command peer is the echo server and the bare relay of the benchmark. It is a separate program, because the benchmark links mcp-go, which
// would count towards their start-up and memory.
package main

import (
	"fmt"
	"os"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "echo":
		err = echo.Serve(os.Stdin, os.Stdout)
	case len(os.Args) > 2 && os.Args[1] == "relay":
		err = relay(os.Args[2:])
	default:
		err = fmt.Errorf("peer echo, or peer relay COMMAND")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "peer: %v\n", err)
		os.Exit(1)
	}
}
