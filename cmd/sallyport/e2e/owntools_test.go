//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// A client with eleven servers has Sallyport's own two tools once. Every server answers them, and when the server that lists them ends, another
// takes over and announces it.
func TestElevenServersOfOneClientListOurToolsOnce(t *testing.T) {
	const servers = 11
	dir := folder(t)
	h := install(t)
	var commands [servers][]string
	for i := range commands {
		commands[i] = script(t, dir, fmt.Sprintf("s%d.json", i), fmt.Sprintf(`{"tools":[{"name":"tool_%d","inputSchema":{"type":"object"}}]}`, i))
	}
	start := func(i int) *session {
		return launch(t, dir, environment(h.env()...), append([]string{h.binary(), "wrap", "--name", fmt.Sprint("s", i), "--client", "claude-desktop", "--"}, commands[i]...))
	}
	begin := func() (all []*session) {
		t.Helper()
		for i := range servers {
			all = append(all, start(i))
		}
		var ready sync.WaitGroup
		for _, s := range all {
			ready.Go(func() { s.handshake("2025-06-18") })
		}
		ready.Wait()
		return all
	}
	// listing is which servers list each tool, after all were asked at once.
	listing := func(all []*session) (who map[string][]int) {
		t.Helper()
		who = map[string][]int{}
		answers := make([]string, len(all))
		var listed sync.WaitGroup
		for i, s := range all {
			if s != nil {
				listed.Go(func() { answers[i] = s.request("tools/list", `{}`) })
			}
		}
		listed.Wait()
		for i, answer := range answers {
			for _, tool := range []string{"approve_server_config", "quarantine_release"} {
				if strings.Contains(answer, `"name":"`+tool+`"`) {
					who[tool] = append(who[tool], i)
				}
			}
		}
		return who
	}
	once := func(who map[string][]int) (which int) {
		t.Helper()
		if len(who["approve_server_config"]) != 1 || len(who["quarantine_release"]) != 1 || who["approve_server_config"][0] != who["quarantine_release"][0] {
			t.Fatalf("our tools are listed by %v", who)
		}
		return who["approve_server_config"][0]
	}
	all := begin()
	named := once(listing(all)) // they are not reviewed, so there are only our tools
	h.approve()
	for _, s := range all {
		s.heard("list_changed")
	}
	if again := once(listing(all)); again != named {
		t.Errorf("after the review %d lists them, not %d", again, named)
	}
	for i, s := range all {
		if got := s.call("approve_server_config", `{}`); !strings.Contains(got, "[Sallyport] Nothing needs") {
			t.Errorf("server %d: %s", i, got)
		}
		if got := s.call("quarantine_release", `{"quarantine_id":"ABCD"}`); !strings.Contains(got, "No response is held as ABCD") {
			t.Errorf("server %d: %s", i, got)
		}
	}

	// The one that lists them ends.
	for _, s := range all {
		s.entries = nil
	}
	ended := time.Now()
	all[named].hangUp(true)
	all[named] = nil
	heard := func(s *session) bool { return strings.Contains(fmt.Sprint(s.entries), "tools/list_changed") }
	next := -1
	wait(t, "another takes over and says so", func() bool {
		for i, s := range all {
			if s == nil {
				continue
			}
			s.request("ping", `{}`)
			if heard(s) {
				next = i
				return true
			}
		}
		return false
	})
	took := time.Since(ended)
	t.Logf("taken over %v after the end", took.Round(time.Millisecond))
	if took > 5*time.Second {
		t.Errorf("it took %v to be taken over", took)
	}
	if which := once(listing(all)); which != next {
		t.Errorf("%d was told of, and %d lists them", next, which)
	}
	for i, s := range all {
		if s != nil && i != next && heard(s) {
			t.Errorf("server %d says that its tools changed, and they did not", i)
		}
	}
	for _, s := range all {
		if s != nil {
			s.hangUp(true)
		}
	}

	// At the next start of the client it is the same server again, whichever comes first.
	all = begin()
	if which := once(listing(all)); which != named {
		t.Errorf("%d listed them while the client ran, and now %d does", named, which)
	}
	alone := launch(t, dir, environment(h.env()...), append([]string{h.binary(), "wrap", "--"}, commands[3]...))
	alone.handshake("2025-06-18")
	if got := alone.request("tools/list", `{}`); !strings.Contains(got, "approve_server_config") {
		t.Errorf("a wrapper without --client: %s", got)
	}
	if out, code := h.run("settings", "set", "own_tools", "always", "--yes"); code != 0 {
		t.Fatal(out)
	}
	for i, s := range all {
		if i != named {
			s.heard("list_changed")
		}
	}
	if who := listing(all); len(who["approve_server_config"]) == 1 {
		wait(t, "all list them", func() bool { return len(listing(all)["approve_server_config"]) == servers })
	}
}
