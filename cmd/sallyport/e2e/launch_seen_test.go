package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everythingScript is a person's own script around a real server.
func everythingScript(t testing.TB) string {
	t.Helper()
	return "await import(" + `"` + cache(t, "npm", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js") + `"` + ");\n"
}

const hello = `{"message":"hello"}`

// What a command line hides is seen when it runs: in a shell, a file that is loaded first, uv in a project.
func TestLaunchWhatIsBehindTheCommandIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	for _, test := range []struct {
		name  string
		argv  func(t testing.TB, dir string) []string
		tool  string
		args  string
		file  string // what changes
		words string // in which the item says so
	}{
		{
			"a shell that starts node",
			func(testing.TB, string) []string { return []string{"sh", "-c", "exec node server.mjs"} },
			"echo", hello, "server.mjs", "the script that the command starts changed",
		},
		{
			"a file that is loaded first",
			func(testing.TB, string) []string { return []string{"node", "--import", "./hook.mjs", "server.mjs"} },
			"echo", hello, "hook.mjs", "a file that is loaded before the script changed",
		},
		{
			"uv run of a script in a folder",
			func(t testing.TB, dir string) []string {
				return []string{cache(t, "venv", "bin", "uv"), "--directory", dir, "run", "--offline", "--no-project", "--python", cache(t, "venv", "bin", "python"), "server.py"}
			},
			"get_current_time", tokyo, "server.py", "the script that the command starts changed",
		},
		{
			"a module of the folder",
			func(t testing.TB, _ string) []string {
				return []string{cache(t, "venv", "bin", "python"), "-m", "own.server"}
			},
			"get_current_time", tokyo, "own/server.py", "the script changed",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, dir := install(t), folder(t)
			put(t, filepath.Join(dir, "server.mjs"), everythingScript(t))
			put(t, filepath.Join(dir, "hook.mjs"), "globalThis.hooked = 1;\n")
			put(t, filepath.Join(dir, "server.py"), "from mcp_server_time import main\nmain()\n")
			put(t, filepath.Join(dir, "own", "server.py"), "from mcp_server_time import main\nmain()\n")
			env := []string{"PATH=" + nodePath(t), "UV_CACHE_DIR=" + filepath.Join(filepath.Dir(dir), "uv"), "UV_NO_PROGRESS=1"}
			argv := test.argv(t, dir)
			h.allowed("e2e", dir, env, argv...)
			s, _ := h.begin("e2e", dir, env, argv...)
			wait(t, "the server works", func() bool { return s.works(test.tool, test.args) })
			s.hangUp(true)
			if item := h.launched(); item != nil {
				out, _ := h.run("show", item.Code)
				t.Fatalf("nothing changed: %s", out)
			}

			path := filepath.Join(dir, filepath.FromSlash(test.file))
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, string(raw)+"\n")
			s, _ = h.begin("e2e", dir, env, argv...)
			_, shown := h.awaitLaunch()
			if !strings.Contains(shown, test.words) {
				t.Errorf("show: %s", shown)
			}
			s.hangUp(true)
		})
	}
}

// A server that does its work and exits silently is reported too.
func TestLaunchAScriptThatLeavesWithoutAnAnswerIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "server.mjs"), everythingScript(t))
	env := []string{"PATH=" + nodePath(t)}
	argv := []string{"node", "server.mjs"}
	h.allowed("e2e", dir, env, argv...)
	put(t, filepath.Join(dir, "server.mjs"), "process.exit(3)\n")
	s := launch(t, dir, environment(append(h.env(), env...)...), append([]string{h.binary(), "wrap", "--client", "e2e", "--"}, argv...))
	<-s.ended
	if _, shown := h.awaitLaunch(); !strings.Contains(shown, "the script changed") {
		t.Errorf("show: %s", shown)
	}
}

// npx with nothing installed asks the registry, and a file that is not pinned decides for what.
func TestLaunchAnotherVersionThatNpxFetchesIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	onlyLong(t)
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "package.json"), `{"private":true}`)
	put(t, filepath.Join(dir, ".npmrc"), "before=2026-08-25\n")
	store := filepath.Join(filepath.Dir(dir), "npm-cache")
	env := []string{"PATH=" + nodePath(t), "npm_config_cache=" + store, "npm_config_update_notifier=false"}
	argv := []string{"npx", "-y", "@modelcontextprotocol/server-everything"}
	h.allowed("e2e", dir, env, argv...)

	put(t, filepath.Join(dir, ".npmrc"), "before=2026-09-10\n")
	if err := os.RemoveAll(filepath.Join(store, "_npx")); err != nil {
		t.Fatal(err)
	}
	s, _ := h.begin("e2e", dir, env, argv...)
	_, shown := h.awaitLaunch()
	if !strings.Contains(shown, "another version") || !strings.Contains(shown, olderEverything) || !strings.Contains(shown, newerEverything) {
		t.Errorf("show does not say which version became which: %s", shown)
	}
	s.hangUp(true)
}

// A person looks with probe, in a terminal and some folder. When the client starts the server later, that is no change.
func TestLaunchAProbeCountsForTheClientThatComesLater(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	put(t, filepath.Join(dir, "elsewhere", "x"), "")
	argv := python("mcp-server-time", "--local-timezone", "Europe/Lisbon")(t, dir)
	if out, code := h.run(append([]string{"probe", "--"}, argv...)...); code != 3 {
		t.Fatalf("probe: status %d: %s", code, out)
	}
	if !h.listing([]string{"launch", "tool:get_current_time"}) {
		t.Fatalf("%+v", h.inbox())
	}
	h.approve()
	if out, code := h.run(append([]string{"probe", "--"}, argv...)...); code != 0 {
		t.Fatalf("another probe: status %d: %s", code, out)
	}
	// A client passes on few variables, and a look ignores the others that this shell exports.
	env := h.passedOn(filepath.Join(dir, "elsewhere"), os.Getenv("PATH"), "ONE_OF_ITS_OWN=1")
	s := launch(t, filepath.Join(dir, "elsewhere"), env, append([]string{sallyport(t), "wrap", "--client", "claude", "--"}, argv...))
	s.handshake("2025-06-18")
	wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
	s.hangUp(true)
	if items := h.inbox(); len(items) != 0 {
		out, _ := h.run("show", items[0].Code)
		t.Fatal(out)
	}
}

// A variable that loads code reaches a look only through the entry's env, and holds it. The environment of the command that looks is not the
// server's.
func TestLaunchProbeDoesNotStartWhatIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	mark := filepath.Join(dir, "ran")
	put(t, filepath.Join(dir, "early.cjs"), "require('fs').writeFileSync("+`"`+mark+`"`+", '');\n")
	put(t, filepath.Join(dir, "server.mjs"), everythingScript(t))
	argv := []string{"node", filepath.Join(dir, "server.mjs")}
	env := []string{"PATH=" + nodePath(t)}
	h.allowed("e2e", dir, env, argv...)
	planted := "--require " + filepath.Join(dir, "early.cjs")
	h.more = append(env, "NODE_OPTIONS="+planted)
	out, code := h.run(append([]string{"probe", "--json", "--"}, argv...)...)
	if code != 0 || !strings.Contains(out, `"nothing to decide"`) || exists(mark) {
		t.Errorf("status %d: %s", code, out)
	}
	h.more = env
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"server": map[string]any{"command": argv[0], "args": argv[1:], "env": map[string]string{"NODE_OPTIONS": planted}}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.json")
	put(t, file, string(raw))
	out, code = h.run("probe", "--json", "--config", file)
	if code != 3 || !strings.Contains(out, `"kind":"launch"`) {
		t.Errorf("status %d: %s", code, out)
	}
	if exists(mark) {
		t.Error("the variable loaded its code")
	}
}

// The hub ends and comes back while a server runs: the session continues, the new hub learns of it, and nothing needs another review.
func TestLaunchIsToldToAHubThatComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	script := filepath.Join(dir, "server.mjs")
	put(t, script, everythingScript(t))
	env := []string{"PATH=" + nodePath(t)}
	argv := []string{"node", script}
	h.allowed("e2e", dir, env, argv...)
	if out, code := h.run("settings", "set", "pins.launch", "block"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	seen := h.launchDigest()
	s, _ := h.begin("another client", dir, append(env, "OF_ANOTHER_CLIENT=1"), argv...)
	wait(t, "the server works", func() bool { return s.works("echo", hello) })
	// A program that changes before it has been looked at as it runs is held, rightly.
	wait(t, "the hub has heard what runs", func() bool { return h.launchDigest() != seen })
	put(t, script, "// changed under way\n"+everythingScript(t))
	held, greeting := h.begin("e2e", dir, env, argv...)
	if !strings.Contains(greeting, `"not started"`) {
		t.Errorf("initialize: %s", short(greeting))
	}
	h.awaitLaunch()

	if err := h.process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The wrappers start another one.
	wait(t, "a hub answers again", func() bool { _, code := h.run("status", "--json"); return code == 0 || code == 3 })
	wait(t, "the one that was allowed works", func() bool { return s.works("echo", hello) })
	// If the other wrapper reconnects first, the change disappears and comes back with a new code.
	wait(t, "the held one is refused under the code of what waits", func() bool {
		now := h.launched()
		return now != nil && strings.Contains(held.call("echo", hello), now.Code)
	})
	s.hangUp(true)
	held.hangUp(true)
}
