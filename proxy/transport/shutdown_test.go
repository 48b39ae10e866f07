//go:build linux

package transport

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Servers, from the best to the worst behaved. Each of their processes writes "up" when it runs.
var servers = []struct {
	name   string
	script string
	ups    int
}{
	{"a server that ends at end of input", `echo up; exec cat`, 1},
	{"a server that ignores end of input", `echo up; exec sleep 1000`, 1},
	{"a server that ignores end of input and every signal it can", `trap '' TERM INT HUP; echo up; sleep 1000`, 1},
	{"a server whose grandchild holds stdout", `(trap '' TERM; echo up; sleep 1000) & echo up; exec cat`, 2},
	{"a server with a daemon that forked twice and left its session",
		`(setsid sh -c 'trap "" TERM HUP; echo up; sleep 1000' &) ; echo up; exec cat`, 2},
	{"a server with all of it", `trap '' TERM INT HUP
		(setsid sh -c 'echo up; sleep 1000' &)
		(setsid sh -c '(setsid sh -c "echo up; sleep 1000" &); echo up; sleep 1000' &)
		(echo up; sleep 1000) &
		echo up; sleep 1000`, 5},
}

// An end is a way in which a wrapper ends. alone means that the wrapper is gone before its server.
type end struct {
	name  string
	alone bool
	end   func(t *testing.T, w *wrapped)
}

var ends = []end{
	{"end of input", false, func(t *testing.T, w *wrapped) { w.stdin.Close() }},
	{"SIGTERM to the wrapper", false, func(t *testing.T, w *wrapped) { w.signal(t, w.pid, syscall.SIGTERM) }},
	{"kill -9 of the wrapper", true, func(t *testing.T, w *wrapped) { w.signal(t, w.pid, syscall.SIGKILL) }},
	{"kill -9 of the guard", false, func(t *testing.T, w *wrapped) { w.signal(t, w.guard, syscall.SIGKILL) }},
	{"SIGTERM to the guard", false, func(t *testing.T, w *wrapped) { w.signal(t, w.guard, syscall.SIGTERM) }},
	{"kill -9 of the server", false, func(t *testing.T, w *wrapped) { syscall.Kill(w.server, syscall.SIGKILL) }},
	{"the guard stopped, then end of input", false, func(t *testing.T, w *wrapped) {
		w.signal(t, w.guard, syscall.SIGSTOP)
		w.stdin.Close()
	}},
	{"the guard stopped, then kill -9 of the wrapper", true, func(t *testing.T, w *wrapped) {
		w.signal(t, w.guard, syscall.SIGSTOP)
		w.signal(t, w.pid, syscall.SIGKILL)
	}},
}

// wrapped is a wrapper in its own process, with its server.
type wrapped struct {
	cmd                *exec.Cmd
	stdin              io.WriteCloser
	stdout             *bufio.Reader
	close              func() error // of our end of its stdout
	dir                string
	pid, guard, server int
}

func (w *wrapped) signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

func wrap(t *testing.T, argv ...string) *wrapped {
	t.Helper()
	return wrapAs(t, []string{"role:wrapper"}, argv...)
}

func wrapAs(t *testing.T, role []string, argv ...string) *wrapped {
	t.Helper()
	return wrapIn(t, markedDir(t), role, argv...)
}

func wrapIn(t *testing.T, dir string, role []string, argv ...string) *wrapped {
	t.Helper()
	w := &wrapped{dir: dir}
	w.cmd = exec.Command(os.Args[0], append(append(role, w.dir), argv...)...)
	r, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stdout, w.cmd.Stderr = wr, os.Stderr
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wr.Close()
	w.stdout, w.close = bufio.NewReader(r), r.Close
	t.Cleanup(func() {
		w.cmd.Process.Kill()
		w.cmd.Wait()
		r.Close()
		for _, line := range census(t, w.dir) {
			pid, _, _ := strings.Cut(line, " ")
			if n, err := strconv.Atoi(pid); err == nil {
				syscall.Kill(n, syscall.SIGKILL)
			}
		}
	})
	line, err := w.stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	w.server, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "server ")))
	if err != nil {
		t.Fatal(err)
	}
	w.pid, w.guard = w.cmd.Process.Pid, parentOf(t, w.server)
	return w
}

// TestT12NothingOutlivesTheWrapper tries every end on every server.
func TestT12NothingOutlivesTheWrapper(t *testing.T) {
	nothingOutlives(t, []string{"role:wrapper"}, ends)
}

