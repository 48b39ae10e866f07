package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// declares is a report in one era.
func (s *server) declares(era string, items ...pin.Item) control.State {
	s.p.t.Helper()
	protocol := map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}[era]
	state, err := s.p.Report(s, control.Report{Era: era, Protocol: protocol, ServerInfo: json.RawMessage(`{"name":"w","version":"1 in ` + era + `"}`), Items: items})
	if err != nil {
		s.p.t.Fatal(err)
	}
	return state
}

// forms are the parts of an item with their eras.
func forms(it control.InboxItem) string {
	var words []string
	for _, p := range it.Parts {
		words = append(words, strings.TrimSuffix(fmt.Sprintf("%s=%s/%s", p.Item, p.State, p.Era), "/"))
	}
	return strings.Join(words, " ")
}

func TestWrappersOfTwoErasTakeNothingBackFromOneAnother(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	same, old, new := tool("a", "one"), tool("b", "two"), tool("b", "two, with more")
	only, alone := tool("c", "three"), tool("d", "four")
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	legacy.declares("legacy", same, old, only)
	modern.declares("modern", same, new, alone)
	first := p.item()
	if got := forms(first); got != "tool:a=new tool:b=new/legacy tool:b=new/modern tool:c=new/legacy tool:d=new/modern" || first.Title != "weather is new: 4 tools" {
		t.Fatalf("%s: %s", first.Title, got)
	}
	for range 3 {
		legacy.declares("legacy", same, old, only)
		modern.declares("modern", same, new, alone)
	}
	if again := p.item(); again.Code != first.Code {
		t.Fatalf("%s became %s, and nothing changed", first.Code, again.Code)
	}
	p.approve(first)
	for range 3 {
		for _, w := range []struct {
			*server
			era   string
			items []pin.Item
		}{{legacy, "legacy", []pin.Item{same, old, only}}, {modern, "modern", []pin.Item{same, new, alone}}} {
			state := w.declares(w.era, w.items...)
			for _, it := range []pin.Item{same, old, new, only, alone} {
				if !served(state, it) {
					t.Fatalf("%s is not served in the %s era: %+v", it.Key(), w.era, state.Items)
				}
			}
		}
		p.quiet()
	}
	if drift := p.records("drift"); len(drift) != 0 {
		t.Errorf("records of a drift: %+v", drift)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	q := open(t, home, nil)
	again := q.wrap("weather")
	if s := again.Last(t); !served(s, old) || !served(s, new) {
		t.Fatalf("before it reports, a wrapper gets both: %+v", s.Items)
	}
	again.declares("modern", same, new, alone)
	q.quiet()
	servers, err := q.Servers()
	if err != nil || servers[0].Allowed != 4 || servers[0].Blocked != 0 || len(servers[0].Items) != 5 {
		t.Errorf("%+v, %v", servers, err)
	}
}

func TestAnItemIsRemovedOnceNoEraDeclaresIt(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	a, b := tool("a", "one"), tool("b", "two")
	legacy.declares("legacy", a, b)
	modern.declares("modern", a, b)
	p.approve(p.item())
	state := func() string {
		servers, err := p.Servers()
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, it := range servers[0].Items {
			words = append(words, strings.TrimSuffix(fmt.Sprintf("%s=%s/%s", it.Item, it.State, it.Era), "/"))
		}
		return strings.Join(words, " ")
	}
	legacy.declares("legacy", a)
	if got := state(); got != "tool:a=approved tool:b=approved/modern" {
		t.Errorf("one era declares it: %s", got)
	}
	modern.declares("modern", a)
	if got := state(); got != "tool:a=approved tool:b=removed" {
		t.Errorf("none declares it: %s", got)
	}
	legacy.declares("legacy", a, b)
	if got := state(); got != "tool:a=approved tool:b=approved/legacy" {
		t.Errorf("it is back in one: %s", got)
	}
	p.quiet()
}

func TestAnApprovalCoversTheFormsThatWereShown(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.declares("legacy", old)
	p.approve(p.item())
	modern.declares("modern", new)
	it := p.item()
	if got := forms(it); got != "tool:a=changed/modern" {
		t.Fatal(got)
	}
	detail, err := p.Item(it.Code)
	if err != nil || len(detail.Details) != 1 || detail.Details[0].Era != "modern" || detail.Details[0].ApprovedEra != "legacy" || string(detail.Details[0].Approved) != string(old.Raw) || string(detail.Details[0].Definition) != string(new.Raw) {
		t.Fatalf("%+v, %v", detail, err)
	}
	if s := legacy.Last(t); s.Items["tool:a"].State != "approved" {
		t.Fatalf("the older form is allowed, and its wrapper is told %+v", s.Items["tool:a"])
	}
	if s := modern.Last(t); s.Items["tool:a"].State != "changed" || s.Items["tool:a"].Code != it.Code {
		t.Fatalf("the newer form waits, and its wrapper is told %+v", s.Items["tool:a"])
	}
	p.reject(it)
	if s := modern.Last(t); served(s, new) || s.Items["tool:a"].State != "rejected" {
		t.Fatalf("rejected: %+v", s.Items["tool:a"])
	}
	if s := legacy.Last(t); !served(s, old) {
		t.Fatalf("the rejection took the other form back: %+v", s.Items["tool:a"])
	}

	// Both change to the same: that is one form again, and takes the place of both.
	last := tool("a", "two")
	legacy.declares("legacy", last)
	modern.declares("modern", last)
	if it = p.item(); forms(it) != "tool:a=changed" {
		t.Fatal(forms(it))
	}
	p.approve(it)
	if s := modern.Last(t); !served(s, last) || served(s, old) || served(s, new) {
		t.Fatalf("%+v", s.Items["tool:a"])
	}
	p.quiet()
}

func TestOfTwoFormsTheCleanOneIsAllowedByAPlainApproval(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	clean, odd := tool("a", "one"), tool("a", hidden)
	legacy.declares("legacy", clean)
	modern.declares("modern", odd)
	decided := p.approve(p.item())
	if !slices.Equal(decided.Approved, []string{"tool:a"}) || !slices.Equal(decided.Left, []string{"tool:a"}) {
		t.Errorf("%+v", decided)
	}
	if s := modern.Last(t); !served(s, clean) || served(s, odd) {
		t.Fatalf("%+v", s.Items["tool:a"])
	}
	it := p.item()
	if forms(it) != "tool:a=changed/modern" {
		t.Fatal(forms(it))
	}
	p.approve(it, "tool:a")
	if s := modern.Last(t); !served(s, clean) || !served(s, odd) {
		t.Fatalf("a name covers what was shown under it: %+v", s.Items["tool:a"])
	}
}

func TestOneFormCanBeAllowedWithoutTheOther(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.declares("legacy", old)
	modern.declares("modern", new)
	p.approve(p.item(), "tool:a\x00modern")
	if s := modern.Last(t); served(s, old) || !served(s, new) {
		t.Fatalf("%+v", s.Items["tool:a"])
	}
}

func TestABlockAppliesToBothForms(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.declares("legacy", old)
	modern.declares("modern", new)
	p.approve(p.item())
	if _, err := p.Block(person, control.Block{Server: "weather", Items: []string{"tool:a"}}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*server{legacy, modern} {
		if s := w.Last(t); served(s, old) || served(s, new) || s.Items["tool:a"].State != "rejected" {
			t.Fatalf("%+v", s.Items["tool:a"])
		}
	}
	it := p.item()
	if forms(it) != "tool:a=rejected/legacy tool:a=rejected/modern" {
		t.Fatal(forms(it))
	}
	p.approve(it)
	if s := legacy.Last(t); !served(s, old) || !served(s, new) {
		t.Fatalf("%+v", s.Items["tool:a"])
	}
}

func TestWhatAnEarlierProgramDeclaredInTheOtherEraIsTakenBack(t *testing.T) {
	p := newPlace(t)
	legacy := p.met() // declares tool:a in the legacy era
	extra := tool("extra", "only before the update")
	legacy.report(tool("a", "one"), extra)
	if forms(p.item()) != "tool:extra=new" {
		t.Fatal(forms(p.item()))
	}
	p.Unregister(legacy)
	updated := p.wrap("weather")
	newer := tool("a", "one, newer")
	updated.declares("modern", newer)
	if got := forms(p.item()); got != "tool:a=changed/modern tool:extra=new/legacy" {
		t.Fatal(got)
	}
	updated.launch(true, newVersion)
	changed := slices.DeleteFunc(p.inboxNow(), func(it control.InboxItem) bool { return it.Kind != "changed" })
	if len(changed) != 1 || forms(changed[0]) != "tool:a=changed" {
		t.Fatalf("the update declares nothing of that any more: %+v", changed)
	}
	p.approve(changed[0])
	if s := updated.Last(t); !served(s, newer) || len(s.Items["tool:a"].Approved) != 1 {
		t.Fatalf("what the earlier program declared is still allowed: %+v", s.Items["tool:a"])
	}
}

func TestWhatAServerNoLongerSpeaksIsTakenBack(t *testing.T) {
	p := newPlace(t)
	first := p.wrap("weather")
	first.declares("legacy", tool("a", "one"))
	p.approve(p.item())
	first.declares("legacy", tool("a", "one"), tool("b", "pending in the older era"))
	p.Unregister(first)
	second := p.wrap("weather")
	second.speaks(control.Eras{Legacy: []string{}, Modern: newer})
	second.declares("modern", tool("a", "one"))
	p.quiet()
}

func TestAKilledHubKeepsWhatEachEraDeclared(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.speaks(control.Eras{Legacy: older})
	legacy.declares("legacy", old)
	modern.speaks(control.Eras{Modern: newer})
	modern.declares("modern", new)
	p.approve(p.item())
	legacy.declares("legacy", old, tool("b", "for older clients"))
	waits := p.item()
	killed := copyHome(t, home) // nothing of it was closed

	q := open(t, killed, nil)
	again := q.wrap("weather")
	again.knows(`{"legacy":["2025-11-25"],"modern":["2026-07-28"]}`)
	again.declares("modern", new)
	if it := q.item(); it.Code != waits.Code || forms(it) != "tool:b=new/legacy" {
		t.Fatalf("%s became %s: %s", waits.Code, it.Code, forms(it))
	}
	if s := again.Last(t); !served(s, old) || !served(s, new) {
		t.Fatalf("%+v", s.Items)
	}
}

func TestAStoreThatKnewOneEraLearnsOfTheOther(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	a, b := tool("a", "one"), tool("b", "two")
	w := p.wrap("weather")
	w.declares("legacy", a, b)
	p.approve(p.item())
	err := p.office.Updating(func(tx *store.Tx) error { // as an earlier version wrote it
		servers := tx.Servers()
		servers[0].InEra, servers[0].Eras = nil, nil
		return tx.PutServer(servers[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	q := open(t, home, nil)
	again := q.wrap("weather")
	if s := again.declares("modern", a, tool("c", "three")); !served(s, a) || !served(s, b) {
		t.Fatalf("%+v", s.Items)
	}
	if got := forms(q.item()); got != "tool:c=new/modern" {
		t.Fatal(got)
	}
	legacy := q.wrap("weather")
	legacy.declares("legacy", a, b)
	if got := forms(q.item()); got != "tool:c=new/modern" {
		t.Fatal(got)
	}
}

func TestAReviewDoesNotSayThatAClientAndAServerAgree(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	p.apart(w, `{"check":"versions","offered":["2026-07-28"],"asked":"2025-11-25"}`)
	if _, err := p.Report(w, control.Report{Era: "modern", Apart: true, Protocol: "2026-07-28", Items: []pin.Item{tool("a", "one")}}); err != nil {
		t.Fatal(err)
	}
	it := p.item() // it can be reviewed
	p.approve(it)
	servers, err := p.Servers()
	if err != nil || servers[0].State != "no_common_version" || len(p.said("SP-221")) != 1 {
		t.Fatalf("%+v, %v", servers, err)
	}
	w.declares("modern", tool("a", "one")) // the client goes on in that era
	if servers, err = p.Servers(); err != nil || servers[0].State != "open" || len(p.said("SP-221")) != 0 {
		t.Fatalf("%+v, %v", servers, err)
	}
}

func TestAnUndoTakesBackBothForms(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.declares("legacy", old, tool("b", "two"))
	modern.declares("modern", new, tool("b", "two"))
	it := p.item()
	p.approve(it)
	if _, err := p.Undo(it.Code); err != nil {
		t.Fatal(err)
	}
	if again := p.item(); again.Code != it.Code || forms(again) != "tool:a=new/legacy tool:a=new/modern tool:b=new" {
		t.Fatalf("%s became %s: %s", it.Code, again.Code, forms(again))
	}
	if s := modern.Last(t); served(s, old) || served(s, new) {
		t.Fatalf("%+v", s.Items)
	}
}

func TestFormsCountOnceWhereServersAreAllowedTogether(t *testing.T) {
	p := newPlace(t)
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, new := tool("a", "one"), tool("a", "one, newer")
	legacy.declares("legacy", old)
	modern.declares("modern", new)
	set, err := p.Clean(control.CleanQuery{})
	if err != nil || len(set.Items) != 1 || set.Items[0].Tools != 1 || len(set.Items[0].Parts) != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	if _, err := p.AllowClean(person, control.CleanQuery{Digest: set.Digest}); err != nil {
		t.Fatal(err)
	}
	if s := legacy.Last(t); !served(s, old) || !served(s, new) {
		t.Fatalf("%+v", s.Items)
	}
}

func TestOnFirstUseTheCleanFormsAreTrusted(t *testing.T) {
	p := newPlace(t)
	p.set("pins.first_use", "trust-clean")
	legacy, modern := p.wrap("weather"), p.wrap("weather")
	old, odd := tool("a", "one"), tool("a", hidden)
	if s := legacy.declares("legacy", old); !served(s, old) {
		t.Fatalf("%+v", s.Items)
	}
	if s := modern.declares("modern", odd); served(s, odd) || !served(s, old) {
		t.Fatalf("%+v", s.Items)
	}
	if got := forms(p.item()); got != "tool:a=changed/modern" {
		t.Fatal(got)
	}
}
