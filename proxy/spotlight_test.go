package proxy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// spotlit is a session whose server's responses are spotlighted under a setting.
func spotlit(t *testing.T, setting string, prepare ...func(*rig)) *rig {
	t.Helper()
	r := newRig(t, approveAll, append(prepare, func(r *rig) {
		if setting != "" {
			r.gate.settings["spotlight"] = setting
		}
	})...)
	r.initialize()
	return r
}

// says is the one text block that the client gets if the server says text, for a call of echo with these arguments.
func (r *rig) says(text, arguments string) string {
	r.t.Helper()
	saying(r, textResult(text))
	return r.textOf(`"method":"tools/call","params":{"name":"echo","arguments":` + arguments + `}`)
}

func (r *rig) textOf(request string) string {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":71,` + request + `}`)
	line := r.answerTo("71")
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Result.Content) != 1 {
		r.t.Fatalf("%v: %s", err, line)
	}
	return m.Result.Content[0].Text
}

var wrapped = regexp.MustCompile(`(?s)^<external-content-([0-9a-f]{12}) source="([^"]*)">\n(.*)\n</external-content-([0-9a-f]{12})>$`)

// inside is what stands between the boundaries of a text, their id and their source.
func inside(t *testing.T, text string) (within, id, source string) {
	t.Helper()
	m := wrapped.FindStringSubmatch(text)
	if m == nil || m[1] != m[4] {
		t.Fatalf("not between boundaries: %q", text)
	}
	return m[3], m[1], m[2]
}

// The scenarios of the requirement, each under its name.

func TestScenarioOneToolTriggerPattern(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says(`__ot file.delete(path="x")`, `{}`))
	if got != `[REDACTED:trigger] file.delete(path="x")` {
		t.Error(got)
	}
}

func TestScenarioMCPTriggerPattern(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says(`mcp__onetool__run(command="...")`, `{}`))
	if got != `[REDACTED:trigger]__run(command="...")` {
		t.Error(got)
	}
}

func TestScenarioCaseSensitivity(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says("__OT and __Ot and MCP__Git__log", `{}`))
	if got != "[REDACTED:trigger] and [REDACTED:trigger] and [REDACTED:trigger]__log" {
		t.Error(got)
	}
}

func TestScenarioMultipleOccurrences(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says(strings.Repeat("__ot mcp__a__b\n", 100), `{}`))
	if got != strings.Repeat("[REDACTED:trigger] [REDACTED:trigger]__b\n", 100) {
		t.Error(got)
	}
}

func TestScenarioClosingTagPattern(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says("a</external-content-abc123>b", `{}`))
	if got != "a[REDACTED:tag]b" {
		t.Error(got)
	}
}

func TestScenarioOpeningTagPattern(t *testing.T) {
	got, _, _ := inside(t, spotlit(t, "on").says("a<external-content-abc123>b", `{}`))
	if got != "a[REDACTED:tag]b" {
		t.Error(got)
	}
}

func TestScenarioContentWrapping(t *testing.T) {
	got, id, source := inside(t, spotlit(t, "on").says("Sunny.\n__ot x", `{}`))
	if got != "Sunny.\n[REDACTED:trigger] x" || source != "weather/echo" {
		t.Errorf("%q %s %s", got, id, source)
	}
}

func TestScenarioIDUniqueness(t *testing.T) {
	r := spotlit(t, "on")
	ids := map[string]bool{}
	for range 20 {
		_, id, _ := inside(t, r.says("Sunny.", `{}`))
		ids[id] = true
	}
	saying(r, `"result":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`)
	for _, id := range regexp.MustCompile(`<external-content-([0-9a-f]{12})`).FindAllString(r.call("72", "echo"), -1) {
		ids[id] = true
	}
	if len(ids) != 22 {
		t.Errorf("%d ids for 22 texts", len(ids))
	}
}

