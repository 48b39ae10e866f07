//go:build linux

package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport/guard"
)

// walledEnds are the ends of a wrapper as without a sandbox, and those that only a sandbox has. "The guard stopped" with a killed wrapper is
// not among them: nothing inside can stop the first process of its own namespace.
func walledEnds() []end {
	all := slices.Clone(ends[:len(ends)-1])
	all = append(all, ends[0])
	last := &all[len(all)-1]
	last.name, last.end = "kill -9 of the sandbox", func(t *testing.T, w *wrapped) {
		for pid := w.guard; pid != w.pid; pid = parentOf(t, pid) {
			if parentOf(t, pid) == w.pid {
				w.signal(t, pid, syscall.SIGKILL)
				return
			}
		}
	}
	return all
}

// The same table in a sandbox.
func TestT12NothingOutlivesTheWrapperOfAShieldedServer(t *testing.T) {
	nothingOutlives(t, []string{"role:walled", "shield"}, walledEnds())
}

// Without a sandbox, a daemon could survive this.
func TestT12WithBothKeepersKilledNothingOfAShieldedServerLives(t *testing.T) {
	w := wrapAs(t, []string{"role:walled", "shield"}, "sh", "-c", servers[4].script)
	for range servers[4].ups {
		if line, err := w.stdout.ReadString('\n'); err != nil || line != "up\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	w.signal(t, w.pid, syscall.SIGSTOP)
	for _, pid := range []int{w.guard, w.pid} {
		w.signal(t, pid, syscall.SIGKILL)
	}
	w.cmd.Wait()
	eventually(t, "all of it dies", func() bool { return len(census(t, w.dir)) == 0 })
}

// If the sandbox ended with the first signal, the server would have no time to save.
func TestAShieldedServerIsTerminatedBeforeItIsKilled(t *testing.T) {
	dir := markedDir(t)
	p := start(t, Command{Dir: dir, Sandbox: &sandbox.Sandbox{},
		Argv: []string{"sh", "-c", `trap 'echo saved; echo saved >` + dir + `/file; exit 5' TERM; echo up; while :; do sleep 0.05; done`}})
	out := bufio.NewReader(p.Stdout)
	if line, err := out.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	p.Stop()
	if rest, err := io.ReadAll(out); err != nil || string(rest) != "saved\n" {
		t.Errorf("%q, %v", rest, err)
	}
	if exit := p.Exit(); exit.Code != 5 {
		t.Errorf("exit %v", exit)
	}
	if said, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(said) != "saved\n" {
		t.Errorf("%q, %v", said, err)
	}
}

// It runs each command twice and compares.
func TestBehindWallsAServerStartsAndEndsAsWithout(t *testing.T) {
	dir := markedDir(t)
	for name, content := range map[string]string{"script": `printf '<%s>' "$0" "$@"`, "orphan": "#!/no/such/python -u\n", "plain": "#!/bin/sh\n", "binary": "\x7fELF\x00\x00\x00garbage"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir+"/plain", 0o644); err != nil {
		t.Fatal(err)
	}
	type result struct {
		out, err string
		exit     Exit
		failed   string
	}
	run := func(c Command) (r result) {
		var said bytes.Buffer
		p, err := Start(context.Background(), c, &said, nil)
		if err != nil {
			r.failed = err.Error()
			return r
		}
		p.Stdin.Close()
		out, err := io.ReadAll(p.Stdout)
		if err != nil {
			t.Error(err)
		}
		r.out, r.exit = string(out), p.Exit()
		p.Stop()
		r.err = said.String()
		return r
	}
	// Descriptors that the test inherited are passed on without a sandbox only, as intended (escape_linux_test.go).
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range open {
		if fd, _ := strconv.Atoi(entry.Name()); fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	given := []string{"B=2", "A=1", "SALLYPORT_HOME=/secret", "A=again", "no equals sign", "=odd", "EMPTY=", "LINES=one\ntwo", "BYTES=\xff\xfe", "GODEBUG=x", "PATH=/usr/bin:/bin"}
	for _, c := range []struct {
		name string
		Command
	}{
		{"a status", Command{Argv: []string{"sh", "-c", "echo last words; exit 3"}}},
		{"a status that looks like a signal", Command{Argv: []string{"sh", "-c", "exit 137"}}},
		{"a signal", Command{Argv: []string{"sh", "-c", "kill -9 $$"}}},
		{"another signal", Command{Argv: []string{"sh", "-c", "kill -TERM $$"}}},
		{"stderr", Command{Argv: []string{"sh", "-c", "echo out; printf 'a\\033[31m\\000' >&2"}}},
		{"its environment", Command{Argv: []string{"/bin/cat", "/proc/self/environ"}, Env: given}},
		{"its folder and arguments", Command{Argv: []string{"sh", "-c", `pwd; printf '<%s>' "$0" "$@"`, "", "a b", "--", "\xff\n", ""}, Dir: dir}},
		{"its files", Command{Argv: []string{"sh", "-c", `for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done`}}},
		{"what it may signal and what is ignored", Command{Argv: []string{"grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"}}},
		{"a script without a first line", Command{Argv: []string{"./script", "a b"}, Dir: dir}},
		{"not in PATH", Command{Argv: []string{"no-such-program"}}},
		{"no such file", Command{Argv: []string{dir + "/none"}}},
		{"not executable", Command{Argv: []string{dir + "/plain"}}},
		{"a folder", Command{Argv: []string{dir}}},
		{"an interpreter that is missing", Command{Argv: []string{dir + "/orphan"}}},
		{"another machine's program", Command{Argv: []string{dir + "/binary"}}},
		{"a working folder that is missing", Command{Argv: []string{"sh"}, Dir: dir + "/none"}},
		{"an argument that is too long", Command{Argv: []string{"sh", strings.Repeat("x", 1<<20)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			free := run(c.Command)
			c.Sandbox = &sandbox.Sandbox{Hide: []string{t.TempDir()}}
			if walled := run(c.Command); walled != free {
				t.Errorf("behind walls %+v\nwithout      %+v", walled, free)
			}
			if free.failed == "" && free.out == "" && free.exit.Code == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

func TestASandboxThatCannotBeHadStartsNothing(t *testing.T) {
	// A folder that bubblewrap can't enter makes it fail as on a system without namespaces: before the guard runs.
	marker := filepath.Join(t.TempDir(), "ran")
	g, err := Prepare()
	if err != nil {
		t.Fatal(err)
	}
	c := Command{Argv: []string{"touch", marker}, Sandbox: &sandbox.Sandbox{}}
	g.Close()
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	spawned, err := guard.Spawn("/usr/bin/bwrap", []string{"bwrap", "--ro-bind", "/no/such/folder", "/", "--", "/proc/self/fd/4", guard.Arg}, program)
	if err != nil {
		t.Fatal(err)
	}
	g = &Prepared{Process: spawned, walled: true}
	c.Sandbox = nil // it is inside already, or thinks so
	p, err := g.Start(context.Background(), c, io.Discard, nil)
	var refused *sandbox.Error
	if !errors.As(err, &refused) || p != nil || !strings.Contains(err.Error(), "/no/such/folder") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the server ran without its sandbox")
	}
}
