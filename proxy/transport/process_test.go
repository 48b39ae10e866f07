//go:build linux

package transport

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestExitIsTheServersOwn(t *testing.T) {
	for _, c := range []struct {
		name, script, text string
		code               int
	}{
		{"a status", "exit 3", "exit status 3", 3},
		{"success", "exit 0", "exit status 0", 0},
		{"a signal", "kill -9 $$", "signal: killed", 137},
		{"another signal", "kill -TERM $$", "signal: terminated", 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, Command{Argv: []string{"sh", "-c", "echo last words; " + c.script}})
			all, err := io.ReadAll(p.Stdout)
			if err != nil || string(all) != "last words\n" {
				t.Errorf("%q, %v", all, err)
			}
			if exit := p.Exit(); exit.String() != c.text || exit.Code != c.code {
				t.Errorf("%v (%d)", exit, exit.Code)
			}
			p.Stop()
			p.Stop()
		})
	}
}

// The write end stays open for the whole test, as if a grandchild held it.
func TestT12StdoutEndsWithTheServerThoughAnotherHoldsIt(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	r, w := fds[0], fds[1]
	syscall.SetNonblock(r, true)
	out, held := stdout{NewStream(os.NewFile(uintptr(r), "r"), true)}, os.NewFile(uintptr(w), "w")
	defer held.Close()
	defer out.Close()
	written := bytes.Repeat([]byte("0123456789abcdef"), 60<<10/16)
	if _, err := held.Write(written); err != nil {
		t.Fatal(err)
	}
	out.serverEnded()
	first := make([]byte, 10)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	out.pipe.SetReadDeadline(time.Unix(1, 0)) // a reader slower than the bound loses nothing
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := append(first, rest...); !bytes.Equal(got, written) {
		t.Errorf("%d of %d bytes", len(got), len(written))
	}
	if n, err := out.Read(first); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

// This process has other servers, children of its own and a detached hub.
func TestT12AKilledGuardTakesOnlyItsOwnTree(t *testing.T) {
	child := exec.Command("sleep", "1000")
	hub := exec.Command("sleep", "1000")
	hub.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for _, c := range []*exec.Cmd{child, hub} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer c.Wait()
		defer c.Process.Kill()
	}
	command := func(dir string) Command {
		return Command{
			Argv:  []string{"sh", "-c", `(setsid sh -c 'trap "" TERM; echo up; sleep 1000' &) ; echo up; cat; sleep 1000`},
			Dir:   dir,
			Spare: func() []int { return []int{hub.Process.Pid} },
		}
	}
	doomed, other := markedDir(t), markedDir(t)
	p, q := start(t, command(doomed)), start(t, command(other))
	for _, server := range []*ServerProcess{p, q} {
		lines := bufio.NewReader(server.Stdout)
		for range 2 {
			if line, err := lines.ReadString('\n'); err != nil {
				t.Fatal(line, err)
			}
		}
	}
	before := len(census(t, other))
	if err := syscall.Kill(parentOf(t, p.PID()), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit := p.Exit(); exit.Signal != "killed" {
		t.Errorf("the server's end: %v", exit)
	}
	<-p.gone
	if living := census(t, doomed); len(living) > 0 {
		t.Errorf("outlived its guard: %q", living)
	}
	if after := len(census(t, other)); after < before || before == 0 {
		t.Errorf("of the other server %d processes live, %d before", after, before)
	}
	for _, c := range []*exec.Cmd{child, hub} {
		if !alive(c.Process.Pid) {
			t.Errorf("%v, which is no server's, was killed", c.Args)
		}
	}
	q.Kill()
	if living := census(t, other); len(living) > 0 {
		t.Errorf("outlived Kill: %q", living)
	}
}

// New process numbers are looked at as soon as they are given out, and threads get numbers too.
func TestT12AKilledGuardTakesNobodyWhoJustMadeAThread(t *testing.T) {
	hub := exec.Command(os.Args[0], "role:threads")
	hub.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	up, err := hub.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	defer hub.Wait()
	defer hub.Process.Kill()
	if line, err := bufio.NewReader(up).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	for range 5 {
		p := start(t, Command{Argv: []string{"sleep", "1000"}, Spare: func() []int { return []int{hub.Process.Pid} }})
		if err := syscall.Kill(parentOf(t, p.PID()), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-p.gone
		if !alive(hub.Process.Pid) {
			t.Fatal("what was spared was killed")
		}
	}
}

// Ten megabytes to an unread stderr, then a response.
func TestT09StderrBackPressure(t *testing.T) {
	const size = 10 << 20
	nobody, unread := io.Pipe() // a write to it blocks until it is read
	var seen atomic.Int64
	p, err := Start(context.Background(), Command{
		Argv: []string{"sh", "-c", `head -c 10485760 /dev/zero | tr '\0' x >&2; printf END >&2; read question; echo "answer to $question"; exec cat`},
	}, unread, func(chunk []byte) { seen.Add(int64(len(chunk))) })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	io.WriteString(p.Stdin, "the question\n")
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil || line != "answer to the question\n" {
		t.Fatalf("%q, %v", line, err)
	}
	eventually(t, "the log has every byte", func() bool { return seen.Load() == size+3 })
	p.stderr.mu.Lock()
	kept := len(p.stderr.kept)
	p.stderr.mu.Unlock()
	if kept > maxStderr || kept < maxStderr/2 {
		t.Errorf("%d bytes are kept for a late reader", kept)
	}
	p.Stop() // returns though nobody reads
	late := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(nobody)
		late <- all
	}()
	<-p.stderr.written
	unread.Close()
	if all := <-late; !strings.HasSuffix(string(all), "xxxEND") {
		t.Errorf("a late reader does not get the last words: %d bytes", len(all))
	}
}

func TestStderrPassesVerbatimAndBoundedOldestFirst(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		limit  int
		want   string
	}{
		{"all that fits", []string{"a\x1b[31m\x00", "\xffb"}, 16, "a\x1b[31m\x00\xffb"},
		{"the oldest goes", []string{"0123", "4567", "89"}, 8, "23456789"},
		{"a chunk beyond the limit keeps its end", []string{"0", "123456789"}, 4, "6789"},
		{"exactly the limit", []string{"01", "23"}, 4, "0123"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &drain{limit: c.limit}
			d.waiting.L = &d.mu
			for _, chunk := range c.chunks {
				d.keep([]byte(chunk))
			}
			if string(d.kept) != c.want {
				t.Errorf("got %q, want %q", d.kept, c.want)
			}
		})
	}
	var out bytes.Buffer
	d := newDrain(io.NopCloser(strings.NewReader("a\x1b[31m\r\n\x00\xff")), &out, nil)
	<-d.written
	if out.String() != "a\x1b[31m\r\n\x00\xff" {
		t.Errorf("%q", out.String())
	}
}
