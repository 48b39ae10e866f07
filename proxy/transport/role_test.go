//go:build linux

package transport

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/proxy/sandbox"
)

const ptraceSeize = 0x4206

// This test binary is also the guard, and the programs the tests need: "role:NAME ARG…".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := strings.CutPrefix(os.Args[1], "role:"); ok {
			os.Exit(play(role, os.Args[2:]))
		}
	}
	flag.Parse()
	flag.Set("test.parallel", "32") // these tests mostly wait for the graces of a shutdown
	os.Exit(m.Run())
}

func play(role string, args []string) int {
	switch role {
	case "wrapper": // DIR COMMAND…: what wrap does with a ServerProcess, without the messages
		return wrapper(Command{Dir: args[0], Argv: args[1:]})
	case "walled": // LEVEL DIR COMMAND…: the same behind walls
		return wrapper(Command{Dir: args[1], Argv: args[2:], Sandbox: &sandbox.Sandbox{Strict: args[0] == "strict"}})
	case "trace": // PID: take hold of a process
		pid, _ := strconv.Atoi(args[0])
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceSeize, uintptr(pid), 0, 0, 0, 0)
		fmt.Println(errno)
		return 0
	case "threads": // a process that keeps creating threads
		fmt.Println("up")
		for {
			ended := make(chan struct{})
			go func() {
				runtime.LockOSThread() // and never unlocked: the thread ends with this function
				close(ended)
			}()
			<-ended
		}
	case "environ": // COMMAND…: start it with the environment we have
		p, err := Start(context.Background(), Command{Argv: args}, os.Stderr, nil)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		io.Copy(os.Stdout, p.Stdout)
		p.Stop()
		return p.Exit().Code
	}
	return 2
}

func wrapper(c Command) int {
	signal.Ignore(syscall.SIGPIPE)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)
	p, err := Start(context.Background(), c, os.Stderr, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("server", p.PID())
	drained, clientGone := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := io.Copy(os.Stdout, p.Stdout)
		drained <- err
	}()
	go func() {
		io.Copy(p.Stdin, os.Stdin)
		close(clientGone)
	}()
	select {
	case <-p.Exited():
		<-drained
		p.Stop()
		return p.Exit().Code
	case <-drained: // stdout is closed
	case <-clientGone:
	case <-terminated:
	}
	p.Stop()
	return 0
}