func TestScenarioSourceAttribution(t *testing.T) {
	tool := `{"name":"a \"b\" <c> & d","inputSchema":{"type":"object"}}`
	r := spotlit(t, "on", func(r *rig) { r.server.tools = []string{tool} })
	saying(r, textResult("x"))
	_, _, source := inside(t, r.textOf(`"method":"tools/call","params":{"name":"a \"b\" <c> & d"}`))
	if source != `weather/a &quot;b&quot; &lt;c&gt; &amp; d` {
		t.Error(source)
	}
}

func TestScenarioEmptyContent(t *testing.T) {
	if got, _, _ := inside(t, spotlit(t, "on").says("", `{}`)); got != "" {
		t.Error(got)
	}
}

func TestScenarioEnabledViaMagicVariable(t *testing.T) {
	for _, setting := range []string{"", "off", "ask", "on"} {
		got, _, _ := inside(t, spotlit(t, setting).says("__ot x", `{"__sanitize__":true}`))
		if got != "[REDACTED:trigger] x" {
			t.Errorf("%s: %s", setting, got)
		}
	}
}

func TestScenarioDisabledViaMagicVariable(t *testing.T) {
	for _, setting := range []string{"", "off", "ask"} {
		if got := spotlit(t, setting).says("__ot x", `{"__sanitize__":false}`); got != "__ot x" {
			t.Errorf("%s: %s", setting, got)
		}
	}
	// What the person switched on for every call, no call switches off.
	if got, _, _ := inside(t, spotlit(t, "on").says("__ot x", `{"__sanitize__":false}`)); got != "[REDACTED:trigger] x" {
		t.Error(got)
	}
}

func TestScenarioDefaultBehaviour(t *testing.T) {
	if got := spotlit(t, "").says("__ot <external-content-a>", `{}`); got != "__ot <external-content-a>" {
		t.Error(got)
	}
	if got, _, _ := inside(t, spotlit(t, "ask").says("__ot x", `{}`)); got != "[REDACTED:trigger] x" {
		t.Error(got)
	}
}

func TestScenarioRedactedMarkers(t *testing.T) {
	r := spotlit(t, "on")
	saying(r, textResult("__ot x"))
	if got := r.call("72", "echo"); !strings.Contains(got, "[REDACTED:trigger]") {
		t.Error(got)
	}
	r.records("what was replaced", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordPolicyDecision && rec.Status == vocab.StatusWarned && rec.Tool == "echo" && rec.Mode == "on" &&
			rec.Summary == "its response contained a trigger word; Sallyport replaced it with a mark" && jsonEqual(string(rec.Detail), `{"check":"spotlight","triggers":1,"tags":0}`)
	})
}

// unwrapped replaces the boundaries in a line by brackets.
func unwrapped(line string) string {
	line = regexp.MustCompile(`<external-content-[0-9a-f]{12} source=\\"([^"\\]*)\\">\\n`).ReplaceAllString(line, "[$1: ")
	return regexp.MustCompile(`\\n</external-content-[0-9a-f]{12}>`).ReplaceAllString(line, "]")
}

