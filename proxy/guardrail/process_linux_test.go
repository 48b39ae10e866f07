package guardrail

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// living are the processes that run in a folder.
func living(t testing.TB, dir string) (pids []int) {
	t.Helper()
	err := table.Each(func(pid int) error {
		at, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
		if p, gone := table.Read(pid); err == nil && gone == nil && at == dir && !p.Dead {
			pids = append(pids, pid)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pids
}

// A daemon leaves the tree, its group and its session, ignores the signals that ask, and holds the pipes.
const daemonising = `(setsid sh -c 'trap "" TERM INT HUP; sleep 1000 & wait; wait' &); exec "$@"`

func TestNothingOutlivesAFailureOrTheEnd(t *testing.T) {
	t.Parallel()
	for name, argv := range map[string][]string{
		"a daemon":                        {"sh", "-c", daemonising, "sh", os.Args[0], "role:honest"},
		"a child that holds its pipes":    {os.Args[0], "role:parent"},
		"a program that ignores the end":  {"sh", "-c", `trap "" TERM; "$@"; sleep 1000`, "sh", os.Args[0], "role:honest"},
		"a daemon of a program that hang": {"sh", "-c", daemonising, "sh", os.Args[0], "role:fragile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			c := NewCommand(CommandConfig{Argv: argv, Dir: dir})
			defer c.Close()
			if _, err := ask(t, c, "hello"); err != nil {
				t.Fatal(err)
			}
			before := living(t, dir)
			if len(before) == 0 {
				t.Fatal("no process of it was found")
			}
			for _, pid := range before {
				if !peer.Marked(pid) {
					t.Errorf("process %d could decide: it has no mark", pid)
				}
			}
			c.idle(func() { c.child.process.Stdout.Close() }) // a failure, as if the time were up
			_, err = ask(t, c, "hang")
			failed(t, err, "")
			if _, err := ask(t, c, "hello"); err != nil { // by another process, once the first is gone
				t.Error(err)
			}
			for _, pid := range before {
				if p, err := table.Read(pid); err == nil && !p.Dead {
					t.Errorf("process %d outlived the failure", pid)
				}
			}
			c.Close()
			if left := living(t, dir); len(left) > 0 {
				t.Errorf("outlived the end: %v", left)
			}
		})
	}
}

// What a killed guard leaves behind falls to this process, which has other children too.
func TestAKilledGuardTakesNobodyElse(t *testing.T) {
	mine := exec.Command("sleep", "1000")
	mine.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := mine.Start(); err != nil {
		t.Fatal(err)
	}
	defer mine.Wait()
	defer mine.Process.Kill()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := NewCommand(CommandConfig{Argv: []string{"sh", "-c", daemonising, "sh", os.Args[0], "role:honest"}, Dir: dir})
	defer c.Close()
	if _, err := ask(t, c, "hello"); err != nil {
		t.Fatal(err)
	}
	c.idle(func() {
		p, err := table.Read(c.child.process.PID())
		if err == nil {
			err = syscall.Kill(p.Parent, syscall.SIGKILL)
		}
		if err != nil {
			t.Fatal(err)
		}
		<-c.child.process.Exited()
	})
	if _, err := ask(t, c, "hello"); err != nil {
		t.Errorf("after it: %v", err)
	}
	c.Close()
	if left := living(t, dir); len(left) > 0 {
		t.Errorf("outlived the end: %v", left)
	}
	if p, err := table.Read(mine.Process.Pid); err != nil || p.Dead {
		t.Error("a process that is no provider's was killed")
	}
}

// locks are the soft and the hard limit in which a mark is kept.
func locks(t *testing.T, pid int) []string {
	t.Helper()
	limits, err := proc.Text(pid, "limits")
	if err != nil {
		t.Fatal(err)
	}
	fields, err := proc.Line(limits, "Max file locks")
	if err != nil || len(fields) < 2 {
		t.Fatal(fields, err)
	}
	return fields
}

// The hub is killed: nobody is left to end the provider but its guard.
func TestNothingOutlivesUs(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	us := exec.Command(os.Args[0], "role:hub", dir)
	up, err := us.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	defer us.Process.Kill()
	if _, err := up.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	theirs := living(t, dir)
	if len(theirs) == 0 {
		t.Fatal("no process of it was found")
	}
	if shown, marked := locks(t, us.Process.Pid)[0], locks(t, theirs[0])[1]; shown != marked || shown == "unlimited" {
		t.Errorf("the hub shows %s, its provider is marked %s: another hub would take it for what is left of a server", shown, marked)
	}
	if err := us.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = us.Wait()
	until(t, func() bool { return len(living(t, dir)) == 0 })
}

func init() {
	roles["hub"] = func(_ requests, args []string) int { // asks a provider in DIR once, serves again, and stays
		peer.ShowNothing()
		c := NewCommand(CommandConfig{Argv: []string{"sh", "-c", daemonising, "sh", os.Args[0], "role:honest"}, Dir: args[0]})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := c.Ask(ctx, request("hello")); err != nil {
			return 1
		}
		peer.ShowNothing()
		os.Stdout.WriteString("!")
		select {}
	}
}
