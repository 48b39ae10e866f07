package proxy

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Every decision names the value of the setting that made it. That none lacks one is looked at after every test of this package (newRig).
func TestADecisionNamesTheValueThatMadeIt(t *testing.T) {
	ask := func(r *rig, request, body string) {
		saying(r, body)
		r.send(`{"jsonrpc":"2.0","id":71,` + request + `}`)
		r.answerTo("71")
	}
	const call, complete = `"method":"tools/call","params":{"name":"echo","arguments":{}}`, `"method":"x/other"`
	long := textResult(strings.Repeat("ordinary words ", 400))
	for _, c := range []struct {
		name     string
		settings map[string]string
		does     func(r *rig)
		check    string
		mode     string
	}{
		{"secrets that are reported", map[string]string{"redact.mode": "detect"}, func(r *rig) { ask(r, call, secretBody) }, "redact", "detect"},
		{"secrets that are replaced", map[string]string{"redact.mode": "redact"}, func(r *rig) { ask(r, call, secretBody) }, "redact", "redact"},
		{"escapes that are shown", nil, func(r *rig) { ask(r, call, textResult("a\x1b[0mb")) }, "ansi", "visible"},
		{"escapes that are removed", map[string]string{"sanitizer.ansi": "strip"}, func(r *rig) { ask(r, call, textResult("a\x1b[0mb")) }, "ansi", "strip"},
		{"a definition that is cleaned", nil, func(r *rig) {
			r.server.declare(func(s *server) {
				s.tools = []string{`{"name":"echo","description":"a\u200bb","inputSchema":{"type":"object"}}`}
			})
			r.tools("72")
		}, "sanitizer", "standard"},
		{"words of a definition", map[string]string{"inspect.descriptions": "redact"}, func(r *rig) {
			r.server.declare(func(s *server) { s.tools = []string{pressingTool} })
			r.tools("72")
		}, "descriptions", "redact"},
		{"triggers", map[string]string{"spotlight": "ask"}, func(r *rig) { ask(r, call, textResult("__ot")) }, "spotlight", "ask"},
		{"a response that is too long and passes", map[string]string{"inspect.max_bytes": "4KiB", "inspect.on_limit": "allow"}, func(r *rig) { ask(r, complete, long) }, "inspect", "allow"},
		{"one that is too long and held", map[string]string{"inspect.max_bytes": "4KiB"}, func(r *rig) { ask(r, complete, long) }, "inspect", "hold"},
		{"a response that is held", nil, func(r *rig) { ask(r, complete, textResult(poison)) }, "inspect", vocab.ModeAlways},
		{"a message that is too long", map[string]string{"limits.message": "8KiB"}, func(r *rig) {
			r.server.declare(func(s *server) { s.tools = nil })
			r.send(`{"jsonrpc":"2.0","id":71,"method":"x/` + strings.Repeat("y", 9<<10) + `"}`)
			r.answerTo("71")
		}, "one_reading", "8KiB"},
		{"a notification that is too long", map[string]string{"inspect.max_bytes": "4KiB"}, func(r *rig) {
			r.server.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + strings.Repeat("ordinary words ", 400) + `"}}`)
		}, "inspect", "hold"},
		{"a request to the client", map[string]string{"interaction.policy": "deny"}, func(r *rig) {
			r.server.write(`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[]}}`)
		}, "interaction", "deny"},
		{"a line that is no message", nil, func(r *rig) { r.server.write("{") }, "one_reading", vocab.ModeAlways},
		{"a response that nothing asked for", nil, func(r *rig) { r.server.write(`{"jsonrpc":"2.0","id":"?","result":{}}`) }, "protocol", vocab.ModeAlways},
		{"a member that only we write", nil, func(r *rig) { ask(r, call, `"result":{"content":[],"sallyport/x":1}`) }, "impersonation", vocab.ModeAlways},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) {
				for key, value := range c.settings {
					r.gate.settings[key] = value
				}
			})
			r.initialize()
			r.tools("70")
			c.does(r)
			r.records(c.check, func(rec control.Record) bool {
				return rec.Kind == vocab.RecordPolicyDecision && rec.Mode == c.mode && strings.Contains(string(rec.Detail), `"check":"`+c.check+`"`)
			})
		})
	}
}
