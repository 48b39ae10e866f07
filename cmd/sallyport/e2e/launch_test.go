package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// launched is the pending launch item, nil if there is none.
func (h *installation) launched() *waiting {
	h.t.Helper()
	for _, item := range h.inbox() {
		if item.Kind == "launch" {
			return &item
		}
	}
	return nil
}

// awaitLaunch waits for a launch item and returns it with the output of show.
func (h *installation) awaitLaunch() (item waiting, shown string) {
	h.t.Helper()
	wait(h.t, "a launch item is in the inbox", func() bool {
		found := h.launched()
		if found != nil {
			item = *found
		}
		return found != nil
	})
	if len(item.Parts) != 1 || item.Parts[0].Item != "launch" {
		h.t.Errorf("parts of a launch item: %+v", item.Parts)
	}
	shown, code := h.run("show", item.Code)
	if code != 0 && code != 3 {
		h.t.Fatalf("show %s: status %d: %s", item.Code, code, shown)
	}
	return item, strings.Join(strings.Fields(shown), " ")
}

// begin starts a wrapped server as a client, does the handshake and returns the session with the response to initialize.
func (h *installation) begin(client, dir string, env []string, argv ...string) (*session, string) {
	h.t.Helper()
	s := launch(h.t, dir, environment(append(h.env(), env...)...), append([]string{sallyport(h.t), "wrap", "--client", client, "--"}, argv...))
	return s, s.handshake("2025-06-18")
}

// allowed starts a server for the first time and allows all of it, including what it runs.
func (h *installation) allowed(client, dir string, env []string, argv ...string) {
	h.t.Helper()
	s, _ := h.begin(client, dir, env, argv...)
	wait(h.t, "the new server is in the inbox, what it runs with it", func() bool { return h.listing([]string{"launch"}) })
	wait(h.t, "everything is approved", func() bool { return h.approve() == 0 })
	s.hangUp(true)
}

// works makes one call and reports whether the server answered it.
func (s *session) works(tool, arguments string) bool {
	s.t.Helper()
	answer := s.call(tool, arguments)
	return !strings.Contains(answer, "[Sallyport]") && strings.Contains(answer, `"result"`)
}

// refusedAs expects a call to be refused because of the launch, with the item's code.
func (s *session) refusedAs(code, tool, arguments string) {
	s.t.Helper()
	var answer struct {
		Result struct {
			IsError bool `json:"isError"`
			Meta    struct {
				Decision struct {
					Code   string `json:"code"`
					Kind   string `json:"kind"`
					Status string `json:"status"`
				} `json:"sallyport/decision"`
			} `json:"_meta"`
		} `json:"result"`
	}
	line := s.call(tool, arguments)
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		s.t.Fatal(err)
	}
	d := answer.Result.Meta.Decision
	if !answer.Result.IsError || d.Code != code || d.Kind != "launch" || d.Status != "blocked" {
		s.t.Errorf("a call that the launch item %s must refuse: %s", code, short(line))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func program(t testing.TB, path, content string) {
	t.Helper()
	put(t, path, content)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// nodePath is a PATH with the node that came with the servers in front.
func nodePath(t testing.TB) string {
	if bin := node(t); bin != "" {
		return bin + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	return os.Getenv("PATH")
}

const tokyo = `{"timezone":"Asia/Tokyo"}`

func TestLaunchAnotherExecutableByPATHIsNotStartedUntilItIsAllowed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "x"), "")
	real := cache(t, "venv", "bin")
	argv := []string{"mcp-server-time", "--local-timezone", "Europe/Lisbon"}
	path := func(first string) []string {
		return []string{"PATH=" + first + string(os.PathListSeparator) + os.Getenv("PATH")}
	}
	h.allowed("e2e", dir, path(real), argv...)

	mark := filepath.Join(dir, "ran")
	other := filepath.Join(dir, "other")
	program(t, filepath.Join(other, "mcp-server-time"), "#!"+filepath.Join(real, "python")+"\nopen('"+mark+"', 'w').close()\nfrom mcp_server_time import main\nmain()\n")
	s, hello := h.begin("e2e", dir, path(other), argv...)
	if !strings.Contains(hello, `"not started"`) {
		t.Errorf("initialize of a server that may not start: %s", short(hello))
	}
	item, shown := h.awaitLaunch()
	s.refusedAs(item.Code, "get_current_time", tokyo)
	if names := toolNames(t, s.request("tools/list", `{}`)); len(names) != 2 || !ownNames(names) {
		t.Errorf("tools of a server that was not started: %v", names)
	}
	if !strings.Contains(shown, "runs another executable") || !strings.Contains(shown, "sha256:") {
		t.Errorf("show: %s", shown)
	}
	whole, _ := h.run("show", item.Code, "--json") // a page breaks long paths into lines
	for _, want := range []string{filepath.Join(real, "mcp-server-time"), filepath.Join(other, "mcp-server-time")} {
		if !strings.Contains(whole, want) {
			t.Errorf("show --json does not name %s: %s", want, whole)
		}
	}
	if exists(mark) {
		t.Fatal("the other executable was started")
	}
	if out, code := h.run("approve", item.Code, "--yes"); code != 0 {
		t.Fatalf("approve: status %d: %s", code, out)
	}
	s.heard("notifications/tools/list_changed")
	wait(t, "the server was started in the same session", func() bool { return s.works("get_current_time", tokyo) })
	if !exists(mark) {
		t.Error("something else was started than was allowed")
	}
	s.hangUp(true)
	if left := h.inbox(); len(left) != 0 {
		out, _ := h.run("show", left[0].Code, "--json")
		t.Errorf("after the approval: %+v\n%s", left, out)
	}
}

