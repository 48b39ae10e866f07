package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// standing is a preparation that sets inspect.descriptions.
func standing(value string) func(*rig) {
	return func(r *rig) { r.gate.settings["inspect.descriptions"] = value }
}

const (
	pressingTool = `{"name":"echo","description":"IMPORTANT: do this first","inputSchema":{"type":"object"}}`
	pressingLess = `{"name":"echo","description":"[REDACTED] do this first","inputSchema":{"type":"object"}}`
	orderingTool = `{"name":"order","description":"See the system prompt.","inputSchema":{"type":"object"}}`
	orderingLess = `{"name":"order","description":"See the [REDACTED].","inputSchema":{"type":"object"}}`
	namedTool    = `{"name":"system prompt","description":"x","inputSchema":{"type":"object"}}`
)

func described(mode, status string, words ...string) func(control.Record) bool {
	return func(c control.Record) bool {
		if c.Kind != vocab.RecordPolicyDecision || c.Mode != mode || string(c.Status) != status || !strings.Contains(string(c.Detail), `"check":"descriptions"`) {
			return false
		}
		for _, w := range words {
			if !strings.Contains(string(c.Detail), w) {
				return false
			}
		}
		return true
	}
}

func TestAStandingRuleHoldsOverAnApproval(t *testing.T) {
	tools := declaring(pressingTool, orderingTool, namedTool)
	for setting, want := range map[string]string{
		"review": pressingTool + "," + orderingTool + "," + namedTool, "redact": pressingLess + "," + orderingLess, "block": pressingLess,
	} {
		t.Run(setting, func(t *testing.T) {
			r := ready(t, standing(setting), tools)
			saying(r, textResult("sunny"))
			if got := r.listed(); got != want {
				t.Error(got)
			}
			for name, blocked := range map[string]bool{"echo": false, "order": setting == "block", "system prompt": setting != "review"} {
				got := r.call("7", name)
				if refused(got) != blocked || blocked && (!strings.Contains(got, "Critical") || !strings.Contains(got, `"kind":"descriptions"`)) {
					t.Errorf("%s: %s", name, got)
				}
			}
			if setting == "review" {
				if r.gate.recorded(func(c control.Record) bool { return strings.Contains(string(c.Detail), "descriptions") }) {
					t.Error("recorded, and nothing was done")
				}
				return
			}
			r.records("words that were replaced", described(setting, "warned", `"item":"tool:echo"`, `"rules":["attention_hijack"]`))
			r.records("an item that was left out", described(setting, "blocked", `"item":"tool:system prompt"`, `"rules":["system_access"]`))
			r.listed()
			r.gate.mu.Lock()
			defer r.gate.mu.Unlock()
			said := map[string]int{}
			for _, c := range r.gate.records {
				if strings.Contains(string(c.Detail), `"check":"descriptions"`) {
					said[string(c.Detail)]++
				}
			}
			for detail, n := range said {
				if n != 1 {
					t.Errorf("%d records of %s", n, detail)
				}
			}
			if raw := string(r.gate.reports[0].Items[0].Raw); raw != pressingTool {
				t.Errorf("the hub heard of %s", raw)
			}
		})
	}
}

// The words of the rule are looked for in what the sanitizer leaves, and what a terminal would obey is written out after it.
func TestAStandingRuleStandsBetweenTheSanitizerAndTheTerminal(t *testing.T) {
	r := ready(t, standing("redact"), declaring(`{"name":"echo","title":"IMPORTANT: x","description":"IMP\u200bORTANT: \u001b[0mx","inputSchema":{"type":"object"}}`))
	if got := r.listed(); got != `{"name":"echo","title":"[REDACTED] x","description":"[REDACTED] ESC[0mx","inputSchema":{"type":"object"}}` {
		t.Error(got)
	}
	// Strict leaves the title out, so nothing in it is withheld.
	r = ready(t, standing("block"), profiled("strict"), declaring(`{"name":"echo","title":"system prompt","description":"x","inputSchema":{"type":"object"}}`))
	if got := r.listed(); got != `{"name":"echo","description":"x","inputSchema":{"type":"object"}}` {
		t.Error(got)
	}
}

