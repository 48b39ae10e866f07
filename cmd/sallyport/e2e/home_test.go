package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// installation is a home of its own with a hub that takes decisions from the command line.
type installation struct {
	t    testing.TB
	path string

	program string
	more    []string    // environment variables
	process *os.Process // its hub
}

// install starts a hub in a new home. It ends with the test.
func install(t testing.TB) *installation {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "h") // short: the socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	return installWith(t, "", filepath.Join(dir, "home"), nil)
}

// verbatim is install with the only change switched off that we make to honest responses: that of terminal sequences.
func verbatim(t testing.TB) *installation {
	t.Helper()
	h := install(t)
	if out, code := h.run("settings", "set", "sanitizer.ansi", "off", "--yes"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	return h
}

// installWith starts a hub, from a copy of the program if one is named, in a home that can have a long path, with further variables.
func installWith(t testing.TB, program, home string, env []string) *installation {
	t.Helper()
	h := &installation{t: t, program: program, path: home, more: env}
	hub := exec.Command(h.binary(), "hub", "--allow-cli-approval")
	hub.Env = environment(h.env()...)
	said := new(tail)
	hub.Stderr, hub.Stdout = said, said
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	h.process = hub.Process
	ended := make(chan struct{})
	go func() {
		_ = hub.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = hub.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = hub.Process.Kill()
			<-ended
			t.Errorf("the hub did not end within 20 s of being interrupted")
		}
		if t.Failed() {
			t.Logf("hub: %s", said)
		}
	})
	wait(t, "the hub answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("the hub ended: %s", said)
		default:
		}
		_, code := h.run("status", "--json")
		return code == 0 || code == 3
	})
	return h
}

func (h *installation) env() []string { return append([]string{"SALLYPORT_HOME=" + h.path}, h.more...) }

// binary is the program under test, or the copy that this installation runs.
func (h *installation) binary() string {
	if h.program != "" {
		return h.program
	}
	return sallyport(h.t)
}

// wrap is the command line before a server's command.
func (h *installation) wrap() []string {
	return []string{h.binary(), "wrap", "--client", "e2e", "--"}
}

// run calls the command line and returns what it printed, errors included, and its exit code.
func (h *installation) run(args ...string) (string, int) {
	h.t.Helper()
	cmd := exec.Command(h.binary(), args...)
	cmd.Env = environment(h.env()...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// waiting is one inbox item.
type waiting struct {
	Code     string `json:"code"`
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Count    int    `json:"count"` // of held responses
	Parts    []struct {
		Item  string `json:"item"`
		State string `json:"state"`
	} `json:"parts"`
}

func (h *installation) inbox() []waiting {
	h.t.Helper()
	out, code := h.told("inbox", "--json")
	var list struct {
		Items []waiting `json:"items"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 && code != 3 {
		h.t.Fatalf("inbox: status %d, %v: %s", code, err, out)
	}
	return list.Items
}

// approve allows every item in the inbox and returns how many there were.
func (h *installation) approve() int {
	h.t.Helper()
	items := h.inbox()
	for _, item := range items {
		if out, code := h.run("approve", item.Code, "--all", "--yes"); code != 0 && !strings.Contains(out, "changed since") {
			h.t.Fatalf("approve %s: status %d: %s", item.Code, code, out)
		}
	}
	return len(items)
}

// settle runs a session until nothing of it needs review, and returns the record of the last run.
func settle[T any](h *installation, run func() T) T {
	h.t.Helper()
	for range 4 {
		result := run()
		if h.approve() == 0 {
			return result
		}
	}
	h.t.Fatal("after four approvals there is still something that waits")
	panic("unreachable")
}

// listing is the first item of the inbox with all of these parts.
func (h *installation) listing(items []string) bool {
	h.t.Helper()
	for _, item := range h.inbox() {
		var parts []string
		for _, part := range item.Parts {
			parts = append(parts, part.Item)
		}
		if !slices.ContainsFunc(items, func(i string) bool { return !slices.Contains(parts, i) }) {
			return true
		}
	}
	return false
}

// told is the output of a command once a hub answers. One that finds damage in its store makes room for another, and in between none runs.
func (h *installation) told(args ...string) (out string, code int) {
	h.t.Helper()
	wait(h.t, "a hub that answers", func() bool {
		out, code = h.run(args...)
		return !strings.Contains(out, "no hub runs")
	})
	return out, code
}

// wait waits for a condition.
func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// marked are the processes with an environment variable, if /proc shows it.
func marked(variable string) (pids []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		raw, err := os.ReadFile(path)
		if err == nil && slices.Contains(strings.Split(string(raw), "\x00"), variable) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}
