package e2e

import (
	"fmt"
	"strings"
)

// playEverything plays what is special about server-everything: everything besides calls and responses.
func playEverything(s *session) {
	s.t.Helper()
	s.call("get-env", `{}`) // the environment a server gets is the client's
	s.call("get-roots-list", `{}`)
	s.call("trigger-sampling-request", `{"prompt":"say <something> & more","maxTokens":50}`)
	s.call("trigger-elicitation-request", `{}`)
	s.call("trigger-url-elicitation", `{"url":"https://example.com/a?b=c&d","message":"Open it","elicitationId":"e-1"}`)
	// The error −32042 carries data that a typed relay would re-encode.
	s.call("trigger-url-elicitation", `{"url":"https://example.com/x","message":"Open it","elicitationId":"e-2","errorPath":true}`)

	// Ids of every JSON type that this SDK accepts, in odd but valid JSON.
	for _, id := range []string{`0`, `-7`, `"0"`, `""`, `"\u0031"`, `9007199254740991`, `"` + strings.Repeat("i", 10_000) + `"`} {
		s.start(id, "tools/call", `{ "name" : "echo", "arguments":{"message":"\u00e9 \/ 1.0"} }`)
		s.answer(unescaped(id))
	}

	// Progress, with tokens of both types. The order of lines proves that each step comes before the response.
	s.request("tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":0.3,"steps":3},"_meta":{"progressToken":"p-1"}}`)
	s.request("tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":0.2,"steps":2},"_meta":{"progressToken":17,"x":1}}`)

	// Cancelled while it runs: this server then sends no response and continues with the rest.
	s.start(`"slow"`, "tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":2,"steps":8},"_meta":{"progressToken":"slow"}}`)
	s.heard(`"progressToken":"slow"`)
	s.notify("notifications/cancelled", `{"requestId":"slow","reason":"enough"}`)
	s.until("the last step of the cancelled call", func(_ envelope, line string) bool {
		return strings.Contains(line, `"progressToken":"slow"`) && strings.Contains(line, `"progress":8`)
	})
	s.request("ping", `{}`)

	// Subscriptions: the first update comes with the toggle. Toggled off again at once, it leaves no timer running.
	s.request("resources/subscribe", `{"uri":"demo://resource/dynamic/text/1"}`)
	s.call("toggle-subscriber-updates", `{}`)
	s.heard(`notifications/resources/updated`)
	s.call("toggle-subscriber-updates", `{}`)
	s.request("resources/unsubscribe", `{"uri":"demo://resource/dynamic/text/1"}`)

	// Many in flight at once.
	for i := range 32 {
		s.start(fmt.Sprintf(`"many-%d"`, i), "tools/call", fmt.Sprintf(`{"name":"get-sum","arguments":{"a":%d,"b":1}}`, i))
	}
	for i := range 32 {
		id := fmt.Sprintf(`"many-%d"`, i)
		if _, waiting := s.open[id]; waiting {
			s.answer(id)
		}
	}
	s.request("no/such/method", `{}`)
}

// unescaped is the id as the TypeScript SDK writes it.
func unescaped(id string) string { return strings.ReplaceAll(id, `\u0031`, "1") }