func TestLaunchAChangedScriptIsSaidAndTheServerRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	script := filepath.Join(dir, "server.mjs")
	content := "await import(" + `"` + cache(t, "npm", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js") + `"` + ");\n"
	put(t, script, content)
	env := []string{"PATH=" + nodePath(t)}
	argv := []string{"node", "--no-warnings", "server.mjs"}
	h.allowed("e2e", dir, env, argv...)

	put(t, script, "// one more line\n"+content)
	s, _ := h.begin("e2e", dir, env, argv...)
	wait(t, "the server works", func() bool { return s.works("echo", `{"message":"hello"}`) })
	_, shown := h.awaitLaunch()
	if !strings.Contains(shown, "the script changed") {
		t.Errorf("show: %s", shown)
	}
	s.hangUp(true)

	put(t, script, content)
	s, _ = h.begin("e2e", dir, env, argv...)
	wait(t, "the item leaves with the change", func() bool { return h.launched() == nil })
	s.hangUp(true)
}

func TestLaunchUnderBlockAChangedScriptIsNotStarted(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	mark := filepath.Join(dir, "ran")
	script := filepath.Join(dir, "server.mjs")
	content := "await import(" + `"` + cache(t, "npm", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js") + `"` + ");\n"
	put(t, script, content)
	env := []string{"PATH=" + nodePath(t)}
	argv := []string{"node", script}
	h.allowed("e2e", dir, env, argv...)
	if out, code := h.run("settings", "set", "pins.launch", "block"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	s, _ := h.begin("e2e", dir, env, argv...)
	wait(t, "an unchanged server works under block", func() bool { return s.works("echo", `{"message":"hello"}`) })
	s.hangUp(true)

	put(t, script, "import fs from 'node:fs'; fs.writeFileSync("+`"`+mark+`"`+", '');\n"+content)
	s, hello := h.begin("e2e", dir, env, argv...)
	if !strings.Contains(hello, `"not started"`) {
		t.Errorf("initialize of a server that may not start: %s", short(hello))
	}
	item, _ := h.awaitLaunch()
	s.refusedAs(item.Code, "echo", `{"message":"hello"}`)
	if exists(mark) {
		t.Fatal("the changed script was run")
	}
	if out, code := h.run("reject", item.Code, "--yes"); code != 0 {
		t.Fatalf("reject: status %d: %s", code, out)
	}
	// The wrapper learns of the decision a moment later; calls are refused before and after.
	wait(t, "the item is not named any more", func() bool { return !strings.Contains(s.call("echo", `{"message":"hello"}`), item.Code) })
	s.refusedAs("", "echo", `{"message":"hello"}`)
	s.hangUp(true)
	if exists(mark) {
		t.Fatal("the changed script was run although it was rejected")
	}
}

