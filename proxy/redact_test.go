package proxy

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// aKey looks randomly generated; secretBody is a result with three secrets, redactedBody the same under redact.mode redact.
const (
	aKey         = "q7Zt3kX9mLw2Rn8Vb5Hd1Yc4"
	secretBody   = `"result":{"content":[{"type":"text","text":"\u00e9 password=hunter2\n"}],"structuredContent":{"api_key" : "` + aKey + `","n":1.50},"_meta":{"x":"Bearer ` + aKey + `"}}`
	redactedBody = `"result":{"content":[{"type":"text","text":"\u00e9 password=[PASSWORD_REDACTED]\n"}],"structuredContent":{"api_key" : "[API_KEY_REDACTED]","n":1.50},"_meta":{"x":"Bearer [TOKEN_REDACTED]"}}`
)

func TestSecretsOfAnAnswerAreRecordedAndNothingElseByDefault(t *testing.T) {
	for mode, c := range map[string]struct{ want, summary string }{
		"":       {secretBody, "its response contains a password, an API key and a token"},
		"detect": {secretBody, "its response contains a password, an API key and a token"},
		"redact": {redactedBody, "its response contained a password, an API key and a token; Sallyport replaced them with marks"},
		"off":    {secretBody, ""},
	} {
		t.Run("mode "+mode, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) {
				if mode != "" {
					r.gate.settings["redact.mode"] = mode
				}
			})
			r.initialize()
			saying(r, secretBody)
			for _, request := range []string{`"method":"tools/call","params":{"name":"echo","arguments":{}}`, `"method":"resources/read","params":{"uri":"file:///x"}`, `"method":"x/unknown"`} {
				r.send(`{"jsonrpc":"2.0","id":71,` + request + `}`)
				if got, want := strings.TrimSpace(r.answerTo("71")), `{"jsonrpc":"2.0","id":71,`+c.want+`}`; got != want {
					t.Errorf("%s\n%s\nis not\n%s", request, got, want)
				}
			}
			saying(r, `"error":{"code":-1,"message":"no redis://a:hunter2@h"}`)
			r.send(`{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
			if got := r.answerTo("72"); strings.Contains(got, "[PASSWORD_REDACTED]@h") != (mode == "redact") {
				t.Errorf("an error: %s", got)
			}
			told := func(summary string) (n int) {
				r.gate.recorded(func(rec control.Record) bool {
					if raw := rec.Summary + string(rec.Detail); strings.Contains(raw, "hunter2") || strings.Contains(raw, aKey) {
						t.Errorf("a record holds the secret: %s", raw)
					}
					if rec.Kind == "policy_decision" && rec.Status == "warned" && rec.Summary == summary && strings.Contains(string(rec.Detail), `"check":"redact"`) {
						n++
					}
					return false
				})
				return n
			}
			if c.summary == "" {
				r.eventually("the last call is recorded", func() bool {
					return r.gate.recorded(func(rec control.Record) bool { return rec.Kind == "tool_call" && rec.Status == "error" })
				})
				if r.gate.recorded(func(rec control.Record) bool { return strings.Contains(string(rec.Detail), `"check":"redact"`) }) {
					t.Error("what is not looked for was recorded")
				}
				return
			}
			r.eventually("each answer has its record", func() bool { return told(c.summary) == 3 })
		})
	}
}

// A tool's own setting holds for its calls, and for the results of tasks that they created.
func TestOneToolIsRedactedAndTheOthersAreNot(t *testing.T) {
	r := ready(t, func(r *rig) {
		r.gate.tools = map[string]map[string]string{"tool:echo": {"redact.mode": "redact"}}
	})
	for id, name := range map[string]string{"61": "echo", "62": "add"} {
		saying(r, `"result":{"task":{"taskId":"t-`+name+`","status":"working","ttl":60000}}`)
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{},"task":{"ttl":60000}}}`)
		r.answerTo(id)
	}
	saying(r, secretBody)
	for _, c := range []struct{ name, request, want string }{
		{"the tool", `"method":"tools/call","params":{"name":"echo","arguments":{}}`, redactedBody},
		{"another tool", `"method":"tools/call","params":{"name":"add","arguments":{}}`, secretBody},
		{"a task of the tool", `"method":"tasks/result","params":{"taskId":"t-echo"}`, redactedBody},
		{"a task of another tool", `"method":"tasks/result","params":{"taskId":"t-add"}`, secretBody},
		{"a resource of its name", `"method":"resources/read","params":{"uri":"echo"}`, secretBody},
	} {
		r.send(`{"jsonrpc":"2.0","id":71,` + c.request + `}`)
		if got, want := strings.TrimSpace(r.answerTo("71")), `{"jsonrpc":"2.0","id":71,`+c.want+`}`; got != want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	r.gate.set(func(g *gatekeeper) { g.tools = nil })
	r.send(`{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	if got := strings.TrimSpace(r.answerTo("72")); got != `{"jsonrpc":"2.0","id":72,`+secretBody+`}` {
		t.Errorf("the setting is gone, and still applies: %s", got)
	}
}

// The name of a member can be a secret too.
func TestASecretInTheNameOfAMemberIsRecordedAndRedacted(t *testing.T) {
	const token = "ghp_" + "w8Jd2kQzX5nB7vT1cR4yL9mP3sF6hG0aE2uK"
	body := `"result":{"content":[],"structuredContent":{"` + token + `":1,"` + token + `A":2}}`
	for mode, want := range map[string]string{
		"detect": body,
		"redact": `"result":{"content":[],"structuredContent":{"[TOKEN_REDACTED]":1,"[TOKEN_REDACTED]~2":2}}`,
	} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) { r.gate.settings["redact.mode"] = mode })
			r.initialize()
			saying(r, body)
			r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
			if got := strings.TrimSpace(r.answerTo("71")); got != `{"jsonrpc":"2.0","id":71,`+want+`}` {
				t.Errorf("%s", got)
			}
			r.eventually("it is recorded", func() bool {
				return r.gate.recorded(func(rec control.Record) bool {
					if strings.Contains(rec.Summary+string(rec.Detail), token) {
						t.Errorf("a record holds the secret: %+v", rec)
					}
					return strings.Contains(string(rec.Detail), `"check":"redact"`) && strings.Contains(string(rec.Detail), `"places":2`)
				})
			})
		})
	}
}

func TestWhatIsAskedIsRecordedWithoutItsSecrets(t *testing.T) {
	r := ready(t)
	saying(r, textResult("fine"))
	r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"echo","arguments":{"password":"hunter2"}}}`)
	if got := r.answerTo("71"); !strings.Contains(got, "fine") {
		t.Errorf("%s", got)
	}
	r.eventually("it is recorded", func() bool {
		return r.gate.recorded(func(rec control.Record) bool {
			if strings.Contains(string(rec.Detail), "hunter2") {
				t.Errorf("%s", rec.Detail)
			}
			return rec.Kind == "tool_call" && rec.Status == "warned" && rec.Summary == "it was given a password" && strings.Contains(string(rec.Detail), `"arguments":"assigned_password, 7 characters"`)
		})
	})
}

