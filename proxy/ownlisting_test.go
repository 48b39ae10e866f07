package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func (r *rig) chosen(where string) { r.gate.set(func(g *gatekeeper) { g.ownTools = where }) }

// listsOurs lists the tools and reports whether ours are among them. The server's must all be there.
func (r *rig) listsOurs(id string) bool {
	r.t.Helper()
	names := r.tools(id)
	ours := slices.Contains(names, toolApprove) && slices.Contains(names, toolRelease)
	if want := 2; ours {
		want += 2
		if len(names) != want {
			r.t.Errorf("listed: %v", names)
		}
	} else if len(names) != want {
		r.t.Errorf("listed: %v", names)
	}
	return ours
}

func TestOurToolsAreListedWhereTheHubHasThemAndAnsweredEverywhere(t *testing.T) {
	for setting, want := range map[string]map[string]bool{
		"once":    {"": true, control.OwnToolsHere: true, control.OwnToolsThere: false},
		"always":  {"": true, control.OwnToolsHere: true, control.OwnToolsThere: true, control.OwnToolsLater: true},
		"waiting": {"": false, control.OwnToolsHere: false, control.OwnToolsThere: false},
	} {
		for where, lists := range want {
			r := newRig(t, approveAll, func(r *rig) { r.gate.settings["own_tools"], r.gate.ownTools = setting, where })
			r.initialize()
			if got := r.listsOurs("1"); got != lists {
				t.Errorf("%s, %q: listed %t", setting, where, got)
			}
			if got := r.call("2", toolApprove); !strings.Contains(got, "Nothing needs") {
				t.Errorf("%s, %q: %s", setting, where, got)
			}
		}
	}
}

func TestAClientHearsOnceThatOurToolsAreListedElsewhere(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) { r.gate.ownTools = control.OwnToolsThere })
	r.initialize()
	if r.listsOurs("1") {
		t.Error("another wrapper lists them")
	}
	r.chosen(control.OwnToolsHere)
	if got := r.next(); got != toolsChanged {
		t.Errorf("after it was named the client heard %s", got)
	}
	r.gate.push()
	r.gate.push()
	r.quiet("it was told")
	if !r.listsOurs("2") {
		t.Error("it was named and does not list them")
	}
	r.chosen(control.OwnToolsThere)
	if got := r.next(); got != toolsChanged {
		t.Errorf("after another was named the client heard %s", got)
	}
	r.chosen(control.OwnToolsLater) // a hub that came back chooses again; nothing changes yet
	r.chosen(control.OwnToolsThere)
	r.eventually("all states were taken", func() bool { return r.s.view().State.OwnTools == control.OwnToolsThere })
}

func TestAFirstListingWaitsForTheChoiceAndNothingElseDoes(t *testing.T) {
	for _, where := range []string{control.OwnToolsHere, control.OwnToolsThere} {
		r := newRig(t, approveAll, func(r *rig) { r.gate.ownTools = control.OwnToolsLater })
		r.initialize()
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		r.eventually("the listing waits", r.s.listings.own.pending)
		if r.s.listings.awaitsChoice(r.s.view(), &request{method: methodListTools, cursor: "2"}, nil) || r.s.listings.awaitsChoice(r.s.view(), &request{method: methodListPrompts}, nil) {
			t.Error("another page, or another listing, waits with it")
		}
		if got := r.call("2", "echo"); !strings.Contains(got, "ok echo") {
			t.Error(got)
		}
		r.chosen(where)
		if got := r.answerTo("1"); strings.Contains(got, toolApprove) != (where == control.OwnToolsHere) || !strings.Contains(got, `"name":"echo"`) {
			t.Errorf("%s: %s", where, got)
		}
		r.quiet("there is nothing to say beside")
	}
}

func TestAListingDoesNotWaitLongForAChoiceThatDoesNotCome(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) { r.gate.ownTools = control.OwnToolsLater })
	r.initialize()
	if !r.listsOurs("1") {
		t.Error("where nobody says who lists our tools each wrapper does")
	}
	r.chosen(control.OwnToolsThere)
	if got := r.next(); got != toolsChanged {
		t.Errorf("the client heard %s", got)
	}
}

func TestAListingThatWaitsIsAnsweredWhenItsServerEnds(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) { r.gate.ownTools = control.OwnToolsLater })
	r.initialize()
	for i := range 3 {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+1))
	}
	r.eventually("they wait", func() bool {
		r.s.listings.own.mu.Lock()
		defer r.s.listings.own.mu.Unlock()
		return len(r.s.listings.own.waiting) == 3
	})
	r.s.AnswerAll("exit status 3")
	for i := range 3 {
		if got := r.answerTo(fmt.Sprint(i + 1)); !strings.Contains(got, "exit status 3") {
			t.Error(got)
		}
	}
}
