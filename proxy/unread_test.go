package proxy

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// unreadEcho are ambiguous definitions of the tool echo.
var unreadEcho = map[string]string{
	"half of a surrogate pair":              `{"name":"echo","description":"x\ud800","inputSchema":{"type":"object"}}`,
	"keys that differ in case":              `{"name":"echo","description":"d","inputSchema":{"type":"object","properties":{"x":{},"X":{}}}}`,
	"a key twice":                           `{"name":"echo","description":"honest","description":"evil","inputSchema":{}}`,
	"a key twice, once escaped, at its end": `{"name":"echo","inputSchema":{},"_meta":{"a":[{"b":1,"\u0062":2}]}}`,
}

// reported returns an item of the last report.
func (g *gatekeeper) reported(key string) (item pin.Item, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.reports) == 0 {
		return item, false
	}
	items := g.reports[len(g.reports)-1].Items
	at := slices.IndexFunc(items, func(it pin.Item) bool { return it.Key() == key })
	if at < 0 {
		return item, false
	}
	return items[at], true
}

func TestAToolWhoseDefinitionHasNoOneReadingIsWithheldByName(t *testing.T) {
	for name, definition := range unreadEcho {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			if got := r.tools("1"); !slices.Contains(got, "echo") {
				t.Fatalf("at first: %v", got)
			}
			r.server.declare(func(s *server) { s.tools = []string{definition, addTool} })
			r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			r.eventually("the hub is told of it by its name", func() bool {
				item, ok := r.gate.reported("tool:echo")
				return ok && item.Unread != nil && item.Raw == nil && item.Findings[0].Rule == inspect.NoReading
			})
			if len(r.gate.found()) != 0 {
				t.Errorf("found of the whole: %+v", r.gate.found())
			}
			// Even if the hub approved it, it is not served.
			r.eventually("the listing is without it", func() bool { return !slices.Contains(r.tools("2"), "echo") })
			if got := r.tools("3"); !slices.Contains(got, "add") {
				t.Errorf("the other tool: %v", got)
			}
			if got := r.call("4", "add"); refused(got) {
				t.Errorf("the other tool: %s", got)
			}
			got := r.call("5", "echo")
			if !refused(got) || !strings.Contains(got, "has a definition that can be read in two ways, so it was not run.") || strings.Contains(got, "no longer offered") {
				t.Errorf("a call: %s", got)
			}
			r.gate.set(func(g *gatekeeper) { g.approved["tool:echo"] = []pin.Digest{"what a person allowed"} })
			if got := r.call("6", "echo"); !strings.Contains(got, "inbox item 4F2A") {
				t.Errorf("where a person decides: %s", got)
			}
			r.server.declare(func(s *server) { s.tools = []string{echoTool, addTool} })
			r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			r.eventually("it works again once it can be read", func() bool { return slices.Contains(r.tools("7"), "echo") })
		})
	}
}

func TestAPageThatShowsADefinitionWithoutOneReadingWaitsForACheck(t *testing.T) {
	for name, definition := range unreadEcho {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			r.tools("1")
			before := r.gate.reportCount()
			r.server.declare(func(s *server) { s.tools = []string{definition, addTool} })
			if got := r.tools("2"); slices.Contains(got, "echo") || !slices.Contains(got, "add") {
				t.Errorf("tools: %v", got)
			}
			if r.gate.reportCount() == before {
				t.Error("the hub was not told before the page was delivered")
			}
			if got := r.call("3", "echo"); !strings.Contains(got, "read in two ways") {
				t.Errorf("a call: %s", got)
			}
		})
	}
}

func TestInstructionsWithoutOneReadingAreAnItemThatIsCut(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) { r.server.instructions = `"Be brief.\ud800"` })
	if got := r.initialize(); strings.Contains(got, "brief") {
		t.Errorf("the client got %s", got)
	}
	r.eventually("the hub is told of them", func() bool {
		item, ok := r.gate.reported("instructions")
		return ok && item.Unread != nil
	})
}
