//go:build unix

package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
)

// A real server that writes files, asked about each write: nothing is written before a person allowed exactly that call, and it is written once. The
// hub is killed between the decision and the call.
func TestARealServerWritesOnlyWhatAPersonAllowed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	server := realServers[slices.IndexFunc(realServers, func(r realServer) bool { return r.name == "server-filesystem" })]
	dir := folder(t)
	h := install(t)
	s := launch(t, dir, server.ground(t, dir, h.env()...), append(h.wrap(), server.argv(t, dir)...))
	s.handshake("2025-11-25")
	s.request("tools/list", `{}`)
	settle(h, func() bool { return !strings.Contains(s.call("list_allowed_directories", `{}`), "[Sallyport]") })
	if out, code := h.run("settings", "set", "tools.mode", "ask", "--yes"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	path := filepath.Join(dir, "letter.txt")
	write := func(text string) (answer string, took time.Duration) {
		started := time.Now()
		answer = s.call("write_file", mask.PlainJSON(map[string]string{"path": path, "content": text}))
		return answer, time.Since(started)
	}
	written := func() string {
		raw, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(raw)
	}
	wait(t, "calls are asked about", func() bool {
		return strings.Contains(s.call("list_allowed_directories", `{}`), "decides on each of its calls")
	})
	write("first")
	if got := written(); got != "" {
		t.Fatalf("written before a decision: %q", got)
	}
	_, took := write("second")
	t.Logf("an asked call is answered after %s", took)
	var code string
	for _, item := range h.inbox() {
		if out, _ := h.run("show", item.Code); strings.Contains(out, `"content": "second"`) {
			code = item.Code
		}
	}
	if out, status := h.run("approve", code, "--yes"); status != 0 {
		t.Fatalf("approve %s: status %d: %s", code, status, out)
	}
	h.signalHub(syscall.SIGKILL)
	wait(t, "what was allowed is written", func() bool { answer, _ := write("second"); return !strings.Contains(answer, "[Sallyport]") })
	if got := written(); got != "second" {
		t.Errorf("written: %q", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"second", "first", "third"} {
		if answer, _ := write(text); !strings.Contains(answer, "decides on each of its calls") || written() != "" {
			t.Errorf("%s: %s; written %q", text, answer, written())
		}
	}
	s.hangUp(true)
}
