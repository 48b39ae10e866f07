package proxy

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/pin"
)

// lost is what the hub was told that the client's greeting lost.
func (r *rig) lost() string {
	r.t.Helper()
	var last []string
	r.eventually("the hub is told", func() bool {
		r.gate.mu.Lock()
		defer r.gate.mu.Unlock()
		if n := len(r.gate.shortened); n > 0 {
			last = slices.Clone(r.gate.shortened[n-1])
		}
		return len(r.gate.shortened) > 0
	})
	return strings.Join(last, " ")
}

func TestWhatAGreetingLosesBeforeTheReviewIsNamed(t *testing.T) {
	const result = `"capabilities":{"tools":{"listChanged":true},"experimental":{"x":{}},"see https://evil.example":{},"extensions":{"com.example/more":{"say":"it"}}},` +
		`"serverInfo":{"name":"Weather for everybody","version":"1","title":"A title","icons":[]},"instructions":"Be brief.","extra":{"a":1},"Read this first":1`
	instructions, err := pin.Declared(pin.Instructions, []byte(`"Be brief."`))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		approved map[string][]pin.Digest
		want     string
	}{
		"of a server that nobody has reviewed all of it": {nil, "capabilities.experimental capabilities.extensions extra instructions serverInfo.icons serverInfo.name serverInfo.title"},
		"of an open server its instructions alone":       {map[string][]pin.Digest{"tool:echo": {"d"}}, "instructions"},
		"and of one that is all allowed nothing":         {map[string][]pin.Digest{"instructions": {instructions.Digest}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, approveNone, func(r *rig) {
				r.gate.approved = c.approved
				r.server.handle = func(line string) (string, bool) {
					return `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",` + result + `}}`, strings.Contains(line, `"initialize"`)
				}
			})
			r.initialize()
			if got := r.lost(); got != c.want {
				t.Errorf("it lost %q", got)
			}
		})
	}
}

func TestACapabilityThatLosesAPartIsNamed(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{"tools":{"listChanged":false},"resources":{"subscribe":true},"logging":{}}`:    "",
		`{"tasks":{"list":{},"requests":{"tools":{"call":{}}}},"tools":{}}`:              "capabilities.tasks",
		`{"resources":{"subscribe":true,"search":true}}`:                                 "capabilities.resources",
		`{"prompts":{"listChanged":"yes"},"logging":true}`:                               "capabilities.logging capabilities.prompts",
		`{"extensions":{"io.modelcontextprotocol/ui":{"inline":true}}}`:                  "",
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`:      "capabilities.extensions",
		`{"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/x":{"a":true}}}`: "capabilities.extensions",
	} {
		r := newRig(t, approveNone, func(r *rig) {
			r.server.handle = func(line string) (string, bool) {
				return `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"serverInfo":{"name":"w","version":"1"}}}`, strings.Contains(line, `"initialize"`)
			}
		})
		r.initialize()
		if got := r.lost(); got != want {
			t.Errorf("%s lost %q", capabilities, got)
		}
	}
}

func TestWhatADiscoveryLosesIsNamedToo(t *testing.T) {
	r := newRig(t, approveNone, modern, func(r *rig) { r.server.instructions = `"Be brief."` })
	r.ask("1", "server/discover", "")
	if got := r.lost(); got != "instructions serverInfo.title" {
		t.Errorf("it lost %q", got)
	}
}