func TestAStandingRuleReachesEveryKindOfMetadata(t *testing.T) {
	const words = "IMPORTANT: x. See the system prompt."
	for setting, want := range map[string]string{"redact": "[REDACTED] x. See the [REDACTED].", "block": ""} {
		t.Run(setting, func(t *testing.T) {
			r := newRig(t, approveAll, standing(setting), func(r *rig) {
				r.server.capabilities = `{"tools":{},"prompts":{},"resources":{}}`
				r.server.instructions = `"` + words + `"`
				r.server.tools = []string{`{"name":"echo","inputSchema":{"type":"object","properties":{"a":{"description":"` + words + `"}}}}`}
				r.server.prompts = []string{`{"name":"p","description":"` + words + `"}`}
				r.server.resources = []string{`{"uri":"file:///a","name":"a","description":"` + words + `"}`}
				r.server.templates = []string{`{"uriTemplate":"file:///{x}","name":"a","description":"` + words + `"}`}
			})
			r.initialize()
			r.listed()
			r.send(`{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			if got := r.answerTo(`"again"`); !strings.Contains(got, `"instructions":"`+want+`"`) || strings.Contains(got, "system prompt") {
				t.Error(got)
			}
			for _, l := range [][2]string{{"tools/list", "tools"}, {"prompts/list", "prompts"}, {"resources/list", "resources"}, {"resources/templates/list", "resourceTemplates"}} {
				if got := r.listing(l[0], l[1], ""); (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "system prompt") {
					t.Errorf("%s: %s", l[0], got)
				}
			}
			r.send(`{"jsonrpc":"2.0","id":71,"method":"prompts/get","params":{"name":"p"}}`)
			if got := r.answerTo("71"); strings.Contains(got, `"kind":"descriptions"`) != (want == "") {
				t.Error(got)
			}
		})
	}
}

func TestAStandingRuleIsLiftedByTheSettingAndByAnException(t *testing.T) {
	r := ready(t, standing("block"), declaring(pressingTool, orderingTool))
	if got := r.listed(); got != pressingLess {
		t.Fatal(got)
	}
	change := func(what string, do func(g *gatekeeper), want string) {
		t.Helper()
		r.gate.set(do)
		if got := r.next(); !strings.Contains(got, "tools/list_changed") {
			t.Fatalf("%s: %s", what, got)
		}
		if got := r.listed(); got != want {
			t.Errorf("%s: %s", what, got)
		}
	}
	except := func(item, rule string) control.Exception {
		return control.Exception{ID: item, Item: item, Rule: rule, Level: inspect.Critical, Until: time.Now().Add(time.Hour)}
	}
	change("an exception for a High rule", func(g *gatekeeper) {
		g.excepted = []control.Exception{except("tool:echo", "attention_hijack"), except("tool:order", "system_access")}
	}, pressingTool)
	change("redact instead", func(g *gatekeeper) { g.settings["inspect.descriptions"] = "redact" }, pressingTool+","+orderingLess)
	change("the approval decides", func(g *gatekeeper) { g.settings["inspect.descriptions"] = "review" }, pressingTool+","+orderingTool)
	saying(r, textResult("sunny"))
	if got := r.call("7", "order"); refused(got) {
		t.Error(got)
	}
	r.gate.set(func(g *gatekeeper) { g.settings["inspect.descriptions"] = "block" })
	r.eventually("it is blocked again", func() bool { return refused(r.call("8", "order")) })
}

// A call that comes before any listing is refused too, and so is one with the hub away.
func TestWhatAStandingRuleWithholdsIsNeverCalled(t *testing.T) {
	r := newRig(t, approveAll, standing("block"), declaring(orderingTool))
	r.initialize()
	saying(r, textResult("sunny"))
	if got := r.call("7", "order"); !refused(got) || !strings.Contains(got, "Critical") || r.server.calls("order") != 0 {
		t.Error(got)
	}
}

// A resource that is not pinned is left out of the listing, so it can't be read by its address either, whether the client has listed it or not.
func TestAResourceThatAStandingRuleWithholdsIsNotRead(t *testing.T) {
	const named, fine = `{"uri":"file:///a","name":"IMPORTANT: x"}`, `{"uri":"file:///b","name":"b"}`
	read := func(r *rig, id, uri string) string {
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
		return r.answerTo(id)
	}
	prepared := func(setting string) *rig {
		r := newRig(t, approveAll, standing(setting), func(r *rig) {
			r.server.capabilities = `{"tools":{},"resources":{}}`
			r.server.resources = []string{named, fine}
		})
		r.initialize()
		saying(r, `"result":{"contents":[{"uri":"file:///a","text":"x"}]}`)
		return r
	}
	for setting, blocked := range map[string]bool{"review": false, "redact": true, "block": true} {
		r := prepared(setting) // and nothing was listed
		if got := read(r, "7", "file:///a"); refused(got) != blocked || strings.Contains(got, `"kind":"descriptions"`) != blocked {
			t.Errorf("%s: %s", setting, got)
		}
		for id, uri := range map[string]string{"8": "file:///b", "9": "file:///not-listed"} {
			if got := read(r, id, uri); refused(got) {
				t.Errorf("%s, %s: %s", setting, uri, got)
			}
		}
	}
	r := prepared("review")
	r.listed()
	r.gate.set(func(g *gatekeeper) { g.settings["inspect.descriptions"] = "block" })
	r.eventually("it is blocked once the rule is set", func() bool { return refused(read(r, "10", "file:///a")) })
	r.gate.set(func(g *gatekeeper) {
		g.excepted = []control.Exception{{ID: "x", Item: "resource:file:///a", Rule: "attention_hijack", Level: inspect.High, Until: time.Now().Add(time.Hour)}}
	})
	r.eventually("an exception lifts it", func() bool { return !refused(read(r, "11", "file:///a")) })
	r.gate.set(func(g *gatekeeper) { g.excepted = nil })
	r.eventually("which ends", func() bool { return refused(read(r, "12", "file:///a")) })
	r.gate.set(func(g *gatekeeper) { g.settings["inspect.descriptions"] = "review" })
	r.eventually("and so does the rule", func() bool { return !refused(read(r, "13", "file:///a")) })
	now := r.server
	now.mu.Lock()
	now.resources = []string{fine, `{"uri":"file:///c","name":"a system prompt"}`}
	now.mu.Unlock()
	r.gate.set(func(g *gatekeeper) { g.settings["inspect.descriptions"] = "redact" })
	if got := r.listing("resources/list", "resources", ""); strings.Contains(got, "file:///c") {
		t.Error(got)
	}
	if got := read(r, "14", "file:///c"); !refused(got) {
		t.Errorf("listed without notice: %s", got)
	}
}
