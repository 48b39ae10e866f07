package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	skillURI = "skill://git-workflow/SKILL.md"
	skillKey = "skill:" + skillURI
)

// skillRequests are what a client asks of a server with skills.
var skillRequests = []struct{ method, params string }{
	{"skills/list", ``},
	{"skills/get", `"uri":"` + skillURI + `"`},
	{"resources/directory/read", `"uri":"skill://git-workflow"`},
	{"resources/directory/read", `"uri":"skill://git-workflow/references"`},
	{"resources/read", `"uri":"` + skillURI + `"`},
	{"resources/read", `"uri":"skill://git-workflow/references/GUIDE.md"`},
	{"resources/read", `"uri":"skill://git-workflow/logo.png"`},
	{"resources/list", ``},
}

// A server of the official TypeScript SDK offers a skill to clients of both eras. Nothing of it is delivered before it is allowed; then it is the
// same as without the wrapper; and when the server makes another skill of it, nothing of that one is.
func TestASkillServerOfTheTypeScriptSDKWorksOnceItsSkillIsAllowed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	for _, modern := range []bool{false, true} {
		t.Run(map[bool]string{false: "2025-11-25", true: "2026-07-28"}[modern], func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			h := install(t)
			program, err := filepath.Abs(filepath.Join("testdata", "skills.mjs"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			argv := []string{"node", program, cache(t, "npm", "node_modules")}
			params := func(inside string) string {
				if modern {
					inside = strings.TrimPrefix(inside+","+modernClaims, ",")
				}
				return "{" + inside + "}"
			}
			begin := func(before ...string) *session {
				s := launch(t, dir, environment(h.env()...), append(before, argv...))
				if !modern {
					s.handshake("2025-11-25")
				}
				return s
			}
			direct := begin()
			var want []string
			for _, one := range skillRequests {
				want = append(want, result(t, direct.request(one.method, params(one.params))))
			}
			direct.hangUp(false)

			s := begin(h.wrap()...)
			for _, one := range skillRequests {
				got := s.request(one.method, params(one.params))
				empty := strings.HasSuffix(one.method, "/list") && (strings.Contains(got, `"skills":[]`) || strings.Contains(got, `"resources":[]`))
				if strings.Contains(got, "Rebase") || strings.Contains(got, "How this team") || !empty && !strings.Contains(got, `"code":4030`) {
					t.Errorf("before anything is allowed: %s: %s", one.method, short(got))
				}
			}
			wait(t, "the skill is in the inbox", func() bool { return h.listing([]string{skillKey}) })
			item := h.inbox()[0]
			shown, _ := h.run("show", item.Code)
			for _, part := range []string{"what the model is told to do (SKILL.md):", "Rebase, do not merge.", "asks that Claude may use tools without asking you: `Bash(git:*)`", "file `skill://git-workflow/logo.png`, 8 bytes"} {
				if !strings.Contains(strings.Join(strings.Fields(shown), " "), part) {
					t.Errorf("the review has no %q: %s", part, shown)
				}
			}
			detail, _ := h.run("show", item.Code, "--json")
			if !strings.Contains(detail, `Rebase, do not merge.\n"`) || !strings.Contains(detail, `"rule":"skill_grants"`) {
				t.Errorf("show --json: %s", short(detail))
			}
			h.approve()
			wait(t, "the skill is listed", func() bool { return strings.Contains(s.request("skills/list", params("")), skillURI) })
			for i, one := range skillRequests {
				if got := result(t, s.request(one.method, params(one.params))); got != want[i] {
					t.Errorf("%s {%s}: behind the wrapper\n%s, directly\n%s", one.method, one.params, got, want[i])
				}
			}
			if items := h.inbox(); len(items) != 0 {
				t.Errorf("an unchanged skill is in the inbox: %+v", items)
			}

			s.request("tools/call", params(`"name":"turn","arguments":{}`))
			wait(t, "the other skill is in the inbox", func() bool {
				s.request("skills/list", params(""))
				return h.listing([]string{skillKey})
			})
			for _, one := range skillRequests {
				if got := s.request(one.method, params(one.params)); strings.Contains(got, "force") {
					t.Errorf("another skill than allowed is delivered by %s: %s", one.method, short(got))
				}
			}
			if got := s.request("resources/read", params(`"uri":"`+skillURI+`"`)); !strings.Contains(got, `"code":4030`) || !strings.Contains(got, h.inbox()[0].Code) {
				t.Errorf("the refusal names no item: %s", short(got))
			}
			shown, _ = h.run("show", h.inbox()[0].Code)
			if words := strings.Join(strings.Fields(strings.ReplaceAll(shown, "|", "")), " "); !strings.Contains(words, "what it tells Claude changed") || !strings.Contains(shown, "force") {
				t.Errorf("the review does not show what changed: %s", shown)
			}
			h.approve()
			wait(t, "the new skill is read", func() bool {
				return strings.Contains(s.request("resources/read", params(`"uri":"`+skillURI+`"`)), "force")
			})
		})
	}
}

// result is the result of a response, without what a server says about caches: Sallyport shortens it.
func result(t *testing.T, line string) string {
	t.Helper()
	var m struct{ Result map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Result == nil {
		t.Fatalf("%v: %s", err, short(line))
	}
	delete(m.Result, "ttlMs")
	delete(m.Result, "cacheScope")
	raw, _ := json.Marshal(m.Result)
	return string(raw)
}
