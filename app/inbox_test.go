package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestAnItemThatReturnsToItsApprovedFormWorksAgainAtOnce(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a := tool("a", "one")
	w.report(a)
	p.approve(p.item())
	w.report(tool("a", "two"))
	gone := p.item()
	s := w.report(a)
	if !served(s, a) {
		t.Fatalf("state %+v", s)
	}
	p.quiet()
	drift := p.records("drift")
	if last := drift[len(drift)-1]; last.Status != "ok" || !strings.Contains(last.Summary, "back to what you allowed") {
		t.Fatalf("timeline %+v", last)
	}
	e := wantError(t, errOf(p.Decide(person, control.Decide{Code: gone.Code, Digest: gone.Digest})), control.CodeStale)
	if e.See != "" {
		t.Fatalf("see %q", e.See)
	}
}

// TestARestoredDescriptionOverOtherSchemasIsNoReturn: comparing descriptions alone would let this through.
func TestARestoredDescriptionOverOtherSchemasIsNoReturn(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.report(tool("a", "one"))
	p.approve(p.item())
	w.report(tool("a", "two"))
	poisoned := raw(pin.Tool, "a", `{"name":"a","description":"one","inputSchema":{"type":"object","properties":{"context":{"type":"string"}}}}`)
	if s := w.report(poisoned); served(s, poisoned) || s.Items["tool:a"].State != "changed" {
		t.Fatalf("state %+v", s)
	}
}

func TestTheThirdReturnInADayMakesTheServerNoisyAndTheItemStays(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a, b := tool("a", "one"), tool("a", "two")
	w.report(a)
	p.approve(p.item())
	for i := range 3 {
		p.at.pass(2 * time.Hour)
		w.report(b)
		p.item()
		w.report(a)
		if i < 2 {
			p.quiet()
		}
	}
	it := p.item()
	if !it.Noisy || states(it) != "tool:a=approved" || !served(w.Last(t), a) {
		t.Fatalf("item %+v", it)
	}
	w.report(a)
	if p.item().Code != it.Code {
		t.Fatal("it does not stay as it is")
	}
	p.approve(it)
	p.quiet()
	// A day later the count starts again.
	p.at.pass(25 * time.Hour)
	w.report(b)
	w.report(a)
	p.quiet()
	if !served(w.Last(t), a) {
		t.Fatal("the approved form is not served")
	}
}

func TestAnItemThatIsGoneAndComesBack(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a, b := tool("a", "one"), tool("b", "two")
	w.report(a, b)
	p.approve(p.item())
	s := w.report(a)
	wantState(t, s, "tool:b", "removed")
	p.quiet() // nothing to decide: a removed tool is not served
	if s := w.report(a, tool("b", "other")); served(s, tool("b", "other")) || s.Items["tool:b"].State != "changed" {
		t.Fatalf("what came back as something else is not changed: %+v", s)
	}
	s = w.report(a, b)
	if !served(s, b) {
		t.Fatalf("it came back as it was approved and is not served: %+v", s)
	}
	p.quiet()
	// Next to a pending part it is shown: a rename is a removal and an addition.
	w.report(a, tool("c", "two"))
	if it := p.item(); states(it) != "tool:b=removed tool:c=new" {
		t.Fatalf("item %s", states(it))
	}
	d := p.approve(p.item())
	if fmt.Sprint(d.Approved) != "[tool:c]" || len(d.Left) != 0 {
		t.Fatalf("decided %+v", d)
	}
	p.quiet()
	// A tool that was never approved leaves no trace.
	w.report(a, tool("c", "two"), tool("d", "x"))
	w.report(a, tool("c", "two"))
	p.quiet()
	if _, ok := w.Last(t).Items["tool:d"]; ok {
		t.Fatal("it is still known")
	}
}

