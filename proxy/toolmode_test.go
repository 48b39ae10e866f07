package proxy

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// modes sets tools.mode of single tools, by pin key.
func (r *rig) modes(of map[string]string) {
	r.gate.set(func(g *gatekeeper) {
		g.tools = map[string]map[string]string{}
		for item, mode := range of {
			g.tools[item] = map[string]string{"tools.mode": mode}
		}
	})
}

func TestAToolThatIsTurnedOffDoesNotExist(t *testing.T) {
	r := ready(t)
	listed := func(id string) bool { return slices.Contains(r.tools(id), "echo") }
	unknown := r.call("10", "ecHo2")
	r.modes(map[string]string{"tool:echo": "off"})
	if got := r.next(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the client is told %s", got)
	}
	if listed("11") {
		t.Error("it is listed")
	}
	reports := r.gate.reportCount()
	if got, want := r.call("12", "echo"), strings.NewReplacer("ecHo2", "echo", `"id":10`, `"id":12`).Replace(unknown); got != want {
		t.Errorf("a call of it:\n%s\na call of an unknown tool:\n%s", got, want)
	}
	if got := r.call("13", "add"); refused(got) {
		t.Errorf("another tool: %s", got)
	}
	if r.server.calls("echo") > 0 || r.gate.reportCount() != reports {
		t.Error("the server or the hub was told of the call")
	}
	r.records("why it was refused", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusBlocked && rec.Summary == "you turned this tool off"
	})
	r.modes(nil)
	if got := r.next(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the client is told %s", got)
	}
	if got := r.call("14", "echo"); refused(got) || !listed("15") {
		t.Errorf("once it is turned on again: %s", got)
	}
}

func TestTheNarrowestModeOfAToolWins(t *testing.T) {
	r := ready(t)
	r.gate.set(func(g *gatekeeper) {
		g.settings["tools.mode"] = "off"
		g.tools = map[string]map[string]string{"tool:add": {"tools.mode": "allow"}}
	})
	r.next()
	if got := r.tools("11"); slices.Contains(got, "echo") || !slices.Contains(got, "add") {
		t.Errorf("listed: %v", got)
	}
	if got := r.call("12", "echo"); !refused(got) {
		t.Errorf("echo: %s", got)
	}
	if got := r.call("13", "add"); refused(got) {
		t.Errorf("add: %s", got)
	}
}