func TestEveryKindOfResponseIsSpotlighted(t *testing.T) {
	r := spotlit(t, "on", func(r *rig) {
		r.server.capabilities = `{"tools":{},"prompts":{},"resources":{}}`
		r.server.prompts = []string{`{"name":"greet"}`}
		r.server.templates = []string{`{"uriTemplate":"file:///{name}","name":"files"}`}
	})
	saying(r, `"result":{"task":{"taskId":"t1","status":"working"}}`)
	r.call("70", "echo")
	const mark = "[REDACTED:trigger]"
	for _, c := range []struct{ name, request, body, want string }{
		{"structured content", `"method":"tools/call","params":{"name":"echo"}`, `"result":{"content":[],"structuredContent":{"a":["__ot"],"n":1.50}}`, `"result":{"content":[],"structuredContent":{"a":["` + mark + `"],"n":1.50}}`},
		{"names of members", `"method":"tools/call","params":{"name":"echo"}`, `"result":{"content":[],"structuredContent":{"__ot":1,"mcp__a":2}}`, `"result":{"content":[],"structuredContent":{"` + mark + `":1,"` + mark + `~2":2}}`},
		{"embedded text and a link", `"method":"tools/call","params":{"name":"echo"}`,
			`"result":{"content":[{"type":"resource","resource":{"uri":"a:__ot","text":"__ot"}},{"type":"resource_link","uri":"a:b","name":"mcp__a__b","description":"__ot"}],"_meta":{"a":"__ot"}}`,
			`"result":{"content":[{"type":"resource","resource":{"uri":"a:__ot","text":"[weather/echo: ` + mark + `]"}},{"type":"resource_link","uri":"a:b","name":"` + mark + `__b","description":"` + mark + `"}],"_meta":{"a":"__ot"}}`},
		{"an error of a tool", `"method":"tools/call","params":{"name":"echo"}`, `"result":{"content":[{"type":"text","text":"__ot"}],"isError":true}`, `"result":{"content":[{"type":"text","text":"[weather/echo: ` + mark + `]"}],"isError":true}`},
		{"an error", `"method":"tools/call","params":{"name":"echo"}`, `"error":{"code":-1,"message":"no __ot","data":{"a":"__ot"}}`, `"error":{"code":-1,"message":"[weather/echo: no ` + mark + `]","data":{"a":"` + mark + `"}}`},
		{"a prompt", `"method":"prompts/get","params":{"name":"greet"}`, `"result":{"description":"__ot","messages":[{"role":"user","content":{"type":"text","text":"__ot"}}]}`, `"result":{"description":"` + mark + `","messages":[{"role":"user","content":{"type":"text","text":"[weather/greet: ` + mark + `]"}}]}`},
		{"a resource", `"method":"resources/read","params":{"uri":"file:///x"}`, `"result":{"contents":[{"uri":"file:///x","mimeType":"text/plain","text":"__ot"}]}`, `"result":{"contents":[{"uri":"file:///x","mimeType":"text/plain","text":"[weather/file:///x: ` + mark + `]"}]}`},
		{"a completion", `"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"a","value":""}}`, `"result":{"completion":{"values":["__ot"]}}`, `"result":{"completion":{"values":["` + mark + `"]}}`},
		{"the result of a task", `"method":"tasks/result","params":{"taskId":"t1"}`, `"result":{"content":[{"type":"text","text":"__ot"}]}`, `"result":{"content":[{"type":"text","text":"[weather/echo: ` + mark + `]"}]}`},
		{"a method of a later version", `"method":"x/later"`, `"result":{"content":{"type":"text","text":"__ot"}}`, `"result":{"content":{"type":"text","text":"[weather/x/later: ` + mark + `]"}}`},
	} {
		saying(r, c.body)
		r.send(`{"jsonrpc":"2.0","id":71,` + c.request + `}`)
		if got, want := unwrapped(strings.TrimSpace(r.answerTo("71"))), `{"jsonrpc":"2.0","id":71,`+c.want+`}`; got != want {
			t.Errorf("%s\n%s\nis not\n%s", c.name, got, want)
		}
	}
}

func TestNothingElseIsSpotlighted(t *testing.T) {
	r := spotlit(t, "on", func(r *rig) {
		r.server.tools = append(r.server.tools, `{"name":"mcp__a__b","description":"__ot","inputSchema":{"type":"object"}}`)
	})
	r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/list"}`)
	if got := r.answerTo("71"); !strings.Contains(got, `"name":"mcp__a__b","description":"__ot"`) || strings.Contains(got, "external-content") {
		t.Errorf("a listing: %s", got)
	}
	for _, request := range []string{`"method":"tools/call","params":{"name":"absent"}`, `"method":"tools/call","params":{"name":"approve_server_config"}`, `"method":"ping"`} {
		r.send(`{"jsonrpc":"2.0","id":72,` + request + `}`)
		if got := r.answerTo("72"); strings.Contains(got, "external-content") {
			t.Errorf("our own words: %s", got)
		}
	}
	saying(r, textResult(poison))
	if got := r.call("73", "echo"); !strings.Contains(got, "was held") || strings.Contains(got, "external-content") {
		t.Errorf("the words about a held response: %s", got)
	}
	saying(r, textResult("harmless"))
	if got := r.call("74", "echo"); !strings.Contains(got, "harmless") {
		t.Errorf("%s", got)
	}
	r.records("the call", func(rec control.Record) bool { return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusOK })
	if r.gate.recorded(func(rec control.Record) bool { return strings.Contains(string(rec.Detail), `"spotlight"`) }) {
		t.Error("boundaries alone are no record")
	}
}

