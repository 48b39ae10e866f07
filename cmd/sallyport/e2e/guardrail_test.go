//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// England's flag, as an emoji: honest, and written in tag characters, which LlamaFirewall blocks.
var england = "\U0001F3F4" + hiddenWords("gbeng") + "\U000E007F"

// reportServer gives a report that is honest to Sallyport's own detector, with what the call asks for in it.
const reportServer = `{"tools":[{"name":"report","description":"Reads a report.","inputSchema":{"type":"object"}}],
 "rules":[{"on":"tools/call report","steps":[{"result":{"content":[{"type":"text","text":"Report: ${arg:about}."}]}}]}]}`

// set changes a setting as a person does on this hub.
func (h *installation) set(key, value string) {
	h.t.Helper()
	if out, code := h.run("settings", "set", key, value, "--yes"); code != 0 {
		h.t.Fatalf("settings set %s: status %d: %s", key, code, out)
	}
}

// judged starts a hub with a provider, and a client with the report server in front of it.
func judged(t *testing.T, provider, key string, argv []string) (*installation, *session) {
	t.Helper()
	dir := folder(t)
	h := install(t)
	value := argv[0]
	if provider == "command" {
		raw, err := json.Marshal(argv)
		if err != nil {
			t.Fatal(err)
		}
		value = string(raw)
	}
	h.set(key, value)
	h.set("guardrail.timeout", "30s") // this machine may be busy
	h.set("guardrail.provider", provider)
	s := h.inFront(dir, "e2e", script(t, dir, "report.json", reportServer))
	h.approve()
	s.heard("list_changed")
	return h, s
}

func (s *session) report(about string) string {
	s.t.Helper()
	raw, err := json.Marshal(map[string]string{"about": about})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.call("report", string(raw))
}

func TestLlamaFirewallHoldsWhatItFindsAndPassesAnAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LlamaFirewall")
	}
	python, _ := llamaFirewall(t)
	h, s := judged(t, "llamafirewall", "guardrail.llamafirewall.python", []string{python})
	if got := s.report("Anna Ferreira <anna.ferreira@example.org>, +1 (555) 010-9999"); !strings.Contains(got, "anna.ferreira@example.org") {
		t.Errorf("an honest response: %s", got)
	}
	held := s.report("Match: " + england + " 2:1")
	d := s.decided(held)
	if d.Status != "held" || strings.Contains(held, "2:1") || strings.Contains(held, "HIDDEN_ASCII") {
		t.Fatalf("the client got %s", held)
	}
	shown, _ := h.run("show", d.Code)
	for _, part := range []string{"guardrail:llamafirewall", "HIDDEN_ASCII", "PROMPT_GUARD", "not on this disk"} {
		if !strings.Contains(shown, part) {
			t.Errorf("show does not say %q:\n%s", part, shown)
		}
	}
}

func TestAProviderAndItsDescendantsDecideNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hub")
	}
	dir := folder(t)
	h, told := install(t), t.TempDir()
	h.inFront(dir, "e2e", script(t, dir, "report.json", reportServer))
	pending := h.inbox()
	if len(pending) != 1 {
		t.Fatalf("inbox: %+v", pending)
	}
	argv, err := json.Marshal(helper(t, "meddle", h.binary(), h.path, pending[0].Code, told))
	if err != nil {
		t.Fatal(err)
	}
	h.set("guardrail.command.argv", string(argv))
	h.set("guardrail.provider", "command") // which asks it, twice
	before, _ := h.run("settings", "list", "--json")
	for i, words := range meddling {
		for _, who := range []string{"child", "daemon"} {
			var said []byte
			wait(t, "the "+who+" has been told", func() bool {
				said, err = os.ReadFile(filepath.Join(told, fmt.Sprint(who, i)))
				return err == nil
			})
			if !strings.Contains(string(said), "inside a guarded server") {
				t.Errorf("%s as a %s: %s", words, who, said)
			}
		}
	}
	if after, code := h.run("settings", "list", "--json"); after != before || code != 0 {
		t.Errorf("settings before %s\nafter %s", before, after)
	}
	if after := h.inbox(); len(after) != 1 || after[0].Code != pending[0].Code {
		t.Errorf("inbox: %+v", after)
	}
}
