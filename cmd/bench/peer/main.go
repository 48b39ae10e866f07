// Command peer is the echo server and the bare relay of the benchmark. It is a separate program, because the benchmark links mcp-go, which
// would count towards their start-up and memory.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "echo":
		err = echo.Serve(os.Stdin, os.Stdout)
	case len(os.Args) == 2 && os.Args[1] == "guard":
		err = guard(os.Stdin, os.Stdout)
	case len(os.Args) > 2 && os.Args[1] == "relay":
		err = relay(os.Args[2:])
	default:
		err = fmt.Errorf("peer echo, peer guard, or peer relay COMMAND")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "peer: %v\n", err)
		os.Exit(1)
	}
}

// guard is a guardrail provider that reads nothing and allows everything at once.
func guard(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":"`))
		id, _, _ := bytes.Cut(rest, []byte(`"`))
		if _, err := fmt.Fprintf(out, `{"id":"%s","verdict":"allow","score":0,"reason":""}`+"\n", id); err != nil {
			return err
		}
	}
}

// relay is the floor: a separate process that copies both ways and inspects nothing.
func relay(argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	go func() {
		_, _ = io.Copy(in, plain{os.Stdin})
		in.Close()
	}()
	_, _ = io.Copy(plainWriter{os.Stdout}, out)
	return cmd.Wait()
}

// plain and plainWriter hide the methods by which io.Copy would splice in the kernel: a relay that inspects bytes cannot do that, so the
// floor must not either.
type plain struct{ io.Reader }
type plainWriter struct{ io.Writer }
