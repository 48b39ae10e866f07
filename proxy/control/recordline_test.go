package control

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestCallsJoinOnlyWhereThereAreTooManyToKeep(t *testing.T) {
	o := newOutbox(t.TempDir(), Register{}, func() *SpoolKey { return nil }, maxSpool, nil)
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	call := func(tool string, status vocab.Status) {
		at = at.Add(time.Microsecond)
		o.add(Record{Time: at, Kind: "tool_call", Status: status, Tool: tool, DurationUS: 7, Bytes: 10})
	}
	for range crowd {
		call("echo", "ok")
	}
	if len(o.queue) != crowd {
		t.Fatalf("%d calls stand in %d records", crowd, len(o.queue))
	}
	for range 1000 {
		call("echo", "ok")
		call("add", "ok")
	}
	call("echo", "blocked")
	call("echo", "blocked")
	if got := len(o.queue) - crowd; got != 4 {
		t.Errorf("2000 calls of two tools and two refusals stand in %d records", got)
	}
	calls, bytes := 0, int64(0)
	for len(o.queue) > 0 {
		for _, r := range o.take() {
			if r.ID == "" {
				t.Fatal("a record without an id goes out")
			}
			n := 1
			if len(r.Detail) > 0 {
				n = joinedCalls(t, r)
			}
			calls, bytes = calls+n, bytes+r.Bytes
		}
	}
	if want := crowd + 2002; calls != want || bytes != int64(10*want) {
		t.Errorf("%d calls with %d bytes went out of %d", calls, bytes, want)
	}
}

func joinedCalls(t *testing.T, r Record) int {
	t.Helper()
	var detail struct{ Calls int }
	if err := json.Unmarshal(r.Detail, &detail); err != nil || detail.Calls < 2 {
		t.Fatalf("detail %s: %v", r.Detail, err)
	}
	return detail.Calls
}