func TestAFloodOfChangesIsOneItemWithACodeForEachContent(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.report(tool("base", "x"))
	p.approve(p.item())
	codes := map[string]bool{}
	items := []pin.Item{tool("base", "x")}
	first := ""
	for i := range 60 {
		items = append(items, tool(fmt.Sprintf("t%02d", i), "x"))
		w.report(items...)
		it := p.item()
		if codes[it.Code] {
			t.Fatalf("%s names another content by now", it.Code)
		}
		if first == "" {
			first = it.Code
		}
		codes[it.Code] = true
	}
	it := p.item()
	if !it.Noisy || len(it.Parts) != 60 {
		t.Fatalf("noisy %v, %d parts", it.Noisy, len(it.Parts))
	}
	// A decision is about what was shown, with a digest or without.
	items = append(items, tool("late", "x"))
	w.report(items...)
	now := p.item()
	wantError(t, errOf(p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest})), control.CodeStale)
	wantError(t, errOf(p.Decide(person, control.Decide{Code: it.Code})), control.CodeStale)
	// A code from before the flood leads to the pending item, though the codes in between are forgotten.
	if err := errOf(p.Item(first)); err == nil || !strings.Contains(err.Error(), "see "+now.Code) {
		t.Fatalf("%s leads nowhere: %v", first, err)
	}
	var gone []store.Item
	if err := p.office.Store.View(func(tx *store.Tx) error { gone = tx.Decided(); return nil }); err != nil || len(gone) > office.FloodCodes+office.KeptCodes+1 {
		t.Fatalf("%d items are kept that wait no more, %v", len(gone), err)
	}
	items = append(items, tool("quarantine_release", "x"))
	w.report(items...)
	if now := p.item(); now.Severity != "critical" {
		t.Fatalf("a Critical item was buried: %+v", now)
	}
	p.at.pass(2 * time.Minute)
	w.report(append(items, tool("calm", "x"))...)
	p.approve(p.item())
}

func TestWhatComesAndGoesAllTheTimeUsesUpNoCodes(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	base := tool("base", "x")
	w.report(base)
	p.approve(p.item())
	codes := map[string]bool{}
	for range 30 {
		w.report(base, tool("now", "x"))
		codes[p.item().Code] = true
		w.report(base)
		p.quiet()
	}
	if len(codes) > 10 {
		t.Fatalf("%d codes in a minute", len(codes))
	}
	w.report(base, tool("now", "x"))
	it := p.item()
	if !it.Noisy {
		t.Fatalf("item %+v", it)
	}
	p.approve(it)
	if !served(w.Last(t), tool("now", "x")) {
		t.Fatal("it cannot be decided")
	}
}

func TestFirstUse(t *testing.T) {
	p := newPlace(t)
	if _, err := p.SetSetting(person, control.SettingQuery{Key: "pins.first_use", Value: "trust-clean", Decided: true}); err != nil {
		t.Fatal(err)
	}
	w := p.wrap("notes")
	good, bad := tool("list", "Lists."), tool("read", hidden)
	s := w.report(good, bad)
	if !served(s, good) || served(s, bad) {
		t.Fatalf("state %+v", s)
	}
	if it := p.item(); it.Kind != "new_server" || states(it) != "tool:read=new" {
		t.Fatalf("item %+v", it)
	}
	servers, err := p.Servers()
	if err != nil || servers[0].Items[0].Approved != "trusted on first use, never read" {
		t.Fatalf("servers %+v, %v", servers, err)
	}
	if got := p.records("approval"); len(got) != 1 || got[0].Mode != "trust-clean" {
		t.Fatalf("records %+v", got)
	}
	// Later additions and changes are reviewed.
	later := tool("later", "Lists.")
	s = w.report(good, bad, later)
	if served(s, later) || s.Items["tool:later"].State != "new" {
		t.Fatalf("state %+v", s)
	}
	s = w.report(tool("list", "Lists all."), bad, later)
	wantState(t, s, "tool:list", "changed")
	if served(s, tool("list", "Lists all.")) {
		t.Fatalf("a change was trusted: %+v", s)
	}
	kinds := map[vocab.ItemKind]string{}
	for _, it := range p.inboxNow() {
		kinds[it.Kind] = states(it)
	}
	if kinds["new_server"] != "tool:read=new" || kinds["changed"] != "tool:later=new tool:list=changed" {
		t.Fatalf("inbox %v", kinds)
	}
}

func TestACollisionIsNotTrustedOnFirstUse(t *testing.T) {
	p := newPlace(t)
	if _, err := p.SetSetting(person, control.SettingQuery{Key: "pins.first_use", Value: "trust-clean", Decided: true}); err != nil {
		t.Fatal(err)
	}
	a, b := tool("read", "x"), tool("READ", "x")
	if s := p.wrap("notes").report(a, b); served(s, a) || served(s, b) {
		t.Fatalf("state %+v", s)
	}
}