func nothingOutlives(t *testing.T, role []string, ends []end) {
	t.Helper()
	for _, server := range servers {
		for _, end := range ends {
			t.Run(server.name+"/"+end.name, func(t *testing.T) {
				if testing.Short() {
					t.Skip("takes several seconds")
				}
				t.Parallel()
				w := wrapAs(t, role, "sh", "-c", server.script)
				if w.guard == w.pid {
					t.Fatal("the server's parent is the wrapper: no guard stands between")
				}
				for range server.ups {
					if line, err := w.stdout.ReadString('\n'); err != nil || line != "up\n" {
						t.Fatalf("%q, %v", line, err)
					}
				}
				go io.Copy(io.Discard, w.stdout)
				end.end(t, w)
				w.cmd.Wait()
				if end.alone {
					eventually(t, "the guard ends what the wrapper left", func() bool {
						return len(census(t, w.dir)) == 0 && !alive(w.guard)
					})
					return
				}
				// Stop returns when nothing is alive, so there is nothing left to wait for once the wrapper exits.
				if living := census(t, w.dir); len(living) > 0 {
					t.Fatalf("outlived the wrapper: %q", living)
				}
				if alive(w.guard) {
					t.Fatal("the guard outlived the wrapper")
				}
			})
		}
	}
}

// Wrapper and guard are killed in the same instant, so neither notices the other's end. The parent-death signal still kills the server
// itself, but not what it started (doc.go).
func TestT12AServerDiesWithBothItsKeepers(t *testing.T) {
	w := wrap(t, "sh", "-c", `trap '' TERM HUP INT; echo up; exec sleep 1000`)
	if line, err := w.stdout.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	w.signal(t, w.pid, syscall.SIGSTOP)
	for _, pid := range []int{w.guard, w.pid} {
		w.signal(t, pid, syscall.SIGKILL)
	}
	w.cmd.Wait()
	eventually(t, "the server dies", func() bool { return len(census(t, w.dir)) == 0 })
}

// Each generation leaves the session and its parent dies, so neither a signal to a group nor a walk over parents reaches it; only sweeps
// faster than a fork do. Survivors hold a FIFO open, which can't be missed like an entry of the process table. The processor is kept busy.
func TestT12AForkChainIsCaught(t *testing.T) {
	const script = `
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
alive = os.open("alive", os.O_WRONLY)
if os.fork():
    print("up", flush=True)
    sys.stdin.read()
    os._exit(0)
until = time.time() + 90
while time.time() < until and not os.path.exists("stop"):
    if os.fork():
        os._exit(0)
    os.setsid()
`
	for _, end := range ends[:4] {
		t.Run(end.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("takes several seconds")
			}
			var idle atomic.Bool
			defer idle.Store(true)
			for range 2 * runtime.GOMAXPROCS(0) {
				go func() {
					for !idle.Load() {
					}
				}()
			}
			dir := markedDir(t)
			fifo := filepath.Join(dir, "alive")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			holders, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer holders.Close()
			defer os.WriteFile(filepath.Join(dir, "stop"), nil, 0o600)

			w := wrapIn(t, dir, []string{"role:wrapper"}, "python3", "-c", script)
			if line, err := w.stdout.ReadString('\n'); err != nil || line != "up\n" {
				t.Fatalf("%q, %v", line, err)
			}
			end.end(t, w)
			w.cmd.Wait()
			holders.SetReadDeadline(time.Now().Add(60 * time.Second))
			if _, err := holders.Read(make([]byte, 1)); err != io.EOF {
				t.Fatalf("the chain lives: %v; the guard lives: %v", err, alive(w.guard))
			}
			eventually(t, "the guard ends", func() bool { return !alive(w.guard) })
		})
	}
}

func TestT13ClosedStdoutOfTheWrapperEndsItsServer(t *testing.T) {
	w := wrap(t, "sh", "-c", `while echo line; do :; done; sleep 1000`)
	if _, err := w.stdout.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	w.close()
	if err := w.cmd.Wait(); err != nil {
		t.Fatalf("the wrapper did not end in its own time: %v", err)
	}
	if living := census(t, w.dir); len(living) > 0 {
		t.Fatalf("outlived the wrapper: %q", living)
	}
}

func TestT13AServerHasTheDefaultSIGPIPEUnderAWrapperThatIgnoresIt(t *testing.T) {
	w := wrap(t, "sh", "-c", `grep -E "^Sig(Ign|Blk)" /proc/self/status; exec cat`)
	w.stdin.Close()
	all, err := io.ReadAll(w.stdout)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	// SIGHUP and SIGINT may be ignored since the start of the tests (nohup); then the server ignores them as well. The same holds for
	// signals 32 and 33 under make: glibc's posix_spawn leaves them ignored.
	for line := range strings.Lines(string(all)) {
		key, mask, _ := strings.Cut(strings.TrimSpace(line), ":")
		set, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if key == "SigIgn" && set&^(1<<(syscall.SIGHUP-1)|1<<(syscall.SIGINT-1)|1<<(32-1)|1<<(33-1)) != 0 {
			t.Errorf("ignored in the server: %s", line)
		}
		if key == "SigBlk" && !strings.Contains(string(own), strings.TrimSpace(line)) {
			t.Errorf("blocked in the server and not in us: %s", line)
		}
	}
	if !strings.Contains(string(all), "SigIgn") || !strings.Contains(string(all), "SigBlk") {
		t.Fatalf("no status: %q", all)
	}
}