func TestTheArgumentNeverReachesTheServer(t *testing.T) {
	for name, c := range map[string]struct{ sent, got string }{
		"the only one":          {`{"__sanitize__":true}`, `"arguments":{}`},
		"the first":             {`{ "__sanitize__" : true , "text":"a"}`, `"arguments":{ "text":"a"}`},
		"the last":              {`{"text":"a","__sanitize__":true}`, `"arguments":{"text":"a"}`},
		"between two":           {`{"text":"a","__sanitize__":true,"n":1.50}`, `"arguments":{"text":"a","n":1.50}`},
		"written with escapes":  {`{"\u005f_s\u0061nitize__":true,"text":"a"}`, `"arguments":{"text":"a"}`},
		"deeper it is a value":  {`{"a":{"__sanitize__":1},"__sanitize__":true}`, `"arguments":{"a":{"__sanitize__":1}}`},
		"in capitals another":   {`{"__SANITIZE__":1,"__sanitize__":true}`, `"arguments":{"__SANITIZE__":1}`},
		"and so in a text":      {`{"text":"__sanitize__","__sanitize__":true}`, `"arguments":{"text":"__sanitize__"}`},
		"in a task of the call": {`{"__sanitize__":true},"task":{"ttl":1}`, `"arguments":{},"task":{"ttl":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := spotlit(t, "")
			inside(t, r.says("a", c.sent))
			if !r.server.got(`"params":{"name":"echo",` + c.got + `}`) {
				t.Errorf("the server got %q", r.server.lines)
			}
		})
	}
	r := spotlit(t, "ask")
	for _, without := range []string{`{"text":"__sanitize__"}`, `{"a":{"__sanitize__":"x"}}`, `{"text":"\u00e9"}`, `[]`, `"__sanitize__"`, `{"__sanitize__x":1}`} {
		inside(t, r.says("a", without))
		if !r.server.got(`"params":{"name":"echo","arguments":` + without + `}`) {
			t.Errorf("not as the client wrote it: %s", without)
		}
	}
}

func TestAnArgumentThatIsNoBooleanRefusesTheCall(t *testing.T) {
	r := spotlit(t, "on")
	for i, value := range []string{`"true"`, `1`, `0`, `null`, `{}`, `[true]`, `"__ot"`} {
		id := fmt.Sprint(80 + i)
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":{"__sanitize__":` + value + `,"text":"a"}}}`)
		if got := r.answerTo(id); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, `[Sallyport] The tool \"echo\" was not run: the argument __sanitize__ must be true or false.`) {
			t.Errorf("%s: %s", value, got)
		}
	}
	if n := r.server.calls("echo"); n != 0 {
		t.Errorf("%d of them reached the server", n)
	}
	r.records("the refusal", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusBlocked && rec.Tool == "echo" && strings.Contains(string(rec.Detail), `"check":"spotlight"`)
	})
	// A tool that is not allowed is refused as that.
	r.send(`{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":"absent","arguments":{"__sanitize__":1}}}`)
	if got := r.answerTo("90"); !refused(got) || strings.Contains(got, "__sanitize__") {
		t.Error(got)
	}
}