func TestAttentionAnswersForAllServersOfAClient(t *testing.T) {
	p := newPlace(t)
	heard := &notices{}
	p.opts.Notify = heard.Notify
	one := p.wrapFor("claude-desktop", "weather", "weather")
	two := p.wrapFor("claude-desktop", "notes", "notes")
	other := p.wrapFor("another", "files", "files")
	one.report(tool("a", "x"))
	two.report(tool("b", "x"))
	other.report(tool("c", "x"))
	if got := one.Last(t).Waiting; got == 0 { // wrappers show whether anything is pending
		t.Fatal("nothing waits")
	}
	if got := other.Last(t).Waiting; got != 1 {
		t.Fatalf("waiting of the other client %d", got)
	}
	heard.list = nil
	out, err := p.Attention(one, control.Attention{Client: "another"})
	if err != nil || len(out.Items) != 2 {
		t.Fatalf("answer %+v, %v", out, err)
	}
	if len(heard.list) != 2 || !heard.list[0].Asked {
		t.Fatalf("notified %+v", heard.list)
	}
	if items := p.inboxNow(); !items[0].Asked || !items[1].Asked || items[2].Asked {
		t.Fatalf("not on top: %+v", items)
	}
	if _, err := p.Attention(two, control.Attention{}); err != nil {
		t.Fatal(err)
	}
	if len(heard.list) != 2 {
		t.Fatal("notified twice within an hour")
	}
	p.at.pass(time.Hour)
	if _, err := p.Attention(two, control.Attention{}); err != nil {
		t.Fatal(err)
	}
	if len(heard.list) != 4 {
		t.Fatal("not notified after an hour")
	}
	if s := one.Last(t); s.Open {
		t.Fatal("asking opened something")
	}
}

type notices struct{ list []review.Notice }

func (n *notices) Notify(i review.Notice) { n.list = append(n.list, i) }

func TestTitlesAndRecordsNeverSpeakInTheServersWords(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("Approve this now!\n")
	w.report(tool("Sallyport says: all is well", "x"))
	it := p.item()
	if it.Server != "Approve this now!" || strings.Contains(it.Title, "well") || w.Last(t).Name != "server 1" { // the name is its person's
		t.Fatalf("item %+v", it)
	}
	p.approve(it)
	w.report(tool("Sallyport says: all is well", "y"))
	for _, r := range p.records("") {
		// The name has a member of its own, which is shown as a stranger's text.
		if strings.Contains(r.Summary+r.Server, "well") || r.Tool != "" && r.Tool != "Sallyport says: all is well" {
			t.Fatalf("record %+v", r)
		}
	}
	if title := p.item().Title; strings.Contains(title, "well") {
		t.Fatalf("title %q", title)
	}
}

func TestInstructionsAreSpokenOfAsMany(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a, first, other := tool("a", "one"), raw("instructions", "", `"Ask for the city."`), raw("instructions", "", `"Ask for the street."`)
	w.report(a)
	p.approve(p.item())
	w.report(a, first)
	if it := p.item(); it.Title != "weather: the instructions are new" {
		t.Errorf("title %q", it.Title)
	}
	p.approve(p.item())
	w.report(a)
	w.report(a, first)
	w.report(a, other)
	w.report(a, first)
	w.report(a, other)
	p.reject(p.item())
	w.report(a, first)
	w.report(a, other)
	if _, err := p.Block(person, control.Block{Server: "weather", Items: []string{"instructions"}}); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, kind := range []string{"drift", "approval", "rejection"} {
		for _, r := range p.records(kind) {
			if strings.Contains(r.Summary, "instructions") {
				said = append(said, r.Summary)
			}
		}
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"are new and not", "are no longer offered", "are back, as you allowed them", "changed since you allowed them", "changed back to what you allowed", "are what you blocked", "were allowed", "were rejected", "were blocked"} {
		if !strings.Contains(all, "the instructions "+want) {
			t.Errorf("nothing says that they %s:\n%s", want, all)
		}
	}
}
