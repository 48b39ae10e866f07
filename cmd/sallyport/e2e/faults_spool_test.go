//go:build linux

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var spoolFlag = flag.Bool("spool", false, "fill a spool to its bound of 64 MiB, which takes half a minute; without it a tenth of it is written and nothing may go")

// A hub hangs while a client continues to call. The wrapper spools its records, up to 64 MiB; then the oldest calls go, and one guard_problem
// says how many. The calls that stay and those it counts are together every call made.
func TestASpoolAtItsBoundLetsTheOldestCallsGoAndSaysHowMany(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	h := at(t, filepath.Join(mkdir(t), "home"))
	h.hub()
	argv := script(t, dir, "storm.json", strings.NewReplacer(daemonsRule, "", "DRIFT", filepath.Join(dir, "drift")).Replace(stormServer))
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--yes"); exit != 0 {
		t.Fatalf("approve: status %d: %s", exit, out)
	}
	s.heard("list_changed")
	s.call("echo", `{}`)
	wait(t, "the first call is in the timeline", func() bool { return h.calls("ok") == 1 })

	hub := h.signalHub(syscall.SIGSTOP)
	t.Cleanup(func() { syscall.Kill(hub, syscall.SIGCONT) })
	calls := 6_000
	if *spoolFlag {
		calls = 250_000 // 470 bytes each (measured): well over 64 MiB
	}
	const burst = 400
	next := 1000
	for range calls / burst {
		for range burst {
			next++
			s.start(fmt.Sprint(next), "tools/call", `{"name":"fresh","arguments":{}}`)
		}
		for left := burst; left > 0; {
			s.until("an answer", func(e envelope, line string) bool {
				if e.Method != "" {
					return false
				}
				if left--; !strings.Contains(line, "sallyport/decision") {
					t.Fatalf("a tool that nobody allows: %s", line)
				}
				return true
			})
		}
		s.entries = s.entries[:0]
	}
	s.call("echo", `{}`) // the newest, which must stay
	var size int64
	wait(t, "the records are written down", func() bool {
		size = folderSize(t, filepath.Join(h.path, "spool"))
		return size > int64(calls)*100 || size > 40<<20
	})
	if size > 64<<20+1<<20 {
		t.Errorf("the spool has %d bytes", size)
	}
	syscall.Kill(hub, syscall.SIGCONT)
	s.hangUp(true)
	wait(t, "the spool is taken over", func() bool {
		left, _ := filepath.Glob(filepath.Join(h.path, "spool", "*"))
		return len(left) == 0
	})
	kept, ok, problems, lost, ids := 0, 0, 0, 0, map[string]bool{}
	for _, r := range h.timeline() {
		if ids[r.ID] {
			t.Errorf("record %s is there twice", r.ID)
		}
		ids[r.ID] = true
		switch {
		case r.Kind == "tool_call" && r.Status == "ok":
			ok++
		case r.Kind == "tool_call":
			kept += max(1, r.Detail.Count)
		case r.Kind == "guard_problem":
			problems++
			lost += r.Detail.Lost
		}
	}
	if ok != 2 {
		t.Errorf("%d of the first and the last call are there, not 2", ok)
	}
	if kept+lost != calls || problems > 1 || !*spoolFlag && lost > 0 || *spoolFlag && lost == 0 {
		t.Errorf("%d calls refused: %d records and %d records of %d that went", calls, kept, problems, lost)
	}
	if out, exit := h.run("activity", "verify"); exit != 0 {
		t.Errorf("the chain: status %d: %s", exit, out)
	}
	t.Logf("%d calls beside a hub that hangs: spool %d bytes, %d records kept, %d said to be gone, in %d guard_problem", calls, size, kept, lost, problems)
}

func folderSize(t testing.TB, dir string) (size int64) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}

// recordDetail is the part of a record's detail that these tests read.
type recordDetail struct{ Lost, Count int }

func (d *recordDetail) UnmarshalJSON(raw []byte) error {
	var fields struct{ Lost, Count int }
	_ = json.Unmarshal(raw, &fields) // details of other checks have other fields
	*d = fields
	return nil
}
