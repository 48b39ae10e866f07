package control

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestAPlainRecordIsWrittenAsAnyOther(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 123456789, time.UTC)
	for _, r := range []Record{
		{ID: "a", Time: at, Kind: "tool_call", Status: "ok"},
		{ID: "a", Time: at, Kind: "tool_call", Status: "ok", Server: "s", Tool: "t", Code: "4F2A", Mode: "m", Summary: "it was run",
			Client: "c", Session: "x", Request: "r", DurationUS: -5, Bytes: 1 << 40, Prev: "p", Hash: "h"},
		{Time: at.In(time.FixedZone("", 3600)), Kind: "drift"},
		{},
	} {
		want, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := plainLine(&r); !bytes.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for name, r := range map[string]Record{
		"a detail":        {Detail: []byte(`{}`)},
		"a quote":         {Summary: `"`},
		"a backslash":     {Tool: `\`},
		"a line break":    {Summary: "a\nb"},
		"another script":  {Summary: "é"},
		"a year too late": {Time: at.AddDate(9000, 0, 0)},
		"one too long":    {Summary: strings.Repeat("x", maxRecord)},
	} {
		t.Run(name+" goes the long way", func(t *testing.T) {
			if got := plainLine(&r); got != nil {
				t.Errorf("got %.100s", got)
			}
		})
	}
}

func TestCallsJoinOnlyWhereThereAreTooManyToKeep(t *testing.T) {
	o := newOutbox(t.TempDir(), Register{}, func() *SpoolKey { return nil }, maxSpool, nil)
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	call := func(tool, status string) {
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
