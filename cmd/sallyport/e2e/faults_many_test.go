//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Two hubs in one home would be two owners of one store. Of eight started at once, one gets the home; the others say so and exit.
func TestOfManyHubsAtOnceOneStays(t *testing.T) {
	for name, before := range map[string]bool{"in a new home": false, "where a wrapper's hub runs": true} {
		t.Run(name, func(t *testing.T) {
			h := at(t, filepath.Join(mkdir(t), "home"))
			if before {
				dir := folder(t)
				s := launch(t, dir, environment(h.env()...), append(h.wrap(), script(t, dir, "server.json", plainServer)...))
				s.handshake("2025-06-18")
				wait(t, "the wrapper has started a hub", func() bool { return h.hubPID() != 0 })
			}
			type end struct {
				said string
				code int
			}
			var mu sync.Mutex
			var ends []end
			var all sync.WaitGroup
			for range 8 {
				cmd := exec.Command(sallyport(t), "hub", "--allow-cli-approval")
				cmd.Env = environment(h.env()...)
				said := new(tail)
				cmd.Stdout, cmd.Stderr = said, said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				all.Go(func() {
					_ = cmd.Wait()
					mu.Lock()
					defer mu.Unlock()
					ends = append(ends, end{said.String(), cmd.ProcessState.ExitCode()})
				})
			}
			wait(t, "seven have given up", func() bool { mu.Lock(); defer mu.Unlock(); return len(ends) >= 7 })
			wait(t, "the one that is left answers and is a person's", func() bool {
				out, _ := h.run("status", "--json")
				return strings.Contains(out, `"started_by":"person"`)
			})
			if hubs := h.hubs(); len(hubs) != 1 {
				t.Errorf("hubs: %v", hubs)
			}
			mu.Lock()
			for _, e := range ends {
				if e.code != 1 || !strings.HasPrefix(e.said, "sallyport: hub: ") || strings.Count(strings.TrimSpace(e.said), "\n") != 0 {
					t.Errorf("a hub that gave up: status %d: %q", e.code, e.said)
				}
			}
			if len(ends) != 7 {
				t.Errorf("%d hubs ended", len(ends))
			}
			mu.Unlock()
			h.signalHub(syscall.SIGINT)
			all.Wait()
		})
	}
}

// Claude starts a server twice, and without a hub ten wrappers come at once: one hub starts, the server has one entry, one review and one
// inbox item, and one decision allows it for all of them.
func TestTenWrappersAtOnceBringOneHubAndOneItem(t *testing.T) {
	dir := folder(t)
	h := at(t, filepath.Join(mkdir(t), "home"))
	h.hub()() // creates the home as one that takes decisions from the command line
	argv := script(t, dir, "server.json", plainServer)
	sessions := make([]*session, 10)
	for i := range sessions {
		sessions[i] = launch(t, dir, environment(h.env()...), append([]string{sallyport(t), "wrap", "--client", "e2e", "--name", fmt.Sprintf("name-%d", i%3), "--"}, argv...))
		s := sessions[i]
		s.start("0", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1.0"}}`)
	}
	for _, s := range sessions {
		s.answer("0")
		s.notify("notifications/initialized", `{}`)
		s.start("1", "tools/list", `{}`)
	}
	for _, s := range sessions {
		s.answer("1")
		if got := s.call("echo", `{}`); !strings.Contains(got, "sallyport/decision") {
			t.Errorf("before a review: %s", got)
		}
	}
	if hubs := h.hubs(); len(hubs) != 1 {
		t.Errorf("hubs: %v", hubs)
	}
	if items := h.inbox(); len(items) != 1 || items[0].Kind != "new_server" {
		t.Errorf("the inbox: %+v", items)
	}
	if out, _ := h.run("servers", "--json"); strings.Count(out, `"identity"`) != 1 || !strings.Contains(out, `"wrappers":10`) {
		t.Errorf("the servers: %s", out)
	}
	h.hub() // takes over from the hub that a wrapper started
	if n := h.approve(); n != 1 {
		t.Errorf("%d items were approved", n)
	}
	for _, s := range sessions {
		s.heard("list_changed") // which may be about another hub having chosen who lists our tools
		wait(t, "what was allowed works", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
	}
	if hubs := h.hubs(); len(hubs) != 1 {
		t.Errorf("hubs: %v", hubs)
	}
	for _, s := range sessions {
		s.hangUp(true)
	}
	wait(t, "every call is in the timeline", func() bool { return h.calls("ok") == 10 && h.calls("blocked") >= 10 })
	if out, code := h.run("activity", "verify"); code != 0 {
		t.Errorf("the chain: status %d: %s", code, out)
	}
}

// A hub hangs and its socket is full: no call waits for it, nothing new gets through, and everything arrives once when it continues.
func TestAHubThatDoesNotReadHoldsNothingUpAndOpensNothing(t *testing.T) {
	dir := folder(t)
	h := at(t, filepath.Join(mkdir(t), "home"))
	h.hub()
	argv := script(t, dir, "server.json", strings.Replace(strings.Replace(plainServer, "DRIFT", filepath.Join(dir, "drift"), 1),
		`"rules":[`, `"rules":[{"on":"tools/call echo","from":2,"to":2,"async":true,"steps":[{"default":true},{"stderr":16777216}]},`, 1))
	s := h.inFront(dir, "e2e", argv)
	h.approve()
	s.heard("list_changed")
	hub := h.signalHub(syscall.SIGSTOP)
	t.Cleanup(func() { syscall.Kill(hub, syscall.SIGCONT) })
	const calls, refusals = 3000, 300
	began := time.Now()
	for i := range calls {
		if got := s.call("echo", `{}`); !strings.Contains(got, answered) {
			t.Fatalf("call %d beside a hub that does not read: %s", i, got)
		}
		if i%(calls/refusals) == 0 {
			if got := s.call("fresh", `{}`); !strings.Contains(got, "sallyport/decision") {
				t.Fatalf("a tool that nobody allows: %s", got)
			}
		}
	}
	t.Logf("%d calls in %s beside a hub that does not read", calls+refusals, time.Since(began).Round(time.Millisecond))
	// A wrapper that starts now gets no state at all, so it refuses everything, and at once.
	late := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	late.start("0", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1.0"}}`)
	late.start("1", "tools/call", `{"name":"echo","arguments":{}}`)
	if got := late.answer("1"); !strings.Contains(got, "sallyport/decision") {
		t.Errorf("without a state: %s", got)
	}
	syscall.Kill(hub, syscall.SIGCONT)
	wait(t, "the late wrapper has its state", func() bool { return strings.Contains(late.call("echo", `{}`), answered) })
	late.hangUp(true)
	s.hangUp(true)
	wait(t, "every refusal is in the timeline", func() bool { return h.calls("blocked") >= refusals })
	ok := 0
	wait(t, "every call is in the timeline", func() bool { ok = h.calls("ok"); return ok >= calls+1 })
	if ok != calls+1 {
		t.Errorf("%d records of %d calls", ok, calls+1)
	}
	if out, code := h.run("activity", "verify"); code != 0 {
		t.Errorf("the chain: status %d: %s", code, out)
	}
}
