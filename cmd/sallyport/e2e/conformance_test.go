//go:build conformance

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// The official conformance suite, against a server on each of three SDKs: directly, and behind a wrapper, over the same bridge. `make conformance`
// installs it, runs it and compares it with docs/conformance.md.

// conformed is a server that the suite runs against.
type conformed struct {
	name     string
	argv     func(t *testing.T) []string
	natively func(t *testing.T) http.Handler // its own HTTP server, nil for none here
}

var conformedServers = []conformed{
	{"mcp-go", func(t *testing.T) []string { return helper(t, "conformance", fixture(t, "everything.json")) }, func(t *testing.T) http.Handler {
		all, err := readEverything(fixture(t, "everything.json"))
		if err != nil {
			t.Fatal(err)
		}
		return server.NewStreamableHTTPServer(all.server())
	}},
	{"TypeScript SDK", func(t *testing.T) []string {
		dir := t.TempDir()
		for _, name := range []string{"everything.json", "server.mjs"} {
			content, err := os.ReadFile(fixture(t, name))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, name), string(content))
		}
		if err := os.Symlink(cache(t, "conformance", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		return []string{suiteNode(t), filepath.Join(dir, "server.mjs")}
	}, nil},
	{"Python SDK", func(t *testing.T) []string {
		return []string{cache(t, "venv", "bin", "python"), "-W", "ignore", fixture(t, "server.py")}
	}, nil},
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "conformance", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// suiteNode is the Node that the suite needs, 22 or newer.
func suiteNode(t *testing.T) string {
	if dir := node(t); dir != "" {
		return filepath.Join(dir, "node")
	}
	return "node"
}

// outcomes are the worst status of each check, by scenario and check, and what the suite says about it.
type outcomes map[string]outcome

type outcome struct{ Status, ErrorMessage string }

var gravity = []string{"SKIPPED", "INFO", "SUCCESS", "WARNING", "FAILURE"}

// suite runs the scenarios that a revision requires, and those it reports, against an address.
func suite(t *testing.T, url, revision string) outcomes {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(suiteNode(t), cache(t, "conformance", "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", url, "--requirements", revision, "-o", dir)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput() // its status is 1 if anything failed
	found, globErr := filepath.Glob(filepath.Join(dir, "server-*", "checks.json"))
	if globErr != nil || len(found) == 0 {
		t.Fatalf("the suite: %v: %s", err, said)
	}
	scenario := regexp.MustCompile(`^server-(.+)-\d{4}-\d{2}-\d{2}T`)
	all := outcomes{}
	for _, path := range found {
		raw, err := os.ReadFile(path)
		var checks []struct {
			ID string
			outcome
		}
		if err != nil || json.Unmarshal(raw, &checks) != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := scenario.FindStringSubmatch(filepath.Base(filepath.Dir(path)))[1]
		for _, c := range checks {
			key := name + " / " + c.ID
			if slices.Index(gravity, c.Status) >= slices.Index(gravity, all[key].Status) {
				all[key] = c.outcome
			}
		}
	}
	return all
}

// bridgeTo is the address of a bridge to a command.
func bridgeTo(t *testing.T, dir string, argv, env []string) (url string, end func()) {
	b := newBridge(t, func() *exec.Cmd {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	})
	web := httptest.NewServer(b)
	return web.URL + "/mcp", func() { web.CloseClientConnections(); web.Close() }
}

// reviewed approves all of a server, in both eras.
func reviewed(t *testing.T, h *installation, dir string, argv []string) {
	t.Helper()
	for _, era := range []string{"legacy", "modern"} {
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
		params := `{}`
		if era == "legacy" {
			s.handshake("2025-11-25")
		} else {
			params = `{"_meta":{"` + metaVersion + `":"` + modernVersion + `","` + metaCapabilities + `":{},"io.modelcontextprotocol/clientInfo":{"name":"e2e","version":"1"}}}`
		}
		wait(t, "everything is approved in the "+era+" era", func() bool {
			h.approve()
			return strings.Contains(s.request("tools/list", params), "test_simple_text") && strings.Contains(s.request("prompts/list", params), "test_simple_prompt") &&
				strings.Contains(s.request("resources/templates/list", params), "test://template")
		})
		s.hangUp(true)
	}
}

const (
	whyLacking = "The suite calls a tool that the servers lack. They answer with an error. Sallyport refuses a name that no listing has with a tool result, which this check takes for one."
	whyStream  = "The wrapper holds its own stream to the server, so it hears of changes that come before the client's stream is open."
	whyVersion = "Sallyport answers a version that it does not speak by itself, with the versions that the server speaks too."
)

// unequal explains each check that has another outcome behind the wrapper than directly. Such a check is of a scenario that fails directly as
// well, or has the better outcome behind the wrapper.
var unequal = map[string]string{
	"sep-2663-tasks-result-removed-method-not-found":             "2026-07-28 has no `tasks/result`. Sallyport refuses a task that it does not know (4030) before it asks what the server would say (−32601).",
	"sep-2663-server-rejects-undeclared-client":                  whyLacking,
	"sep-2663-legacy-task-param-ignored":                         whyLacking,
	"tasks-immediate-result-shortcut":                            whyLacking,
	"tasks-result-type-complete-on-non-task-responses":           whyLacking,
	"tasks-sync-tool-call":                                       whyLacking,
	"sep-2575-server-unsupported-version-error":                  whyVersion,
	"sep-2575-http-server-unsupported-version-400":               whyVersion,
	"sep-2575-http-server-method-not-found-404-initialize":       "Sallyport answers `initialize` in the modern era by itself.",
	"sep-2575-server-honors-notification-filter":                 "mcp-go sends each change to every stream, now and then before the check looks. Sallyport passes only what a stream asked for.",
	"sep-2575-server-tags-subscription-id":                       "mcp-go sends some changes to every client, with the id of no stream, now and then before the check looks. Sallyport passes only what a stream asked for, with that stream's id.",
	"sep-2575-server-sends-tools-list-changed-on-subscription":   whyStream,
	"sep-2575-server-sends-prompts-list-changed-on-subscription": whyStream,
}

// compared is one server in one revision.
type compared struct {
	server, revision          string
	direct, wrapped, natively outcomes
}

// passing are the scenarios of which no check failed, and those of which one did.
func (all outcomes) passing() (passed, failed []string) {
	bad := map[string]bool{}
	for key, o := range all {
		scenario, _, _ := strings.Cut(key, " / ")
		bad[scenario] = bad[scenario] || o.Status == "FAILURE"
	}
	for _, scenario := range slices.Sorted(maps.Keys(bad)) {
		if bad[scenario] {
			failed = append(failed, scenario)
		} else {
			passed = append(passed, scenario)
		}
	}
	return passed, failed
}

func TestWhatConformsDirectlyConformsBehindTheWrapper(t *testing.T) {
	var results []compared
	for _, server := range conformedServers {
		argv, dir := server.argv(t), t.TempDir()
		h := verbatim(t)
		reviewed(t, h, dir, argv)
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(server.name+"/"+revision, func(t *testing.T) {
				run := func(argv, env []string) outcomes {
					url, end := bridgeTo(t, dir, argv, env)
					defer end()
					return suite(t, url, revision)
				}
				r := compared{server: server.name, revision: revision, direct: run(argv, environment()), wrapped: run(append(h.wrap(), argv...), environment(h.env()...))}
				if server.natively != nil {
					web := httptest.NewServer(server.natively(t))
					r.natively = suite(t, web.URL+"/mcp", revision)
					web.CloseClientConnections()
					web.Close()
				}
				results = append(results, r)
				r.check(t)
				if items := h.inbox(); len(items) != 0 {
					t.Errorf("waiting: %+v", items)
				}
			})
		}
	}
	if *write && !t.Failed() {
		put(t, filepath.Join("..", "..", "..", "docs", "conformance.md"), conformancePage(results))
	}
}

// check holds what this is about: what passes directly passes behind the wrapper, and whatever else differs is explained.
func (r *compared) check(t *testing.T) {
	t.Helper()
	passed, _ := r.direct.passing()
	_, failed := r.wrapped.passing()
	for _, scenario := range failed {
		if slices.Contains(passed, scenario) {
			t.Errorf("%s passes directly and fails behind the wrapper", scenario)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.direct)) {
		_, id, _ := strings.Cut(key, " / ")
		if one, other := r.direct[key], r.wrapped[key]; one.Status != other.Status && unequal[id] == "" {
			t.Errorf("%s: %s directly, %s behind the wrapper: %s", key, one.Status, cmp.Or(other.Status, "missing"), cmp.Or(other.ErrorMessage, one.ErrorMessage))
		}
	}
}

// conformancePage is docs/conformance.md.
func conformancePage(results []compared) string {
	var b strings.Builder
	b.WriteString(`# Conformance

<!-- Written by ` + "`make conformance WRITE=1`" + ` from what the suite says. -->

The protocol has an official conformance suite (` + "`@modelcontextprotocol/conformance`" + ` 0.2.0-alpha.12). ` + "`make conformance`" + ` runs what each revision requires of a server,
and what the suite only reports, against a server on each of three SDKs, first directly and then behind a wrapper that has allowed all of it. All three serve
the same tools, prompts and resources (` + "`cmd/sallyport/e2e/testdata/conformance`" + `). The suite speaks HTTP and a wrapper speaks lines, so both runs go over the
same small bridge, which exists for this test alone. *Natively* is the SDK's own HTTP server, without the bridge.

No scenario that passes directly fails behind the wrapper. One that fails directly is known only while it does.

| server | revision | pass directly | pass behind the wrapper | pass natively |
|---|---|---|---|---|
`)
	failing, differing := map[string][]string{}, map[string][]string{}
	for _, r := range results {
		row := func(all outcomes) string {
			if all == nil {
				return ""
			}
			passed, failed := all.passing()
			return fmt.Sprintf("%d of %d", len(passed), len(passed)+len(failed))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.server, r.revision, row(r.direct), row(r.wrapped), row(r.natively))
		where := r.server + " " + r.revision
		_, failed := r.direct.passing()
		for _, scenario := range failed {
			failing[scenario] = append(failing[scenario], where)
		}
		for _, key := range slices.Sorted(maps.Keys(r.direct)) {
			if one, other := r.direct[key].Status, r.wrapped[key].Status; one != other {
				_, id, _ := strings.Cut(key, " / ")
				row := fmt.Sprintf("| `%s` | %s | %s |", id, strings.ToLower(one), strings.ToLower(other))
				differing[row] = append(differing[row], where)
			}
		}
	}
	b.WriteString("\n## What fails directly\n\nExtensions that the servers don't have (tasks), headers of HTTP that a server on stdio never sees, and what an SDK leaves out.\n\n| scenario | with |\n|---|---|\n")
	for _, scenario := range slices.Sorted(maps.Keys(failing)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", scenario, strings.Join(failing[scenario], ", "))
	}
	b.WriteString("\n## What differs behind the wrapper\n\n| check | directly | behind the wrapper | with | why |\n|---|---|---|---|---|\n")
	for _, row := range slices.Sorted(maps.Keys(differing)) {
		id := strings.Split(row, "`")[1]
		fmt.Fprintf(&b, "%s %s | %s |\n", row, strings.Join(differing[row], ", "), unequal[id])
	}
	return b.String()
}
