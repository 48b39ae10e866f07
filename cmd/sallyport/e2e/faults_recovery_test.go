//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var roundsFlag = flag.Int("rounds", 3, "how often hub, wrapper and server are killed in turn to see how long it takes until all is as before")

// What was killed comes back by itself while the client continues to call, or starts its server again. Meanwhile nothing unapproved passes,
// and afterwards every call that got a response is in the timeline.
func TestAfterEachKillAllIsAsBefore(t *testing.T) {
	dir := folder(t)
	h := at(t, filepath.Join(mkdir(t), "home"))
	h.hub()
	argv := append(h.wrap(), script(t, dir, "storm.json", strings.NewReplacer(daemonsRule, "", "DRIFT", filepath.Join(dir, "drift")).Replace(stormServer))...)
	mark, starts := "", 0
	start := func() *session {
		starts++ // the server of the killed wrapper may not be gone yet
		mark = fmt.Sprintf("E2E_RECOVERY=%s-%d", dir, starts)
		s := launch(t, dir, environment(append(h.env(), mark)...), argv)
		s.handshake("2025-06-18")
		s.request("tools/list", `{}`)
		return s
	}
	s := start()
	if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--yes"); exit != 0 {
		t.Fatalf("approve: status %d: %s", exit, out)
	}
	s.heard("list_changed")
	made, refused := 0, 0
	again := func(s *session) bool {
		t.Helper()
		if got := s.call("fresh", `{}`); strings.Contains(got, "poison") || !strings.Contains(got, "sallyport/decision") {
			t.Fatalf("a tool that nobody allows: %s", got)
		}
		refused++
		got := s.call("echo", `{}`)
		if strings.Contains(got, answered) {
			made++
			return true
		}
		if !strings.Contains(got, "sallyport/decision") {
			t.Fatalf("an answer that is neither: %s", got)
		}
		refused++
		return false
	}
	took := map[string][]time.Duration{}
	for range *roundsFlag {
		hub := h.signalHub(syscall.SIGKILL)
		began := time.Now()
		for range 20 {
			if !again(s) {
				t.Fatal("what was allowed does not work without a hub")
			}
		}
		wait(t, "another hub answers", func() bool { pid := h.hubPID(); return pid != 0 && pid != hub })
		took["hub: until another answers"] = append(took["hub: until another answers"], time.Since(began))

		for _, victim := range []string{"wrapper", "server"} {
			if !again(s) { // its record is on the way when the process is killed
				t.Fatal("what was allowed does not work")
			}
			wait(t, "the records are in the timeline", func() bool { return h.calls("ok") == made && h.calls("blocked") == refused })
			pid := s.cmd.Process.Pid
			if victim == "server" {
				pid = serverWith(t, mark)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			select {
			case <-s.ended:
			case <-time.After(patience):
				t.Fatalf("%s killed, and the wrapper is still there after %s", victim, patience)
			}
			took[victim+": until its wrapper is gone"] = append(took[victim+": until its wrapper is gone"], time.Since(began))
			began = time.Now()
			s = start()
			wait(t, "what was allowed works again", func() bool { return again(s) })
			took[victim+": until the client that starts it anew has its answer"] = append(took[victim+": until the client that starts it anew has its answer"], time.Since(began))
		}
	}
	s.hangUp(true)
	wait(t, "every call is in the timeline", func() bool { return h.calls("ok") >= made && h.calls("blocked") >= refused })
	if ok, blocked := h.calls("ok"), h.calls("blocked"); ok != made || blocked != refused {
		t.Errorf("%d calls and %d refusals, in the timeline %d and %d", made, refused, ok, blocked)
	}
	if out, exit := h.run("activity", "verify"); exit != 0 {
		t.Errorf("the chain: status %d: %s", exit, out)
	}
	for what, times := range took {
		slices.Sort(times)
		t.Logf("%s: median %s, longest %s, of %d", what, times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond), len(times))
	}
	t.Logf("%d calls answered, %d refused, all of them in the timeline once", made, refused)
}

// serverWith is the scripted server that has a variable set.
func serverWith(t testing.TB, variable string) (server int) {
	t.Helper()
	wait(t, "the server is there", func() bool {
		for _, pid := range marked(variable) {
			if argv := commandLine(pid); len(argv) > 1 && argv[1] == "scripted" {
				server, _ = strconv.Atoi(pid)
				return true
			}
		}
		return false
	})
	return server
}