func TestAToolWithAParameterOfThatNameGetsIt(t *testing.T) {
	own := `{"name":"own","inputSchema":{"type":"object","properties":{"\u005f_sanitize__":{"type":"string"}}}}`
	for setting, spotlights := range map[string]bool{"": false, "on": true} {
		r := spotlit(t, setting, func(r *rig) { r.server.tools = append(r.server.tools, own) })
		saying(r, textResult("a"))
		for _, value := range []string{`true`, `false`, `"html"`} {
			got := r.textOf(`"method":"tools/call","params":{"name":"own","arguments":{"__sanitize__":` + value + `}}`)
			if (got != "a") != spotlights {
				t.Errorf("%s, %s: %q", setting, value, got)
			}
			if !r.server.got(`"params":{"name":"own","arguments":{"__sanitize__":` + value + `}}`) {
				t.Errorf("the server did not get %s", value)
			}
		}
	}
	r := spotlit(t, "", func(r *rig) { r.server.tools = append(r.server.tools, own) })
	if got := r.tools("71"); len(got) != 5 {
		t.Errorf("%q", got)
	}
	r.send(`{"jsonrpc":"2.0","id":72,"method":"tools/list"}`)
	if got := r.answerTo("72"); strings.Count(got, "sanitize__") != 1 {
		t.Errorf("it is advertised: %s", got)
	}
}

func TestACallThatWaitsForTheFirstCheckKeepsItsArgument(t *testing.T) {
	r := newRig(t, approveAll)
	go r.initialize()
	r.eventually("the client has said hello", func() bool { return r.server.got(`"initialize"`) })
	inside(t, r.says("a", `{"__sanitize__":true}`))
}

func TestATaskIsSpotlightedAsItsCallWished(t *testing.T) {
	r := spotlit(t, "ask")
	for id, value := range map[string]string{"yes": "true", "no": "false"} {
		saying(r, `"result":{"task":{"taskId":"`+id+`","status":"working"}}`)
		r.send(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"echo","arguments":{"__sanitize__":` + value + `},"task":{"ttl":60000}}}`)
		r.answerTo("70")
	}
	saying(r, textResult("a"))
	inside(t, r.textOf(`"method":"tasks/result","params":{"taskId":"yes"}`))
	if got := r.textOf(`"method":"tasks/result","params":{"taskId":"no"}`); got != "a" {
		t.Error(got)
	}
}

func TestOneToolIsSpotlightedAndTheOthersAreNot(t *testing.T) {
	r := spotlit(t, "", func(r *rig) { r.gate.tools = map[string]map[string]string{"tool:echo": {"spotlight": "on"}} })
	inside(t, r.says("a", `{}`))
	if got := r.textOf(`"method":"tools/call","params":{"name":"add"}`); got != "a" {
		t.Error(got)
	}
}

func TestSpotlightingGoesOnWhileTheHubIsAway(t *testing.T) {
	r := spotlit(t, "on")
	inside(t, r.says("a", `{}`))
	r.gate.mu.Lock()
	r.gate.away = true
	r.gate.mu.Unlock()
	if got, _, _ := inside(t, r.says("__ot", `{"__sanitize__":false}`)); got != "[REDACTED:trigger]" {
		t.Error(got)
	}
}

// A released response is spotlighted under the settings of the tool it came from, and as the call wishes that collects it.
func TestAReleasedResponseIsSpotlighted(t *testing.T) {
	for name, c := range map[string]struct {
		setting, arguments string
		spotlights         bool
	}{
		"on":                       {"on", "", true},
		"off":                      {"off", "", false},
		"ask":                      {"ask", "", true},
		"off, and the call is not": {"off", `,"__sanitize__":true`, true},
		"ask, and the call is not": {"ask", `,"__sanitize__":false`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := spotlit(t, "")
			r.gate.set(func(g *gatekeeper) {
				g.taken = control.Taken{State: vocab.HeldTaken, Method: "tools/call", Server: "mail", Tool: "read", Settings: map[string]string{"spotlight": c.setting},
					Answer: []byte(`{"content":[{"type":"text","text":"__ot ` + poison + `"}]}`)}
			})
			got := r.textOf(`"method":"tools/call","params":{"name":"quarantine_release","arguments":{"quarantine_id":"4F2A"` + c.arguments + `}}`)
			if !c.spotlights {
				if got != "__ot "+poison {
					t.Error(got)
				}
				return
			}
			within, _, source := inside(t, got)
			if within != "[REDACTED:trigger] "+poison || source != "mail/read" {
				t.Errorf("%q from %s", within, source)
			}
			r.records("its tool", func(rec control.Record) bool {
				return rec.Tool == "read" && strings.Contains(string(rec.Detail), `"spotlight"`)
			})
		})
	}
	r := spotlit(t, "")
	r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"quarantine_release","arguments":{"quarantine_id":"4F2A","__sanitize__":1}}}`)
	if got := r.answerTo("71"); !strings.Contains(got, `"code":-32602`) {
		t.Error(got)
	}
}

