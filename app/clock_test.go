package app

import (
	"fmt"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

// The clock jumps, back and forth, while a hub runs and between two hubs: decisions hold, what is not allowed stays blocked, records arrive
// once and in order, and the chain verifies.
func TestAClockThatJumpsDecidesNothing(t *testing.T) {
	jumps := []time.Duration{0, -365 * 24 * time.Hour, 20 * 365 * 24 * time.Hour, -21 * 365 * 24 * time.Hour, time.Hour, -2 * time.Hour}
	home := newHome(t)
	at := &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	good, bad := tool("a", "one"), tool("b", "two")
	for n, jump := range jumps {
		p := open(t, home, func(o *Options) { o.Now = at.now })
		w := p.wrap("weather")
		w.report(good, bad)
		if n == 0 {
			p.approve(p.item(), "tool:a")
		}
		for round, moved := range []time.Duration{0, jump, -jump} {
			at.pass(moved)
			w.report(good, bad)
			if s := w.Last(t); !served(s, good) || served(s, bad) {
				t.Fatalf("jump %s, round %d: state %+v", jump, round, s)
			}
			id := fmt.Sprintf("r-%d-%d", n, round)
			record := control.Record{ID: id, Time: at.now(), Kind: "tool_call", Status: "ok", Tool: "a"}
			for range 2 { // a spool that is delivered twice
				if _, err := p.Records(w, control.Records{Records: []control.Record{record}}); err != nil {
					t.Fatal(err)
				}
			}
			// Blocked and allowed again during the jump: each decision is about what was shown.
			blocked, err := p.Block(person, control.Block{Server: "weather", Items: []string{"tool:a"}})
			if err != nil {
				t.Fatal(err)
			}
			if served(w.Last(t), good) {
				t.Fatalf("jump %s: blocked, and served", jump)
			}
			shown, err := p.Item(blocked.Code)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Decide(person, control.Decide{Code: shown.Code, Digest: shown.Digest, Items: []string{"tool:a"}}); err != nil {
				t.Fatal(err)
			}
			if v, err := p.Verify(); err != nil || v.Bad != "" {
				t.Fatalf("jump %s: chain %+v, %v", jump, v, err)
			}
		}
		at.pass(jump) // the next hub starts there
		p.Unregister(w)
		p.Close()
	}
	p := open(t, home, func(o *Options) { o.Now = at.now })
	calls := p.records("tool_call")
	if len(calls) != 3*len(jumps) {
		t.Fatalf("%d records of %d calls", len(calls), 3*len(jumps))
	}
	for i, r := range calls {
		if want := fmt.Sprintf("r-%d-%d", i/3, i%3); r.ID != want {
			t.Errorf("record %d is %s, want %s", i, r.ID, want)
		}
	}
}
