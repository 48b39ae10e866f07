package clientconfig

import (
	"strings"
	"testing"
)

// Removing Sallyport must work for an entry that its client switched off meanwhile: switched on again, it would start nothing.
func TestAWrapperInAnEntryThatItsClientSwitchedOffSinceIsRemoved(t *testing.T) {
	for _, c := range []struct{ client, raw, on, off string }{
		{"cline", `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "disabled": false}}}`, `"disabled": false`, `"disabled": true`},
		{"cline", `{"mcpServers": {"a": {"command": "npx", "disabled": false}}}`, `"disabled": false`, `"disabled": true`},
		{"cline", `{"mcpServers": {"a": {"type": "sse", "url": "https://h.example/mcp", "disabled": false}}}`, `"disabled": false`, `"disabled": true`},
		{"opencode", `{"mcp": {"a": {"type": "local", "command": ["npx", "x"], "enabled": true}}}`, `"enabled": true`, `"disabled": true`},
		{"mistral-vibe", "[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"npx\"\ndisabled = false\n", "disabled = false", "disabled = true"},
		{"goose", "extensions:\n  a:\n    type: stdio\n    cmd: npx\n    disabled: false # mine\n", "disabled: false", "disabled: true"},
	} {
		t.Run(c.client, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			wrapped := mustWrap(t, c.raw, FormatOf(c.client), by)
			if !strings.Contains(string(wrapped.Raw), "wrap") {
				t.Fatalf("not wrapped: %s", wrapped.Raw)
			}
			off := strings.Replace(string(wrapped.Raw), c.on, c.off, 1)
			if e, _ := mustParse(t, off, FormatOf(c.client)).Entry("a"); !e.Alone {
				t.Fatalf("%s is not switched off in %s", e, off)
			}
			want := strings.Replace(c.raw, c.on, c.off, 1)
			for how, records := range map[string][]Record{"by its record": wrapped.Records, "by its arguments": nil} {
				if got := mustUnwrap(t, []byte(off), FormatOf(c.client), by, records); got != want {
					t.Errorf("%s:\n%s\nwant\n%s", how, got, want)
				}
			}
		})
	}
	t.Run("one without a wrapper is left, and named", func(t *testing.T) {
		raw := `{"mcpServers": {"a": {"command": "npx", "disabled": true}}}`
		result, err := Unwrap([]byte(raw), FormatOf("cline"), nil, installed(t), nil)
		if err != nil || string(result.Raw) != raw || len(result.Outcomes) != 1 || result.Outcomes[0].Did != DidLeave || !strings.Contains(result.Outcomes[0].Why, "disabled") {
			t.Errorf("%+v, %v", result.Outcomes, err)
		}
	})
}
