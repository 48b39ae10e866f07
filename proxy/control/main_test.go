//go:build linux

package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/proc"
)

// The test binary is also the programs of an installation: both ends prove each other by their executable, so a hub or a
// wrapper in another process has to be this file. A copy of it is a program that is not of the installation.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if program := programs[os.Args[1]]; program != nil {
			time.AfterFunc(2*time.Minute, func() { os.Exit(9) }) // whatever happens to the test
			if err := program(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

var programs = map[string]func(args []string) error{
	"hub":     hubProgram,
	"squat":   squatProgram,
	"dial":    dialProgram,
	"record":  recordProgram,
	"intrude": intrudeProgram,

	// what takes a socket and becomes a program of the installation
	"impostor":   impostorProgram,
	"answerer":   answererProgram,
	"talker":     talkerProgram,
	"listener":   listenerProgram,
	"squat-idle": squatIdleProgram,
	"borrowed": func([]string) error {
		if Borrowed() {
			return errors.New("a stream is the hub's")
		}
		return nil
	},

	"screen": func([]string) error {
		_, err := fmt.Println(strings.Join(screenOfParent(), " "))
		return err
	},

	// as the ancestry check knows them
	"wrap":    wrapProgram,
	"probe":   wrapProgram,
	"__guard": wrapProgram,
	"daemon":  daemonProgram,
	"plain":   plainProgram,
}

// hubProgram is a hub on SALLYPORT_HOME that keeps records in a file. It writes a line to starts when it has won the home,
// and steps down when it is asked to.
func hubProgram(args []string) error {
	home, err := FindHome(os.Getenv)
	if err != nil {
		return err
	}
	ln, err := Listen(home)
	if errors.Is(err, ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer ln.Close()
	h, err := newFileHub(home)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stepDown = cancel
	if len(args) > 0 && args[0] == "--started-by-wrapper" {
		h.startedBy = "wrapper"
	}
	if err := appendLine(filepath.Join(home.Dir, "starts"), strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	return Serve(ctx, ln, h, Options{})
}

// squatProgram sits at a path and writes what the first to come says.
func squatProgram(args []string) error {
	ln, err := net.Listen("unix", args[0])
	if err != nil {
		return err
	}
	fmt.Println("listening")
	conn, err := ln.Accept()
	if err != nil {
		return err
	}
	said, err := io.ReadAll(conn)
	fmt.Printf("heard %d bytes\n", len(said))
	return err
}

// intrudeProgram greets whoever listens at a path without asking who it is, and writes how much it is answered.
func intrudeProgram(args []string) error {
	conn, err := net.Dial("unix", args[0])
	if err != nil {
		return err
	}
	defer conn.Close()
	hello := `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"version":"x","role":"cli"}}` + "\n"
	_, _ = io.WriteString(conn, hello) // it may have been hung up on already
	buf := make([]byte, 4096)
	n, _ := conn.Read(buf)
	fmt.Printf("heard %d bytes\n", n)
	return nil
}

// dialProgram says how a connection to the hub of SALLYPORT_HOME goes, and whether it could decide.
func dialProgram([]string) error {
	home, err := FindHome(os.Getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	verdict := "allowed"
	c, err := Dial(ctx, home, RoleCLI)
	if err == nil {
		defer c.Close()
		_, err = AskDecide(ctx, c, Decide{Code: "any"})
	}
	if err != nil {
		verdict = err.Error()
	}
	fmt.Println(verdict)
	if path := os.Getenv("ANSWER"); path != "" {
		return appendLine(path, verdict)
	}
	return nil
}

// recordProgram is a wrapper that records until it is killed: args are how many before it says so.
func recordProgram(args []string) error {
	home, err := FindHome(os.Getenv)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	l := NewLink(context.Background(), LinkOptions{Home: home, Register: testRegister("one")})
	for i := range n {
		l.Record(Record{ID: fmt.Sprintf("id-%06d", i), Kind: "tool_call"})
	}
	select {
	case <-l.outbox.done:
	case <-time.After(time.Minute):
	}
	return nil
}

func appendLine(path, text string) error {
	f, err := disk.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

// testHome is a home with a path short enough for a socket.
func testHome(t testing.TB) Home {
	t.Helper()
	dir, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home, err := HomeAt(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func testRegister(session string) Register {
	return Register{Server: ServerRef{Transport: "stdio", Argv: []string{"server"}, Name: "server"}, Session: session}
}

func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// stranger is a copy of this executable: same bytes, another file.
func stranger(t *testing.T) string {
	t.Helper()
	from, err := os.Open(self(t))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(t.TempDir(), "stranger")
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// command is a process on home that the test does not leave behind.
func command(t testing.TB, home Home, exe string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "SALLYPORT_HOME="+home.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it started goes with it
			_ = cmd.Wait()
		}
	})
	return cmd
}

// killHubs ends what hub programs the test left, by the pids that they wrote, before their home goes.
func killHubs(t testing.TB, home Home) {
	t.Cleanup(func() {
		for _, pid := range startedHubs(home) {
			if file, err := proc.Executable(pid); err == nil {
				if own, err := os.Stat("/proc/self/exe"); err == nil && os.SameFile(file, own) && pid != os.Getpid() {
					if p, err := os.FindProcess(pid); err == nil {
						_ = p.Kill()
					}
				}
			}
		}
	})
}

// within fails the test unless what is true before the deadline.
func within(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-deadline.C:
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// serveHub runs h on home in this process until the test ends or stop is called.
func serveHub(t testing.TB, home Home, h Handler, options Options) (stop func()) {
	t.Helper()
	ln, err := Listen(home)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, h, options) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		ln.Close()
	}
	t.Cleanup(stop)
	return stop
}

func dial(t testing.TB, home Home, role Role) *Client {
	t.Helper()
	c, err := Dial(testContext(t), home, role)
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func testLink(t testing.TB, options LinkOptions) *Link {
	t.Helper()
	if options.Register.Session == "" {
		options.Register = testRegister("one")
	}
	l := NewLink(context.Background(), options)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // what is left is of no interest
		l.Close(ctx)
	})
	return l
}