// A held response is stored whole, its findings show no secret, and its delivery follows the settings of its server.
func TestAReleasedAnswerIsRedactedAndAHeldOneIsNot(t *testing.T) {
	for mode, want := range map[string]string{"detect": "password=hunter2", "redact": "password=[PASSWORD_REDACTED]"} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) { r.gate.settings["redact.mode"] = mode })
			r.initialize()
			saying(r, textResult(poison+" password=hunter2"))
			r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
			if got := r.answerTo("71"); strings.Contains(got, "hunter2") {
				t.Errorf("%s", got)
			}
			held := r.gate.heldAnswers()
			if len(held) != 1 || !strings.Contains(string(held[0].Answer), "password=hunter2") {
				t.Fatalf("%+v", held)
			}
			last := held[0].Findings[len(held[0].Findings)-1]
			if last.Category != "secret" || strings.Contains(last.Match, "hunter2") {
				t.Errorf("%+v", last)
			}
			r.gate.set(func(g *gatekeeper) {
				g.taken = control.Taken{State: vocab.HeldTaken, Method: "tools/call", Server: "weather", Tool: "echo", Answer: held[0].Answer, Settings: map[string]string{"redact.mode": mode}}
			})
			r.send(`{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"quarantine_release","arguments":{"quarantine_id":"4F2A"}}}`)
			if got := r.answerTo("72"); !strings.Contains(got, want) || !strings.Contains(got, "Ignore all previous") {
				t.Errorf("%s", got)
			}
		})
	}
}
