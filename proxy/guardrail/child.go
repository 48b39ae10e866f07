package guardrail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/sallyport/sallyport/proxy/transport"
)

const (
	// closeGrace is how long a program may take to end when its input ends. It has nothing to save.
	closeGrace = 250 * time.Millisecond
	// exitGrace is how long the end of the output waits for the end of the process, which explains it.
	exitGrace = 250 * time.Millisecond
)

// A child is the running process of a Command.
type child struct {
	process *transport.ServerProcess
	answers *bufio.Reader
}

// startChild starts the program as a wrapped server is started: with a guard, so that nothing of it outlives us, and with the mark of those
// who decide nothing.
func startChild(ctx context.Context, config CommandConfig) (*child, error) {
	command := transport.Command{Argv: config.Argv, Env: config.Env, Dir: config.Dir, Spare: others}
	process, err := transport.Start(ctx, command, nil, config.Stderr)
	if err != nil {
		return nil, err
	}
	return &child{process, bufio.NewReaderSize(process.Stdout, MaxAnswer+len("\r\n"))}, nil
}

// exchange writes one line and reads one. The end of ctx wakes it, even if the program reads nothing.
func (c *child) exchange(ctx context.Context, line []byte) ([]byte, error) {
	wake := context.AfterFunc(ctx, func() {
		c.process.Stdin.Close()
		c.process.Stdout.Close()
	})
	_, err := c.process.Stdin.Write(line)
	var answer []byte
	if err == nil {
		answer, err = c.answers.ReadSlice('\n')
	}
	switch wake(); {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, errClosed
	case ctx.Err() != nil:
		return nil, errTime
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, tooLong
	case err != nil:
		return nil, c.silent(ctx)
	}
	return bytes.TrimRight(answer, "\r\n"), nil
}

// silent says why there is nothing more to read or nobody to write to.
func (c *child) silent(ctx context.Context) error {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-c.process.Exited():
		return &Failure{"ended without a verdict (" + c.process.Exit().String() + ")"}
	case <-timer.C:
	case <-ctx.Done():
	}
	return &Failure{"closed its input or output without a verdict"}
}

func (c *child) hasExited() bool {
	select {
	case <-c.process.Exited():
		return true
	default:
		return false
	}
}

func (c *child) exitCode() (code int, exited bool) {
	if !c.hasExited() {
		return 0, false
	}
	return c.process.Exit().Code, true
}

// kill returns when nothing of the process is alive.
func (c *child) kill() {
	c.process.Kill()
	c.process.Stdout.Close()
}

func (c *child) stop() {
	c.process.Stdin.Close()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-c.process.Exited():
	case <-timer.C:
	}
	c.kill()
}
