package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// act is one thing a client does. The Python driver and the Inspector read the same list.
type act struct {
	Do   string         `json:"do"` // list_tools, list_prompts, list_resources, list_templates, call, progress, cancel, prompt, read, complete, ping, level
	Name string         `json:"name,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// realServer is a server as people install it.
type realServer struct {
	name string
	argv func(t testing.TB, dir string) []string
	env  func(dir string) []string
	// prepare fills an empty folder with the same content for every run.
	prepare func(t testing.TB, dir string)
	acts    func(dir string) []act
	// After the acts, more is played by the raw client only, typed by the clients of an SDK only.
	more  func(s *session)
	typed []act
}

func call(tool string, pairs ...any) act {
	args := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	return act{Do: "call", Name: tool, Args: args}
}

var realServers = []realServer{
	{
		name: "server-everything",
		argv: npm("mcp-server-everything"),
		acts: func(string) []act {
			return []act{
				{Do: "list_tools"}, {Do: "list_prompts"}, {Do: "list_resources"}, {Do: "list_templates"},
				call("echo", "message", "<&> \u00e9\u2028 \U0001F600 \\u0041"),
				call("get-sum", "a", 1.5, "b", 2),
				call("get-tiny-image"),
				call("get-structured-content", "location", "Chicago"),
				call("get-annotated-message", "messageType", "error", "includeImage", true),
				call("get-resource-links", "count", 4),
				call("get-resource-reference", "resourceType", "Text", "resourceId", 1),
				call("get-resource-reference", "resourceType", "Blob", "resourceId", 2),
				call("echo"), // without its argument: an error in the result
				{Do: "prompt", Name: "simple-prompt"},
				{Do: "prompt", Name: "args-prompt", Args: map[string]any{"city": "Porto", "state": "PT"}},
				{Do: "prompt", Name: "resource-prompt", Args: map[string]any{"resourceType": "Text", "resourceId": "3"}},
				{Do: "read", Name: "demo://resource/static/document/features.md"},
				{Do: "read", Name: "demo://resource/dynamic/text/7"},
				{Do: "read", Name: "demo://resource/dynamic/blob/8"},
				{Do: "read", Name: "demo://no/such/thing"},
				{Do: "complete", Name: "completable-prompt", Args: map[string]any{"department": "E"}},
				{Do: "ping"}, {Do: "level", Name: "debug"},
			}
		},
		more: playEverything,
		typed: []act{
			call("get-roots-list"),
			call("trigger-sampling-request", "prompt", "say <something>", "maxTokens", 50),
			call("trigger-elicitation-request"),
			{Do: "progress", Name: "trigger-long-running-operation", Args: map[string]any{"duration": 0.4, "steps": 4}},
			{Do: "cancel", Name: "trigger-long-running-operation", Args: map[string]any{"duration": 2, "steps": 2}},
			call("echo", "message", "after the cancelled one"),
		},
	},
	{
		name: "server-filesystem",
		argv: npm("mcp-server-filesystem", "DIR"),
		prepare: func(t testing.TB, dir string) {
			put(t, filepath.Join(dir, "one.txt"), "first\nsecond \"quoted\"\n\x1b[31mred\x1b[0m\n")
			put(t, filepath.Join(dir, "big.txt"), strings.Repeat("a line of text \\ with \"marks\"\n", 40_000)) // 1.2 MB
			put(t, filepath.Join(dir, "sub", "dot.png"), "\x89PNG\r\n\x1a\n\x00\x00")
		},
		acts: func(dir string) []act {
			at := func(name string) string { return filepath.Join(dir, name) }
			return []act{
				{Do: "list_tools"},
				call("list_allowed_directories"),
				call("read_text_file", "path", at("one.txt"), "head", 1),
				call("read_text_file", "path", at("big.txt")),
				call("read_media_file", "path", at("sub/dot.png")),
				call("read_multiple_files", "paths", []string{at("one.txt"), at("missing")}),
				call("write_file", "path", at("new.txt"), "content", "x < y && \u00e9"),
				call("edit_file", "path", at("new.txt"), "edits", []any{map[string]any{"oldText": "x", "newText": "z"}}),
				call("list_directory", "path", dir),
				call("directory_tree", "path", dir),
				call("search_files", "path", dir, "pattern", "**/*.txt"),
				call("get_file_info", "path", at("one.txt")),
				call("move_file", "source", at("new.txt"), "destination", at("moved.txt")),
				call("read_text_file", "path", "/etc/passwd"), // outside: the server's own refusal
			}
		},
	},
	{
		name: "server-memory",
		argv: npm("mcp-server-memory"),
		env:  func(dir string) []string { return []string{"MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl")} },
		acts: func(string) []act {
			return []act{
				{Do: "list_tools"}, {Do: "list_resources"},
				call("read_graph"),
				call("create_entities", "entities", []any{
					map[string]any{"name": "Ada", "entityType": "person", "observations": []string{"writes \"notes\" & programs"}},
					map[string]any{"name": "Engine", "entityType": "machine", "observations": []string{}}}),
				call("create_relations", "relations", []any{map[string]any{"from": "Ada", "to": "Engine", "relationType": "programs"}}),
				call("add_observations", "observations", []any{map[string]any{"entityName": "Ada", "contents": []string{"likes <tags>"}}}),
				call("search_nodes", "query", "notes"),
				call("open_nodes", "names", []string{"Ada"}),
				call("add_observations", "observations", []any{map[string]any{"entityName": "Nobody", "contents": []string{"x"}}}),
				call("delete_entities", "entityNames", []string{"Engine"}),
				call("read_graph"),
			}
		},
	},
	{
		name: "server-sequential-thinking",
		argv: npm("mcp-server-sequential-thinking"),
		acts: func(string) []act {
			thought := func(n int, more bool) act {
				return call("sequentialthinking", "thought", fmt.Sprintf("thought %d", n), "thoughtNumber", n, "totalThoughts", 2, "nextThoughtNeeded", more)
			}
			return []act{{Do: "list_tools"}, thought(1, true), thought(2, false), call("sequentialthinking", "thought", "without the rest")}
		},
	},
	{
		name: "mcp-server-git",
		argv: python("mcp-server-git", "--repository", "DIR"),
		env:  func(string) []string { return gitEnv },
		prepare: func(t testing.TB, dir string) {
			git(t, dir, "init", "-q", "-b", "main")
			put(t, filepath.Join(dir, "a.txt"), "one\n")
			git(t, dir, "add", ".")
			git(t, dir, "commit", "-qm", "first")
			put(t, filepath.Join(dir, "a.txt"), "one\ntwo <&>\n")
		},
		acts: func(dir string) []act {
			return []act{
				{Do: "list_tools"},
				call("git_status", "repo_path", dir),
				call("git_diff_unstaged", "repo_path", dir),
				call("git_add", "repo_path", dir, "files", []string{"a.txt"}),
				call("git_diff_staged", "repo_path", dir),
				call("git_commit", "repo_path", dir, "message", "second"),
				call("git_log", "repo_path", dir, "max_count", 5),
				call("git_show", "repo_path", dir, "revision", "HEAD"),
				call("git_create_branch", "repo_path", dir, "branch_name", "other"),
				call("git_branch", "repo_path", dir, "branch_type", "local"),
				call("git_checkout", "repo_path", dir, "branch_name", "missing"),
			}
		},
	},
	{
		name: "mcp-server-time",
		argv: python("mcp-server-time", "--local-timezone", "Europe/Lisbon"),
		acts: func(string) []act {
			return []act{
				{Do: "list_tools"},
				call("get_current_time", "timezone", "Asia/Tokyo"),
				call("convert_time", "source_timezone", "Europe/Oslo", "time", "16:30", "target_timezone", "Asia/Kathmandu"),
				call("get_current_time", "timezone", "Nowhere/Land"),
			}
		},
	},
}

// gitEnv makes commits equal in every run. Its dates are in the one form that git and GitPython both read.
var gitEnv = []string{"GIT_AUTHOR_DATE=1767323045 +0000", "GIT_COMMITTER_DATE=1767323045 +0000",
	"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, environment(gitEnv...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cache is where install.sh puts servers and clients.
func cache(t testing.TB, parts ...string) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	path := filepath.Join(append([]string{root, ".cache"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not there: run `make test` once (or cmd/sallyport/e2e/install.sh), which installs the real servers; `go test -short` leaves these tests out", filepath.Join(parts...))
	}
	return path
}

// node is the folder of the node installed with the servers, or "" if the registry has none for this machine.
func node(t testing.TB) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache(t, "npm", "node_modules"), "node-*", "bin"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

// withNode is a PATH on which that node is first, if there is one.
func withNode(t testing.TB) []string {
	t.Helper()
	if bin := node(t); bin != "" {
		return []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	}
	return nil
}

// npm runs a server of the npm registry; DIR in its arguments is the folder it works in.
func npm(name string, args ...string) func(testing.TB, string) []string {
	return func(t testing.TB, dir string) []string {
		return fill(append([]string{cache(t, "npm", "node_modules", ".bin", name)}, args...), dir)
	}
}

func python(name string, args ...string) func(testing.TB, string) []string {
	return func(t testing.TB, dir string) []string {
		return fill(append([]string{cache(t, "venv", "bin", name)}, args...), dir)
	}
}

func fill(argv []string, dir string) []string {
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "DIR", dir)
	}
	return argv
}

// ground prepares a new folder for one run of a server, always at the same path, and returns the environment for it.
func (r realServer) ground(t testing.TB, dir string, more ...string) []string {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if r.prepare != nil {
		r.prepare(t, dir)
	}
	if r.env != nil {
		more = append(more, r.env(dir)...)
	}
	return environment(append(more, withNode(t)...)...)
}

// message is the request of an act on the wire.
func (a act) message(t testing.TB) (method, params string) {
	t.Helper()
	args, err := json.Marshal(a.Args)
	if err != nil {
		t.Fatal(err)
	}
	if a.Args == nil {
		args = []byte("{}")
	}
	name, _ := json.Marshal(a.Name)
	switch a.Do {
	case "list_tools":
		return "tools/list", `{}`
	case "list_prompts":
		return "prompts/list", `{}`
	case "list_resources":
		return "resources/list", `{}`
	case "list_templates":
		return "resources/templates/list", `{}`
	case "call":
		return "tools/call", fmt.Sprintf(`{"name":%s,"arguments":%s}`, name, args)
	case "prompt":
		return "prompts/get", fmt.Sprintf(`{"name":%s,"arguments":%s}`, name, args)
	case "read":
		return "resources/read", fmt.Sprintf(`{"uri":%s}`, name)
	case "complete":
		argument, value := a.argument()
		return "completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%q,"value":%q}}`, name, argument, value)
	case "ping":
		return "ping", `{}`
	case "level":
		return "logging/setLevel", fmt.Sprintf(`{"level":%s}`, name)
	}
	t.Fatalf("no act %q", a.Do)
	return "", ""
}

// argument is the only argument of an act.
func (a act) argument() (name, value string) {
	for k, v := range a.Args {
		return k, fmt.Sprint(v)
	}
	return "", ""
}
