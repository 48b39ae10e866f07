package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// driver uses a server through a real client and returns what the client got: one JSON document for the handshake ("hello"), one for each act,
// and one for what the server sent unasked.
type driver func(t *testing.T, argv, env []string, dir string, acts []act) []map[string]any

var drivers = []struct {
	name string
	run  driver
}{
	{"mcp-go", driveGo},
	{"the Python SDK", drivePython("legacy")},
}

func TestRealClientsSeeTheSameBehindTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			for _, server := range played(1, realServers) {
				t.Run(server.name, func(t *testing.T) {
					dir := folder(t)
					acts := slices.Concat(server.acts(dir), server.typed)
					play := func(before []string, more ...string) []map[string]any {
						env := server.ground(t, dir, more...)
						return d.run(t, append(before, server.argv(t, dir)...), env, dir, acts)
					}
					direct := play(nil)
					h := verbatim(t)
					wrapped := settle(h, func() []map[string]any { return play(h.wrap(), h.env()...) })
					compareDocuments(t, direct, wrapped, true)
				})
			}
		})
	}
}

// Two direct runs of a client are equal; otherwise the test above would prove nothing.
func TestRealClientsSeeTheSameTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	onlyLong(t)
	t.Parallel()
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			server := realServers[0]
			dir := folder(t)
			acts := slices.Concat(server.acts(dir), server.typed)
			play := func() []map[string]any { return d.run(t, server.argv(t, dir), server.ground(t, dir), dir, acts) }
			compareDocuments(t, play(), play(), false)
		})
	}
}

// compareDocuments compares what a client got. Behind the wrapper the listing has two more tools, and tools.listChanged is always declared.
func compareDocuments(t *testing.T, direct, other []map[string]any, wrapped bool) {
	t.Helper()
	if len(direct) != len(other) {
		t.Fatalf("%d documents, and %d directly", len(other), len(direct))
	}
	for i, was := range direct {
		is := other[i]
		if wrapped {
			allowListChanged(was)
			shortLived(was)
			if did, ok := is["act"].(map[string]any); ok && did["do"] == "list_tools" {
				takeOwnTools(t, is)
			}
		}
		rootsOnce(was)
		rootsOnce(is)
		unheard(was, "Roots updated: ") // server-everything says it each time it asked for them
		unheard(is, "Roots updated: ")
		a, b := normal(document(t, was)), normal(document(t, is))
		if a != b {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			from := max(at-60, 0)
			t.Errorf("document %d differs from byte %d on:\n  direct %s\n  here   %s", i, at, short(a[from:]), short(b[from:]))
		}
	}
}

// unheard leaves out the notifications that contain a text.
func unheard(doc map[string]any, text string) {
	if heard, ok := doc["heard"].([]any); ok {
		doc["heard"] = slices.DeleteFunc(slices.Clone(heard), func(h any) bool { return strings.Contains(fmt.Sprint(h), text) })
	}
}

// rootsOnce counts the requests for roots once: server-everything asks by a timer of its own, with or without us.
func rootsOnce(doc map[string]any) {
	asked, ok := doc["asked"].([]any)
	if !ok {
		return
	}
	seen := false
	doc["asked"] = slices.DeleteFunc(slices.Clone(asked), func(what any) bool {
		of, _ := what.(map[string]any)
		is := what == "roots/list" || of["roots"] == true // as each driver writes it
		again := is && seen
		seen = seen || is
		return again
	})
}

func document(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// allowListChanged writes tools.listChanged into the capabilities of a direct handshake.
func allowListChanged(doc map[string]any) {
	hello, ok := doc["hello"].(map[string]any)
	if !ok {
		return
	}
	capabilities, _ := hello["capabilities"].(map[string]any)
	if capabilities == nil {
		return
	}
	tools, _ := capabilities["tools"].(map[string]any)
	if tools == nil {
		tools = map[string]any{}
		capabilities["tools"] = tools
	}
	tools["listChanged"] = true
}

// takeOwnTools removes the wrapper's two tools from a listing; both must be there.
func takeOwnTools(t *testing.T, doc map[string]any) {
	t.Helper()
	result, _ := doc["result"].(map[string]any)
	listed, _ := result["tools"].([]any)
	var names []string
	kept := []any{}
	for _, tool := range listed {
		name, _ := tool.(map[string]any)["name"].(string)
		if slices.Contains(wrapperTools, name) {
			names = append(names, name)
			continue
		}
		kept = append(kept, tool)
	}
	if !ownNames(names) || len(names) != len(wrapperTools) {
		t.Errorf("the wrapper's tools in the listing: %v", names)
	}
	if result != nil {
		result["tools"] = kept
	}
}

// drivePython is the official Python SDK's client in one of its modes.
func drivePython(mode string) driver {
	return func(t *testing.T, argv, env []string, dir string, acts []act) []map[string]any {
		t.Helper()
		return drive(t, []string{cache(t, "venv", "bin", "python"), "-W", "ignore", filepath.Join("testdata", "driver.py")}, mode, argv, env, dir, acts)
	}
}

// drive runs a driver of testdata, which gets what it is to do in a file.
func drive(t *testing.T, program []string, mode any, argv, env []string, dir string, acts []act) []map[string]any {
	t.Helper()
	variables := map[string]string{} // the SDK passes on only a few by itself
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		variables[name] = value
	}
	spec := filepath.Join(t.TempDir(), "spec.json")
	put(t, spec, document(t, map[string]any{"mode": mode, "argv": argv, "env": variables, "cwd": dir, "acts": acts}))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], append(program[1:], spec)...)
	cmd.Env = environment()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program[len(program)-1]), err, said.String())
	}
	var documents []map[string]any
	for line := range bytes.Lines(out) {
		var doc map[string]any
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		unheard(doc, "list_changed") // no client counts bursts of it
		documents = append(documents, doc)
	}
	return documents
}

