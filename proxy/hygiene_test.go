package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// red is a colour, a window title and a C1 introducer as a server writes them, and what is left of each.
const (
	red        = `a \u001b[31mred\u001b[0m \u001b]0;title\u0007\u009b1mb\rc`
	redVisible = `a ESC[31mredESC[0m ESC]0;titleBELCSI1mbCRc`
	redStrip   = `a red bc`
)

func TestNoTerminalSequenceReachesTheClientOnAnyWay(t *testing.T) {
	for mode, want := range map[string]string{"visible": redVisible, "strip": redStrip, "off": red, "": redVisible} {
		t.Run("mode "+mode, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) {
				if mode != "" {
					r.gate.settings["sanitizer.ansi"] = mode
				}
				r.server.instructions = `"` + red + `"`
				r.server.tools = []string{`{"name":"echo","description":"` + red + `","inputSchema":{"type":"object"}}`}
				r.server.prompts = []string{`{"name":"p","description":"` + red + `"}`}
				r.server.capabilities = `{"tools":{},"prompts":{},"resources":{}}`
			})
			held := func(what, line string) {
				t.Helper()
				if !strings.Contains(line, want) {
					t.Errorf("%s: %s", what, line)
				}
			}
			r.initialize()
			r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			held("a listing of tools", r.answerTo("2"))
			r.send(`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`)
			held("a listing of prompts", r.answerTo("3"))
			r.send(`{"jsonrpc":"2.0","id":"1b","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			held("instructions", r.answerTo(`"1b"`))

			answers := map[string]string{}
			for i, method := range []string{"tools/call", "prompts/get", "resources/read", "completion/complete", "x/unknown", "tasks/list"} {
				for j, body := range []string{`"result":{"content":[{"type":"text","text":"` + red + `"}]}`, `"error":{"code":-32000,"message":"` + red + `"}`} {
					id := fmt.Sprint(10 + 2*i + j)
					answers[id] = `{"jsonrpc":"2.0","id":` + id + `,` + body + `}`
					params := `{"name":"echo","uri":"file:///x","ref":{"type":"ref/prompt","name":"p"}}`
					if method == "prompts/get" {
						params = `{"name":"p"}`
					}
					r.server.declare(func(s *server) {
						s.handle = func(line string) (string, bool) {
							if !strings.Contains(line, `"id":`+id+`,"method":"`+method+`"`) {
								return "", false
							}
							return answers[id], true
						}
					})
					r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
					held(method, r.answerTo(id))
				}
			}
			r.server.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + red + `"}}`)
			held("a log message", r.next())
			r.server.write(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"` + red + `","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}}`)
			held("a question to the person", r.next())
			counted := func(c control.Record) bool {
				return c.Kind == "policy_decision" && c.Status == "warned" && strings.Contains(string(c.Detail), `"check":"ansi"`)
			}
			if mode != "off" {
				r.records("what a terminal would obey", counted)
			} else if r.gate.recorded(counted) {
				t.Error("recorded, and nothing was done")
			}
		})
	}
}

func TestHygieneIsRecordedNowAndThenAndNotForEachAnswer(t *testing.T) {
	r := ready(t)
	for range 25 {
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\u001b[0m"}}`)
		r.next()
	}
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	n := 0
	for _, c := range r.gate.records {
		if strings.Contains(string(c.Detail), `"check":"ansi"`) {
			n++
		}
	}
	if n != 2 { // the first and the tenth
		t.Errorf("%d records of 25 messages", n)
	}
}

// A person who reads that something was made visible can see where: in each tool's responses, with the call.
func TestHygieneIsRecordedForEachTool(t *testing.T) {
	r := ready(t)
	saying(r, textResult("\x1b[31mred\x1b[0m"))
	for id := range 12 {
		r.call(fmt.Sprint(100+id), "echo")
	}
	r.call("200", "add")
	r.records("the other tool", func(c control.Record) bool { return c.Check() == "ansi" && c.Tool == "add" })
	counted := map[string]string{}
	for _, c := range r.gate.allRecords() {
		if c.Check() != "ansi" {
			continue
		}
		if c.Request == "" || c.Status != vocab.StatusWarned {
			t.Errorf("%+v", c)
		}
		counted[c.Tool] += between(string(c.Detail), `"count":`, "}") + " "
	}
	if got := fmt.Sprint(counted); got != "map[add:1  echo:1 10 ]" {
		t.Errorf("recorded %s", got)
	}
}

func TestAToolWhoseNameWouldNotComeBackIsNotListed(t *testing.T) {
	tool := `{"name":"echo\u001b[2J","description":"x","inputSchema":{"type":"object"}}`
	r := newRig(t, approveAll, func(r *rig) { r.server.tools = []string{tool, addTool} })
	r.initialize()
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := strings.Join(r.tools("2"), " "); strings.Contains(got, "echo") || !strings.Contains(got, "add") {
		t.Errorf("listed: %s", got)
	}
}

func TestAMessageWithTooManyUncleanNamesIsAnsweredInOurWords(t *testing.T) {
	r := ready(t)
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `,"\u0007%d":0`, i)
	}
	bad := "{" + b.String()[1:] + "}"
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) {
			return `{"jsonrpc":"2.0","id":5,"result":` + bad + `}`, strings.Contains(line, "tools/call")
		}
	})
	r.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo"}}`)
	if got := r.answerTo("5"); !strings.Contains(got, "-32603") || !strings.Contains(got, "[Sallyport]") {
		t.Errorf("answered %s", got)
	}
	r.server.write(`{"jsonrpc":"2.0","id":"q","method":"x/ask","params":` + bad + `}`)
	r.eventually("the server is told", func() bool { return r.server.got(`"id":"q"`) && r.server.got("-32600") })
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/x","params":` + bad + `}`)
	r.quiet("neither the request nor the notification comes")
}

func TestAMethodWithControlCharactersIsRefused(t *testing.T) {
	r := ready(t)
	r.server.write(`{"jsonrpc":"2.0","id":"q","method":"x/\u001b[2J","params":{}}`)
	r.eventually("the server is told", func() bool { return r.server.got(`"id":"q"`) && r.server.got("-32600") })
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/\u0007","params":{}}`)
	r.quiet("the client hears of neither")
}

func TestHygieneStillHoldsForWhatAPersonReleased(t *testing.T) {
	for mode, want := range map[string]string{"visible": redVisible, "strip": redStrip, "off": red, "": redVisible} {
		r := ready(t)
		r.gate.set(func(g *gatekeeper) {
			g.settings["sanitizer.ansi"] = "off" // of the wrapper that delivers it, which guards another server
			g.taken = control.Taken{State: vocab.HeldTaken, Method: "tools/call", Server: "mail", Tool: "read", Answer: []byte(`{"content":[{"type":"text","text":"` + red + `"}]}`)}
			if mode != "" {
				g.taken.Settings = map[string]string{"sanitizer.ansi": mode}
			}
		})
		r.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"quarantine_release","arguments":{"quarantine_id":"4F2A"}}}`)
		if got := r.answerTo("3"); !strings.Contains(got, want) {
			t.Errorf("%s: %s", mode, got)
		}
	}
}
