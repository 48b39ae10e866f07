package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// inForceWithin is how long after a decision a wrapper can go by what was before it.
	inForceWithin = time.Second
	// revisions is how many output schemas the tool measure has, one after the other.
	revisions = 5
)

// measuringServer has two tools that say 1. What one declares about that changes with each file that appears; the other never keeps its word.
func measuringServer(t *testing.T, dir string) []string {
	t.Helper()
	type face map[string]any
	tools := func(measure string) face {
		return face{
			"tools": []json.RawMessage{json.RawMessage(measure), json.RawMessage(`{"name":"gauge","description":"Gauges.","inputSchema":{"type":"object"},"outputSchema":{"properties":{"n":{"type":"string"}}}}`)},
			"answers": map[string]json.RawMessage{
				"measure": json.RawMessage(`{"content":[],"structuredContent":{"n":1}}`),
				"gauge":   json.RawMessage(`{"content":[],"structuredContent":{"n":1}}`),
			},
		}
	}
	server, faces, rules := tools(`{"name":"measure","description":"Measures.","inputSchema":{"type":"object"}}`), face{}, []any{}
	for i := range revisions {
		name := fmt.Sprint("revision", i)
		faces[name] = tools(fmt.Sprintf(`{"name":"measure","description":"Measures.","inputSchema":{"type":"object"},"outputSchema":{"properties":{"n":{"minimum":%d}}}}`, i+2))
		rules = append(rules, face{"on": "file " + filepath.Join(dir, name), "steps": []face{{"put": name, "notify": "notifications/tools/list_changed"}}})
	}
	server["faces"], server["rules"] = faces, rules
	raw, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	return script(t, dir, "measuring.json", string(raw))
}

// inForce calls a tool until it is refused for its output schema, or isn't, and returns how long that took.
func (s *session) inForce(tool string, refused bool) time.Duration {
	s.t.Helper()
	began := time.Now()
	for {
		got := s.call(tool, `{}`)
		if strings.Contains(got, "does not match its output schema") == refused && (refused || strings.Contains(got, `"structuredContent":{"n":1}`)) {
			return time.Since(began)
		}
		if time.Since(began) > patience {
			s.t.Fatalf("not within %v: %s", patience, got)
		}
	}
}

// What a person decides is in force in the wrapper within a second: a setting of a server or a tool, and an output schema that came with an
// approval. With the hub away, for good, both still are.
func TestSettingsAndSchemasAreInForceWithinASecondAndWithTheHubAway(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	home, err := os.MkdirTemp(scratch, "h")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(home, "sallyport")
	if err := os.Link(sallyport(t), program); err != nil {
		t.Fatal(err)
	}
	h := installWith(t, program, filepath.Join(home, "home"), nil)
	s := launch(t, dir, environment(h.env()...), append([]string{program, "wrap", "--client", "e2e", "--name", "meter", "--"}, measuringServer(t, dir)...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	h.approve()
	s.heard("list_changed")
	s.inForce("gauge", false) // as by default, where it is only recorded

	within := func(what string, took time.Duration) {
		t.Logf("%s: in force %v after the command had returned, at best of five", what, took.Round(100*time.Microsecond))
		if took > inForceWithin {
			t.Errorf("%s was in force after %v", what, took)
		}
	}
	mode := func(mode string, more ...string) {
		t.Helper()
		if out, code := h.run(append([]string{"settings", "set", "output_validation.mode", mode, "--yes", "--server", "meter"}, more...)...); code != 0 {
			t.Fatalf("settings set %s: status %d: %s", mode, code, out)
		}
	}
	for _, c := range []struct {
		what string
		more []string
	}{{"a setting of a server", nil}, {"a setting of a tool", []string{"--tool", "gauge"}}} { // the second holds against the first
		looser := time.Hour
		within(c.what+" that is stricter", best(func() time.Duration {
			mode("strict", c.more...)
			took := s.inForce("gauge", true)
			mode("warn", c.more...)
			looser = min(looser, s.inForce("gauge", false))
			return took
		}))
		within(c.what+" that is looser", looser)
	}

	mode("strict")
	mode("warn", "--tool", "gauge")
	revision := 0
	within("an output schema that was approved", best(func() time.Duration {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("revision", revision)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		revision++
		wait(t, "the change is blocked", func() bool {
			return len(h.inbox()) == 1 && strings.Contains(s.call("measure", `{}`), `"status":"blocked"`)
		})
		h.approve()
		return s.inForce("measure", true)
	}))

	if err := os.Remove(program); err != nil { // so that no wrapper starts another hub
		t.Fatal(err)
	}
	if err := h.process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, "no hub answers", func() bool { return at(t, h.path).hubPID() == 0 })
	if _, err := os.Stat(program); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the program is still there: %v", err)
	}
	for range 50 {
		if got := s.call("measure", `{}`); !strings.Contains(got, "does not match its output schema (minimum at /properties/n/minimum") {
			t.Fatalf("without a hub, what breaks the approved schema: %s", got)
		}
		if got := s.call("gauge", `{}`); !strings.Contains(got, `"structuredContent":{"n":1}`) {
			t.Fatalf("without a hub, the tool that has a setting of its own: %s", got)
		}
	}
}
