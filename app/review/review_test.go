package review

import (
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestWhereAnItemStands(t *testing.T) {
	medium := []inspect.Finding{{Rule: "x", Level: inspect.Medium}}
	collides := []inspect.Finding{{Rule: pin.NameCollision, Level: inspect.Critical}}
	for _, c := range []struct {
		name  string
		item  ItemFacts
		state vocab.PartState
		waits bool
	}{
		{"what nobody approved is new and waits", ItemFacts{Declared: "a"}, vocab.PartNew, true},
		{"the approved digest is approved", ItemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}}, vocab.PartApproved, false},
		{"a digest approved in the other era is approved", ItemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a", "b"}}, vocab.PartApproved, false},
		{"another digest is changed and waits", ItemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a"}}, vocab.PartChanged, true},
		{"findings do not take an approval away", ItemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}, Findings: medium}, vocab.PartApproved, false},
		{"a refused digest is rejected and waits for nobody", ItemFacts{Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Refused: []pin.Digest{"b"}}, vocab.PartRejected, false},
		{"a refused new item is rejected", ItemFacts{Declared: "b", Refused: []pin.Digest{"a", "b"}}, vocab.PartRejected, false},
		{"other content than the refused one is new again", ItemFacts{Declared: "c", Refused: []pin.Digest{"a", "b"}}, vocab.PartNew, true},
		{"what was blocked by hand waits as rejected", ItemFacts{Declared: "a", Known: true, Refused: []pin.Digest{"a"}, Held: true}, vocab.PartRejected, true},
		{"other content after a block is changed", ItemFacts{Declared: "b", Known: true, Refused: []pin.Digest{"a"}, Held: true}, vocab.PartChanged, true},
		{"what is declared no more is removed and waits for nobody", ItemFacts{Known: true, Approved: []pin.Digest{"a"}}, vocab.PartRemoved, false},
		{"a collision withholds even the approved digest", ItemFacts{Declared: "a", Known: true, Approved: []pin.Digest{"a"}, Findings: collides}, vocab.PartChanged, true},
		{"a collision of new items is new", ItemFacts{Declared: "a", Findings: collides}, vocab.PartNew, true},
		{"a refused collision waits no more", ItemFacts{Declared: "a", Refused: []pin.Digest{"a"}, Findings: collides}, vocab.PartRejected, false},
		{"no digest is never approved, not even by an empty pin", ItemFacts{Known: true, Approved: []pin.Digest{""}}, vocab.PartRemoved, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := judge(c.item)
			if j.State != c.state || j.Waits != c.waits {
				t.Fatalf("%s, waits %v; want %s, %v", j.State, j.Waits, c.state, c.waits)
			}
			if Withheld(c.item.Findings) && len(j.Approved) > 0 {
				t.Fatal("a withheld item is handed out as approved")
			}
		})
	}
}

func TestWhereAServerStands(t *testing.T) {
	critical := []inspect.Finding{{Rule: "x", Level: inspect.Critical}}
	looked := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ok := ItemFacts{Key: "tool:a", Declared: "a", Known: true, Approved: []pin.Digest{"a"}}
	for _, c := range []struct {
		name          string
		facts         Facts
		open, blocked bool
	}{
		{"nothing declared is not open", Facts{}, false, false},
		{"one approved item opens it", Facts{FirstUse: looked, Items: []ItemFacts{ok}}, true, false},
		{"and keeps it open when it can't be called now", Facts{FirstUse: looked, Items: []ItemFacts{{Key: "tool:a", Declared: "a", Known: true, Approved: []pin.Digest{"a"}, Findings: []inspect.Finding{{Rule: inspect.HeaderArgument, Level: inspect.Medium}}}}}, true, false},
		{"and keeps it open when it has no one reading now", Facts{FirstUse: looked, Items: []ItemFacts{{Key: "tool:a", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Findings: []inspect.Finding{{Rule: inspect.NoReading, Level: inspect.High}}}}}, true, false},
		{"a block by hand closes it", Facts{FirstUse: looked, Blocked: true, Items: []ItemFacts{ok}}, false, true},
		{"a Critical change blocks it whole", Facts{FirstUse: looked, Items: []ItemFacts{ok, {Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Findings: critical}}}, false, true},
		{"a new Critical item after the first look blocks it whole", Facts{FirstUse: looked, Items: []ItemFacts{ok, {Key: "tool:b", Declared: "b", FirstSeen: looked.Add(1), Findings: critical}}}, false, true},
		{"a Critical item left out at the first look does not", Facts{FirstUse: looked, Items: []ItemFacts{ok, {Key: "tool:b", Declared: "b", FirstSeen: looked, Findings: critical}}}, true, false},
		{"a rejected Critical change does not", Facts{FirstUse: looked, Items: []ItemFacts{ok, {Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"a"}, Refused: []pin.Digest{"b"}, Findings: critical}}}, true, false},
		{"an approved Critical item does not", Facts{FirstUse: looked, Items: []ItemFacts{{Key: "tool:b", Declared: "b", Known: true, Approved: []pin.Digest{"b"}, Findings: critical}}}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Of(c.facts)
			if r.Open != c.open || r.Blocked != c.blocked {
				t.Fatalf("open %v, blocked %v; want %v, %v", r.Open, r.Blocked, c.open, c.blocked)
			}
		})
	}
}

func TestWhatTwoProcessesDeclareIsMergedTowardsWhatIsNotApproved(t *testing.T) {
	approved := func(_ string, d pin.Digest) bool { return d == "ok" }
	d := func(digest pin.Digest) map[string]*Declaration {
		return map[string]*Declaration{"tool:a": {Key: "tool:a", Digest: digest}}
	}
	for _, c := range []struct {
		name     string
		sessions []map[string]*Declaration
		want     pin.Digest
	}{
		{"one process", []map[string]*Declaration{d("ok")}, "ok"},
		{"the newest report stands among unapproved ones", []map[string]*Declaration{d("new"), d("old")}, "new"},
		{"an unapproved one stands before an approved one that is newer", []map[string]*Declaration{d("ok"), d("odd")}, "odd"},
		{"and before one that is older", []map[string]*Declaration{d("odd"), d("ok")}, "odd"},
		{"what one process leaves out is still declared by the other", []map[string]*Declaration{{}, d("ok")}, "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Merge(c.sessions, approved)["tool:a"]; got == nil || got.Digest != c.want {
				t.Fatalf("got %+v, want %s", got, c.want)
			}
		})
	}
}
