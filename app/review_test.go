package app

import (
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

func TestWhereAnItemStands(t *testing.T) {
	medium := []inspect.Finding{{Rule: "x", Level: inspect.Medium}}
	collides := []inspect.Finding{{Rule: pin.NameCollision, Level: inspect.Critical}}
	for _, c := range []struct {
		name  string
		item  itemFacts
		state string
		waits bool
	}{
		{"what nobody approved is new and waits", itemFacts{Declared: "a"}, stateNew, true},
		{"the approved digest is approved", itemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}}, stateApproved, false},
		{"a digest approved in the other era is approved", itemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a", "b"}}, stateApproved, false},
		{"another digest is changed and waits", itemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a"}}, stateChanged, true},
		{"findings do not take an approval away", itemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}, Findings: medium}, stateApproved, false},
		{"a refused digest is rejected and waits for nobody", itemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Refused: []pin.Digest{"b"}}, stateRejected, false},
		{"a refused new item is rejected", itemFacts{Declared: "b", Refused: []pin.Digest{"a", "b"}}, stateRejected, false},
		{"other content than the refused one is new again", itemFacts{Declared: "c", Refused: []pin.Digest{"a", "b"}}, stateNew, true},
		{"what was blocked by hand waits as rejected", itemFacts{Declared: "a", Known: true, Refused: []pin.Digest{"a"}, Held: true}, stateRejected, true},
		{"other content after a block is changed", itemFacts{Declared: "b", Known: true, Refused: []pin.Digest{"a"}, Held: true}, stateChanged, true},
		{"what is declared no more is removed and waits for nobody", itemFacts{Known: true, Approved: []pin.Digest{"a"}}, stateRemoved, false},
		{"a collision withholds even the approved digest", itemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}, Findings: collides}, stateChanged, true},
		{"a collision of new items is new", itemFacts{Declared: "a", Findings: collides}, stateNew, true},
		{"a refused collision waits no more", itemFacts{Declared: "a", Refused: []pin.Digest{"a"}, Findings: collides}, stateRejected, false},
		{"no digest is never approved, not even by an empty pin", itemFacts{Known: true, Approved: []pin.Digest{""}}, stateRemoved, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := judge(c.item)
			if j.State != c.state || j.Waits != c.waits {
				t.Fatalf("%s, waits %v; want %s, %v", j.State, j.Waits, c.state, c.waits)
			}
			if withheld(c.item.Findings) && len(j.Approved) > 0 {
				t.Fatal("a withheld item is handed out as approved")
			}
		})
	}
}

func TestWhereAServerStands(t *testing.T) {
	critical := []inspect.Finding{{Rule: "x", Level: inspect.Critical}}
	looked := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ok := itemFacts{Key: "tool:a", Declared: "a", Known: true, Approved: []pin.Digest{"a"}}
	for _, c := range []struct {
		name          string
		facts         serverFacts
		open, blocked bool
	}{
		{"nothing declared is not open", serverFacts{}, false, false},
		{"one approved item opens it", serverFacts{FirstUse: looked, Items: []itemFacts{ok}}, true, false},
		{"and keeps it open when it has no one reading now", serverFacts{FirstUse: looked, Items: []itemFacts{{Key: "tool:a", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Findings: []inspect.Finding{{Rule: inspect.NoReading, Level: inspect.High}}}}}, true, false},
		{"a block by hand closes it", serverFacts{FirstUse: looked, Blocked: true, Items: []itemFacts{ok}}, false, true},
		{"a Critical change blocks it whole", serverFacts{FirstUse: looked, Items: []itemFacts{ok, {Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Findings: critical}}}, false, true},
		{"a new Critical item after the first look blocks it whole", serverFacts{FirstUse: looked, Items: []itemFacts{ok, {Key: "tool:b", Declared: "b", FirstSeen: looked.Add(1), Findings: critical}}}, false, true},
		{"a Critical item left out at the first look does not", serverFacts{FirstUse: looked, Items: []itemFacts{ok, {Key: "tool:b", Declared: "b", FirstSeen: looked, Findings: critical}}}, true, false},
		{"a rejected Critical change does not", serverFacts{FirstUse: looked, Items: []itemFacts{ok, {Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Refused: []pin.Digest{"b"}, Findings: critical}}}, true, false},
		{"an approved Critical item does not", serverFacts{FirstUse: looked, Items: []itemFacts{{Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"b"}, Findings: critical}}}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(c.facts)
			if r.Open != c.open || r.Blocked != c.blocked {
				t.Fatalf("open %v, blocked %v; want %v, %v", r.Open, r.Blocked, c.open, c.blocked)
			}
		})
	}
}

func TestWhatTwoProcessesDeclareIsMergedTowardsWhatIsNotApproved(t *testing.T) {
	approved := func(_ string, d pin.Digest) bool { return d == "ok" }
	d := func(digest pin.Digest) map[string]*declaration {
		return map[string]*declaration{"tool:a": {Key: "tool:a", Digest: digest}}
	}
	for _, c := range []struct {
		name     string
		sessions []map[string]*declaration
		want     pin.Digest
	}{
		{"one process", []map[string]*declaration{d("ok")}, "ok"},
		{"the newest report stands among unapproved ones", []map[string]*declaration{d("new"), d("old")}, "new"},
		{"an unapproved one stands before an approved one that is newer", []map[string]*declaration{d("ok"), d("odd")}, "odd"},
		{"and before one that is older", []map[string]*declaration{d("odd"), d("ok")}, "odd"},
		{"what one process leaves out is still declared by the other", []map[string]*declaration{{}, d("ok")}, "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := merge(c.sessions, approved)["tool:a"]; got == nil || got.Digest != c.want {
				t.Fatalf("got %+v, want %s", got, c.want)
			}
		})
	}
}
