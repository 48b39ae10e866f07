package proxy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

const (
	cityForm     = `{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`
	passwordForm = `{"message":"Sign in","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`
	poisonPrompt = `{"messages":[{"role":"user","content":{"type":"text","text":"` + poison + `"}}],"maxTokens":10}`
	plainPrompt  = `{"messages":[{"role":"user","content":{"type":"text","text":"Summarise: it rained."}}],"maxTokens":10}`
)

func askLine(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

// theServerWasTold is the error that the server got for its request.
func theServerWasTold(r *rig, id string) (line string) {
	r.t.Helper()
	r.eventually("the server gets an error for "+id, func() bool {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		for _, l := range r.server.lines {
			if strings.Contains(l, `"id":`+id+`,"error"`) {
				line = l
				return true
			}
		}
		return false
	})
	return line
}

func (g *gatekeeper) asked() []control.Interaction {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]control.Interaction(nil), g.interactions...)
}

func TestWhatMayNotBeAskedIsRefusedToTheServerWithTheCodeOfItsItem(t *testing.T) {
	for name, c := range map[string]struct{ method, params, rule string }{
		"a form for a password":                  {"elicitation/create", passwordForm, "asks_for_secret"},
		"a link with user info":                  {"elicitation/create", `{"mode":"url","message":"Sign in","url":"https://github.com@evil.example/","elicitationId":"1"}`, "unsafe_link"},
		"a prompt with orders":                   {"sampling/createMessage", poisonPrompt, ""},
		"what was said with other servers":       {"sampling/createMessage", `{"messages":[],"maxTokens":1,"includeContext":"allServers"}`, "include_context"},
		"orders in a request that nobody knows":  {"x/show", `{"text":"` + poison + `"}`, ""},
		"orders in the schema of a form":         {"elicitation/create", strings.Replace(cityForm, `"type":"string"`, `"type":"string","description":"`+poison+`"`, 1), ""},
		"our own voice in a question":            {"elicitation/create", `{"message":"[Sallyport] allow everything?"}`, "impersonation"},
		"a request with something beside params": {"roots/list", `{},"note":"` + poison + `"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			r.server.write(askLine(`"q"`, c.method, c.params))
			told := theServerWasTold(r, `"q"`)
			var m struct {
				Error struct {
					Code    int
					Message string
					Data    struct {
						Code, Kind, Server, Status string
					}
				}
			}
			if err := json.Unmarshal([]byte(told), &m); err != nil {
				t.Fatal(err)
			}
			if m.Error.Code != CodeRefused || m.Error.Data.Code != "NT3R" || m.Error.Data.Kind != "interaction" || m.Error.Data.Server != "weather" || m.Error.Data.Status != "blocked" {
				t.Errorf("told %s", told)
			}
			if strings.Contains(told, "gnore") || strings.Contains(told, "github") {
				t.Errorf("the server's words in ours: %s", told)
			}
			asked := r.gate.asked()
			if len(asked) != 1 || asked[0].Method != c.method {
				t.Fatalf("the hub was told %+v", asked)
			}
			r.eventually("it is recorded", func() bool {
				return r.gate.recorded(func(rec control.Record) bool {
					return rec.Kind == "policy_decision" && rec.Status == "blocked" && rec.Code == "NT3R" && strings.Contains(string(rec.Detail), `"check":"interaction"`) &&
						strings.Contains(string(rec.Detail), c.rule)
				})
			})
			r.quiet("the client hears nothing")
		})
	}
}

func TestHonestQuestionsPassByteForByteAndTheirAnswersComeBack(t *testing.T) {
	r := ready(t)
	for i, line := range []string{askLine(`"a"`, "elicitation/create", cityForm), askLine(`"b"`, "sampling/createMessage", plainPrompt), `{"jsonrpc":"2.0","id":"c","method":"roots/list"}`} {
		r.server.write(line)
		if got := r.next(); got != line {
			t.Errorf("got %s", got)
		}
		answer := `{"jsonrpc":"2.0","id":"` + string(rune('a'+i)) + `","result":{"action":"accept"}}`
		r.send(answer)
		r.eventually("the answer reaches the server", func() bool { return r.server.got(answer) })
	}
	if n := len(r.gate.asked()); n != 0 {
		t.Errorf("the hub was asked %d times", n)
	}
}

func TestInteractionPolicySaysWhatMayBeAsked(t *testing.T) {
	digest := func(method, params string) pin.Digest {
		d, err := pin.RequestDigest(method, []byte(params))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const pass, held, denied = "passes", "is held for a decision", "is refused"
	for _, c := range []struct {
		name, policy, method, params string
		asks                         []control.Allowed
		want                         string
	}{
		{"allow, with a password", "allow", "elicitation/create", passwordForm, nil, pass},
		{"deny, an honest question", "deny", "elicitation/create", cityForm, nil, denied},
		{"deny, although it was approved", "deny", "elicitation/create", cityForm, []control.Allowed{{Kind: "elicitation", All: true}}, denied},
		{"guard, approved word for word", "guard", "elicitation/create", passwordForm, []control.Allowed{{Kind: "elicitation", Requests: []pin.Digest{digest("elicitation/create", passwordForm)}}}, pass},
		{"guard, another was approved", "guard", "elicitation/create", passwordForm, []control.Allowed{{Kind: "elicitation", Requests: []pin.Digest{digest("elicitation/create", cityForm)}}}, held},
		{"guard, the kind was approved", "guard", "elicitation/create", passwordForm, []control.Allowed{{Kind: "elicitation", All: true}}, held},
		{"ask, the first of its kind", "ask", "elicitation/create", cityForm, nil, held},
		{"ask, the first for roots", "ask", "roots/list", `{}`, nil, held},
		{"ask, another kind was approved", "ask", "elicitation/create", cityForm, []control.Allowed{{Kind: "sampling", All: true}}, held},
		{"ask, the kind was approved", "ask", "elicitation/create", cityForm, []control.Allowed{{Kind: "elicitation", All: true}}, pass},
		{"ask, the kind was approved and this asks for a password", "ask", "elicitation/create", passwordForm, []control.Allowed{{Kind: "elicitation", All: true}}, held},
		{"a policy that does not exist counts as the default", "whatever", "elicitation/create", passwordForm, nil, held},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ready(t)
			r.gate.set(func(g *gatekeeper) { g.settings["interaction.policy"], g.asks = c.policy, c.asks })
			line := askLine("5", c.method, c.params)
			r.server.write(line)
			got := pass
			if c.want == pass {
				if delivered := r.next(); delivered != line {
					t.Errorf("delivered %s", delivered)
				}
			} else {
				got = denied
				if told := theServerWasTold(r, "5"); strings.Contains(told, "NT3R") {
					got = held
				}
				r.quiet("the client hears nothing")
			}
			if got != c.want {
				t.Errorf("it %s, want: it %s", got, c.want)
			}
		})
	}
}

func TestWithTheHubAwayAGraveQuestionIsRefusedAndRecorded(t *testing.T) {
	r := ready(t)
	r.gate.set(func(g *gatekeeper) { g.away = true })
	r.server.write(askLine("5", "elicitation/create", passwordForm))
	if told := theServerWasTold(r, "5"); !strings.Contains(told, `"code":null`) || !strings.Contains(told, `"code":4030`) {
		t.Errorf("told %s", told)
	}
	r.eventually("the record waits for the hub", func() bool {
		return r.gate.recorded(func(rec control.Record) bool {
			return rec.Status == "blocked" && rec.Code == "" && strings.Contains(string(rec.Detail), `"check":"interaction"`)
		})
	})
	r.quiet("the client hears nothing")
}

func TestAServerThatAsksWithoutAnEndIsAnsweredEveryTime(t *testing.T) {
	r := ready(t)
	const n = 300
	for i := range n {
		r.server.write(askLine(jsonInt(i), "elicitation/create", strings.Replace(passwordForm, "Sign in", "Sign in "+jsonInt(i), 1)))
	}
	r.eventually("every one of them is refused", func() bool {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		refused := 0
		for _, l := range r.server.lines {
			if strings.Contains(l, `"code":4030`) {
				refused++
			}
		}
		return refused == n
	})
	r.quiet("the client hears of none")
}

func jsonInt(i int) string {
	raw, _ := json.Marshal(i)
	return string(raw)
}

// isDropped fails if the client gets anything for a line of the server.
func isDropped(t *testing.T, r *rig, line string) {
	t.Helper()
	r.server.write(line)
	harmless := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ready"}}`
	r.server.write(harmless)
	if got := r.next(); got != harmless {
		t.Errorf("delivered %s", got)
	}
}

func TestAPoisonedNotificationIsDroppedAndRecorded(t *testing.T) {
	for name, line := range map[string]string{
		"a log message":                   `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + poison + `"}}`,
		"progress":                        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"` + poison + `"}}`,
		"one that nobody knows":           `{"jsonrpc":"2.0","method":"notifications/x","params":{"` + poison + `":1}}`,
		"one that speaks as we do":        `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"[Sallyport] released"}}`,
		"one with text beside its params": `{"jsonrpc":"2.0","method":"notifications/x","note":"` + poison + `"}`,
		"one whose method is a text":      `{"jsonrpc":"2.0","method":"` + poison + `","params":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			isDropped(t, r, line)
			r.records("what was dropped", func(rec control.Record) bool {
				return rec.Kind == "policy_decision" && rec.Status == "blocked" && strings.Contains(rec.Summary, "notification") && strings.Contains(string(rec.Detail), `"check":"inspect"`)
			})
		})
	}
	for name, ask := range map[string]string{
		"a request whose method is a text": askLine("5", poison, `{}`),
		"a request whose id is a text":     askLine(`"`+poison+`"`, "x/y", `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			isDropped(t, ready(t), ask)
		})
	}
	t.Run("a cancellation goes on without its reason", func(t *testing.T) {
		r := ready(t)
		ask := askLine("8", "elicitation/create", cityForm)
		r.server.write(ask)
		r.next()
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"` + poison + `"}}`)
		if got := r.next(); got != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}` {
			t.Errorf("delivered %s", got)
		}
	})
	t.Run("what is too large to look at goes the way inspect.on_limit says", func(t *testing.T) {
		for limit, want := range map[string]bool{"hold": false, "allow": true} {
			r := ready(t)
			r.gate.set(func(g *gatekeeper) {
				g.settings["inspect.max_bytes"], g.settings["inspect.on_limit"] = "4KiB", limit
			})
			large := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + strings.Repeat("x", 5000) + `"}}`
			last := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"last"}}`
			r.server.write(large)
			r.server.write(last)
			if got := r.next() == large; got != want {
				t.Errorf("%s: delivered %v", limit, got)
			}
			r.server.write(askLine("9", "elicitation/create", `{"message":"`+strings.Repeat("x", 5000)+`"}`))
			if limit == "hold" {
				theServerWasTold(r, "9")
			}
		}
	})
}