func TestLaunchANewNODE_OPTIONSIsNotStarted(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	mark := filepath.Join(dir, "ran")
	put(t, filepath.Join(dir, "early.cjs"), "require('fs').writeFileSync("+`"`+mark+`"`+", '');\n")
	argv := npm("mcp-server-everything")(t, dir)
	env := []string{"PATH=" + nodePath(t)}
	h.allowed("e2e", dir, env, argv...)

	canary := filepath.Join(dir, "early.cjs")
	s, _ := h.begin("e2e", dir, append(env, "NODE_OPTIONS=--require "+canary), argv...)
	item, shown := h.awaitLaunch()
	s.refusedAs(item.Code, "echo", `{"message":"hello"}`)
	if exists(mark) {
		t.Fatal("the variable loaded its code")
	}
	if !strings.Contains(shown, "NODE_OPTIONS") {
		t.Errorf("show does not name the variable: %s", shown)
	}
	if strings.Contains(shown, "early.cjs") {
		t.Errorf("show prints the value of a variable: %s", shown)
	}
	s.hangUp(true)
	err := filepath.WalkDir(h.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "early.cjs") {
			t.Errorf("%s holds the value of a variable", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// npmPrefix is a project folder in whose node_modules npx looks first, with a cache of its own.
func npmPrefix(t testing.TB, dir, version string) (env []string) {
	t.Helper()
	env = []string{"PATH=" + nodePath(t), "npm_config_cache=" + filepath.Join(filepath.Dir(dir), "npm-cache"), "npm_config_update_notifier=false"}
	put(t, filepath.Join(dir, "package.json"), `{"private":true}`)
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@modelcontextprotocol/server-everything@"+version)
	cmd.Dir, cmd.Env = dir, environment(env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	return env
}

const (
	olderEverything = "2026.8.18"
	newerEverything = "2026.8.31"
)

func TestLaunchANewVersionThatNpxRunsIsSeenAndSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	env := npmPrefix(t, dir, olderEverything)
	argv := []string{"npx", "-y", "@modelcontextprotocol/server-everything"}
	h.allowed("e2e", dir, env, argv...)
	s, _ := h.begin("e2e", dir, env, argv...)
	wait(t, "the server works", func() bool { return s.works("echo", `{"message":"hello"}`) })
	s.hangUp(true)
	if item := h.launched(); item != nil {
		t.Fatalf("the same version is a launch item: %+v", item)
	}

	npmPrefix(t, dir, newerEverything)
	s, _ = h.begin("e2e", dir, env, argv...)
	item, shown := h.awaitLaunch()
	if !strings.Contains(shown, "another version") || !strings.Contains(shown, olderEverything) || !strings.Contains(shown, newerEverything) {
		t.Errorf("show does not say which version became which: %s", shown)
	}
	wait(t, "the server works meanwhile", func() bool { return s.works("echo", `{"message":"hello"}`) })
	if out, code := h.run("approve", item.Code, "--item", "launch", "--yes"); code != 0 {
		t.Fatalf("approve --item launch: status %d: %s", code, out)
	}
	s.hangUp(true)
	s, _ = h.begin("e2e", dir, env, argv...)
	wait(t, "the server works", func() bool { return s.works("echo", `{"message":"hello"}`) })
	s.hangUp(true)
	if item := h.launched(); item != nil {
		t.Errorf("a version that was allowed is a launch item: %+v", item)
	}
}

func TestLaunchUnderBlockCallsOfANewNpxVersionAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	env := npmPrefix(t, dir, olderEverything)
	argv := []string{"npx", "-y", "@modelcontextprotocol/server-everything"}
	h.allowed("e2e", dir, env, argv...)
	if out, code := h.run("settings", "set", "pins.launch", "block"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	s, _ := h.begin("e2e", dir, env, argv...)
	wait(t, "the version that was allowed works once it has been seen", func() bool { return s.works("echo", `{"message":"hello"}`) })
	s.hangUp(true)

	npmPrefix(t, dir, newerEverything)
	s, _ = h.begin("e2e", dir, env, argv...)
	if s.works("echo", `{"message":"hello"}`) {
		t.Error("a call of a version that nobody has allowed was let through")
	}
	item, _ := h.awaitLaunch()
	s.refusedAs(item.Code, "echo", `{"message":"hello"}`)
	second, again := h.begin("e2e", dir, env, argv...)
	if !strings.Contains(again, `"not started"`) {
		t.Errorf("a version that waits for a decision is run again: %s", short(again))
	}
	second.hangUp(true)
	if out, code := h.run("approve", item.Code, "--yes"); code != 0 {
		t.Fatalf("approve: status %d: %s", code, out)
	}
	wait(t, "it works once it was allowed", func() bool { return s.works("echo", `{"message":"hello"}`) })
	s.hangUp(true)
}

func TestLaunchANewVersionThatUvxRunsIsSeenAndSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	constraints := filepath.Join(dir, "constraints.txt")
	env := []string{"UV_CACHE_DIR=" + filepath.Join(filepath.Dir(dir), "uv-cache"), "UV_NO_PROGRESS=1"}
	argv := []string{cache(t, "venv", "bin", "uvx"), "--constraints", constraints, "mcp-server-time", "--local-timezone", "Europe/Lisbon"}
	put(t, constraints, "mcp-server-time=="+olderTime+"\n")
	h.allowed("e2e", dir, env, argv...)

	put(t, constraints, "mcp-server-time=="+newerTime+"\n")
	s, _ := h.begin("e2e", dir, env, argv...)
	_, shown := h.awaitLaunch()
	if !strings.Contains(shown, "another version") || !strings.Contains(shown, olderTime) || !strings.Contains(shown, newerTime) {
		t.Errorf("show does not say which version became which: %s", shown)
	}
	s.hangUp(true)
}

const (
	olderTime = "2026.8.18"
	newerTime = "2026.10.19"
)

func TestLaunchOtherClientsFoldersAndTerminalsRaiseNoAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "elsewhere", "x"), "")
	argv := python("mcp-server-time", "--local-timezone", "Europe/Lisbon")(t, dir)
	h.allowed("claude", dir, []string{"ONE_OF_ITS_OWN=1"}, argv...)
	for _, start := range []struct {
		client, dir string
		env         []string
	}{
		{"claude", dir, nil}, // one variable less
		{"claude", dir, []string{"ONE_OF_ITS_OWN=2", "TERM_SESSION_ID=x", "SSH_CONNECTION=x", "XDG_ACTIVATION_TOKEN=x"}},
		{"cursor", filepath.Join(dir, "elsewhere"), []string{"ONE_OF_ANOTHER=1"}}, // the first circumstances of another client
	} {
		first, _ := h.begin(start.client, start.dir, start.env, argv...)
		second, _ := h.begin(start.client, start.dir, start.env, argv...) // Claude Desktop starts a server twice
		for _, s := range []*session{first, second} {
			wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
			s.hangUp(true)
		}
		if items := h.inbox(); len(items) != 0 {
			out, _ := h.run("show", items[0].Code)
			t.Fatalf("%s in %s: %s", start.client, start.dir, out)
		}
	}
	s, _ := h.begin("claude", filepath.Join(dir, "elsewhere"), []string{"A_NEW_ONE=1"}, argv...)
	wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
	_, shown := h.awaitLaunch()
	if !strings.Contains(shown, "another folder") || !strings.Contains(shown, "A_NEW_ONE") {
		t.Errorf("show: %s", shown)
	}
	s.hangUp(true)
}

func TestLaunchOffLooksAtNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "x"), "")
	argv := python("mcp-server-time", "--local-timezone", "Europe/Lisbon")(t, dir)
	h.allowed("e2e", dir, nil, argv...)
	if out, code := h.run("settings", "set", "pins.launch", "off", "--yes"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	s, _ := h.begin("e2e", dir, []string{"PYTHONPATH=" + dir}, argv...)
	wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
	s.hangUp(true)
	if items := h.inbox(); len(items) != 0 {
		t.Errorf("%+v", items)
	}
}