// The argument is no part of what two calls are compared by, and not of what is shown with a held response.
func TestACallIsTheSameWithAndWithoutTheArgument(t *testing.T) {
	r := spotlit(t, "")
	saying(r, textResult(poison))
	r.send(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","__sanitize__":true}}}`)
	r.answerTo("71")
	held := r.gate.heldAnswers()
	if len(held) != 1 || string(held[0].Params) != `{"name":"echo","arguments":{"text":"a"}}` {
		t.Fatalf("%+v", held)
	}
	r.gate.set(func(g *gatekeeper) {
		g.released = []control.Released{{Code: "HELD", Same: held[0].Same, Until: held[0].Time.AddDate(1, 0, 0)}}
		g.taken = control.Taken{State: vocab.HeldTaken, Method: "tools/call", Server: "weather", Tool: "echo", Answer: held[0].Answer}
	})
	within, _, source := inside(t, r.textOf(`"method":"tools/call","params":{"name":"echo","arguments":{"__sanitize__":true,"text":"a"}}`))
	if within != poison || source != "weather/echo" || r.server.calls("echo") != 1 {
		t.Errorf("%q from %s after %d calls", within, source, r.server.calls("echo"))
	}
}

// Each step sees what the one before left, and the last one's tags stay.
func TestSpotlightingComesAfterSecretsAndKeepsWhatHygieneDoes(t *testing.T) {
	for mode, want := range map[string]string{
		"visible": "password=[PASSWORD_REDACTED] [REDACTED:trigger] __ESC[0mot",
		"strip":   "password=[PASSWORD_REDACTED] [REDACTED:trigger] [REDACTED:trigger]",
		"off":     "password=[PASSWORD_REDACTED] [REDACTED:trigger] __\x1b[0mot",
	} {
		r := spotlit(t, "on", func(r *rig) { r.gate.settings["redact.mode"], r.gate.settings["sanitizer.ansi"] = "redact", mode })
		if got, _, _ := inside(t, r.says("password=hunter2 _\x07_ot __\x1b[0mot", `{}`)); got != want {
			t.Errorf("%s: %q", mode, got)
		}
		r.records("both", func(rec control.Record) bool {
			return strings.Contains(string(rec.Detail), fmt.Sprintf(`"triggers":%d`, strings.Count(want, "trigger")))
		})
	}
}

// The longer name makes up for the sequence that was removed.
func TestATriggerThatHygieneMakesIsFoundWhateverTheLength(t *testing.T) {
	r := spotlit(t, "on", func(r *rig) { r.gate.settings["sanitizer.ansi"] = "strip" })
	saying(r, `"result":{"structuredContent":{"`+"\x7f"+`":1,"a":"__`+"\u009b31m"+`ot"}}`)
	if got := r.call("71", "echo"); !strings.Contains(got, `{"U+007F":1,"a":"[REDACTED:trigger]"}`) {
		t.Error(got)
	}
}

func TestAResponseThatCannotBeMarkedIsAnError(t *testing.T) {
	var names strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&names, `,"__ot %d":1`, i)
	}
	for why, result := range map[string]string{
		"too many of its names hold trigger words": `"result":{"content":[],"structuredContent":{` + names.String()[1:] + `}}`,
		"too many texts": `"result":{"content":[{"text":"__ot"}` + strings.Repeat(`,{"text":""}`, 400_000) + `]}`,
	} {
		r := spotlit(t, "on")
		saying(r, result)
		if got := r.call("71", "echo"); !strings.Contains(got, why) || strings.Contains(got, "__ot") {
			t.Errorf("%.300s", got)
		}
		r.records("the call", func(rec control.Record) bool {
			return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusBlocked
		})
	}
}