// The Inspector's command line prints the same bytes with and without us, except for the two tools.
func TestTheInspectorPrintsTheSameBehindTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	for _, c := range played(2, []struct {
		server int
		args   [][]string
	}{
		{1, [][]string{{"--method", "tools/list"}, {"--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path=DIR/one.txt"}}},
		{4, [][]string{{"--method", "tools/list"}, {"--method", "tools/call", "--tool-name", "git_status", "--tool-arg", "repo_path=DIR"}}},
		{2, [][]string{{"--method", "tools/list"}, {"--method", "tools/call", "--tool-name", "read_graph"}}},
		{3, [][]string{{"--method", "tools/list"}}},
		{5, [][]string{{"--method", "tools/list"}}},
		{0, [][]string{
			{"--method", "tools/list"}, {"--method", "prompts/list"}, {"--method", "resources/list"}, {"--method", "resources/templates/list"},
			{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=<hi> é"},
			{"--method", "tools/call", "--tool-name", "get-structured-content", "--tool-arg", "location=Chicago"},
			{"--method", "tools/call", "--tool-name", "get-tiny-image"},
			{"--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Porto"},
			{"--method", "resources/read", "--uri", "demo://resource/static/document/features.md"},
		}},
	}) {
		server := realServers[c.server]
		t.Run(server.name, func(t *testing.T) {
			dir := folder(t)
			env := server.ground(t, dir)
			h := verbatim(t)
			for _, args := range c.args {
				args = fill(slices.Clone(args), dir)
				t.Run(strings.Join(args[1:min(4, len(args))], " "), func(t *testing.T) {
					direct := inspect(t, env, dir, server.argv(t, dir), args)
					wrapped := settle(h, func() inspected {
						return inspect(t, append(env, h.env()...), dir, append(h.wrap(), server.argv(t, dir)...), args)
					})
					if args[1] == "tools/list" {
						direct.out, wrapped.out = withoutOwn(t, direct.out, false), withoutOwn(t, wrapped.out, true)
					}
					if normal(direct.out) != normal(wrapped.out) || direct.code != wrapped.code {
						t.Errorf("directly (status %d): %s\nwrapped (status %d): %s", direct.code, short(direct.out), wrapped.code, short(wrapped.out))
					}
					if direct.code != 0 {
						t.Errorf("the Inspector ends with status %d even directly: %s", direct.code, short(direct.out))
					}
				})
			}
		})
	}
}

// inspected is what the Inspector printed and how it ended.
type inspected struct {
	out  string
	code int
}

func inspect(t *testing.T, env []string, dir string, argv, args []string) inspected {
	t.Helper()
	// The target's own flags must not be taken for the Inspector's, so it gets a script without any.
	script := filepath.Join(t.TempDir(), "server.sh")
	put(t, script, "#!/bin/sh\nexec "+quoted(argv)+"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	command := append([]string{"--cli", script}, args...)
	for _, v := range env { // the Inspector passes on only a few variables by itself
		if strings.HasPrefix(v, "SALLYPORT_") || strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "MEMORY_") {
			command = append(command, "-e", v)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cache(t, "npm", "node_modules", ".bin", "mcp-inspector"), command...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(env), "HOME="+dir)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("Inspector: %v", err)
	}
	if t.Failed() || err != nil {
		t.Logf("Inspector: %v: %s", err, short(said.String()))
	}
	return inspected{out.String(), cmd.ProcessState.ExitCode()}
}

func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// withoutOwn removes the wrapper's tools from a listing as the Inspector prints it.
func withoutOwn(t *testing.T, out string, wrapped bool) string {
	t.Helper()
	var result map[string]any
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("no listing: %v: %s", err, short(out))
	}
	doc := map[string]any{"result": result}
	if wrapped {
		takeOwnTools(t, doc)
	}
	return document(t, doc)
}

// shortLived is how the wrapper lets a result be cached.
func shortLived(doc map[string]any) {
	result, _ := doc["result"].(map[string]any)
	if ttl, ok := result["ttlMs"].(float64); ok {
		result["ttlMs"], result["cacheScope"] = min(ttl, 5000), "private"
	}
}
