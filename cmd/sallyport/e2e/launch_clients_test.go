package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// passedOn is the environment that the SDKs give to a server, in the test's own home, with what Sallyport's processes need.
func (h *installation) passedOn(home, path string, more ...string) []string {
	env := append(h.env(), "HOME="+home, "LOGNAME=u", "PATH="+path, "SHELL=/bin/sh", "TERM=dumb", "USER=u")
	return append(env, more...)
}

// launchDigest is the digest of the last launch of the only server of this home.
func (h *installation) launchDigest() string {
	h.t.Helper()
	out, _ := h.run("servers", "--json")
	var list struct {
		Items []struct {
			Items []struct{ Item, Digest string }
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("servers: %v: %s", err, out)
	}
	for _, server := range list.Items {
		for _, item := range server.Items {
			if item.Item == "launch" {
				return item.Digest
			}
		}
	}
	return ""
}

// After one look and one approval, the environments that four clients and Claude Desktop really give their servers (measured) need no review
// and block nothing. A variable that loads code and was never allowed prevents each start, and its item goes with the next clean start.
func TestLaunchTwelveStartsOfOneAllowedProgramAskNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	for _, name := range []string{"home/x", "one/x", "two/x", "planted/x"} {
		put(t, filepath.Join(dir, name), "")
	}
	home, one, two := filepath.Join(dir, "home"), filepath.Join(dir, "one"), filepath.Join(dir, "two")
	path := os.Getenv("PATH")
	argv := []string{cache(t, "venv", "bin", "mcp-server-time"), "--local-timezone", "Europe/Lisbon"}
	entry := "PYTHONPATH=" + one // from the entry's env, which every client adds

	file := filepath.Join(dir, "config.json")
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"time": map[string]any{
		"command": argv[0], "args": argv[1:], "env": map[string]string{"PYTHONPATH": one},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, file, string(raw))
	look := exec.Command(h.binary(), "probe", "--config", file)
	look.Dir = two
	look.Env = h.passedOn(home, path, "JAVA_HOME=/opt/java", "GOPATH=/home/u/go", "PNPM_HOME=/home/u/pnpm", "SSL_CERT_FILE=/etc/ssl/own.pem", "NVM_DIR=/home/u/.nvm")
	if out, err := look.CombinedOutput(); look.ProcessState == nil || look.ProcessState.ExitCode() != 3 {
		t.Fatalf("probe: %v: %s", err, out)
	}
	wait(t, "the look's server is approved", func() bool { return h.approve() == 0 })

	start := func(client, folder string, env []string) (*session, string) {
		t.Helper()
		before := []string{sallyport(t), "wrap", "--name", "time", "--client", client, "--"}
		s := launch(t, folder, env, append(before, argv...))
		return s, s.handshake("2025-06-18")
	}
	claude := []string{
		"AI_AGENT=claude-code_2-1-197_harness", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=sdk-cli", "CLAUDE_CODE_SESSION_ID=5e", "CLAUDE_PROJECT_DIR=" + one,
		"COREPACK_ENABLE_AUTO_PIN=0", "NoDefaultCurrentDirectoryInExePath=1", "ANTHROPIC_API_KEY=k",
	}
	gemini := []string{"GEMINI_CLI=1", "GEMINI_CLI_NO_RELAUNCH=true", "LANG=C.UTF-8"}
	opencode := []string{"AGENT=1", "OPENCODE=1", "OPENCODE_PID=4711"}
	agent := "npm_config_user_agent=npm/undefined node/v24.3.0 linux x64 workspaces/false" // comes and goes
	starts := []struct {
		client, folder, path string
		more                 []string
	}{
		{"claude-desktop", "/", path, nil},
		{"claude-code", one, path, claude},
		{"codex", one, filepath.Join(dir, "arg0-1") + ":" + path, []string{"LANG=C.UTF-8"}},
		{"gemini-cli", one, path, gemini},
		{"opencode", one, path, append(slices.Clone(opencode), agent)},
		{"claude-code", two, path, append(slices.Clone(claude), "CLAUDE_CODE_SSE_PORT=1")},
		{"codex", two, filepath.Join(dir, "arg0-2") + ":" + path, []string{"LANG=C.UTF-8", "COLORTERM=truecolor"}},
		{"gemini-cli", two, path, gemini},
		{"opencode", two, path, opencode},
		{"claude-desktop", "/", path, []string{"DESKTOP_STARTUP_ID=x", "ONE_MORE=1"}},
	}
	seen := h.launchDigest()
	for _, at := range starts {
		s, _ := start(at.client, at.folder, h.passedOn(home, at.path, append(slices.Clone(at.more), entry)...))
		wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
		wait(t, "the hub has heard what runs under "+at.client, func() bool {
			now := h.launchDigest()
			changed := now != seen
			seen = now
			return changed
		})
		if items := h.inbox(); len(items) != 0 {
			out, _ := h.run("show", items[0].Code)
			t.Fatalf("under %s in %s: %s", at.client, at.folder, out)
		}
		s.hangUp(true)
	}

	// A loader is gone: this needs a review, and the server runs.
	s, _ := start("claude-desktop", "/", h.passedOn(home, path))
	wait(t, "the server works without a variable", func() bool { return s.works("get_current_time", tokyo) })
	item, shown := h.awaitLaunch()
	if item.Severity != "review" || item.Title != "Same program, other surroundings: time (variables)" || !strings.Contains(shown, "`PYTHONPATH`, which can load code, is no longer set") {
		t.Errorf("%+v: %s", item, shown)
	}
	s.hangUp(true)

	clean := func() {
		t.Helper()
		s, _ := start("claude-desktop", "/", h.passedOn(home, path, entry))
		wait(t, "the server works", func() bool { return s.works("get_current_time", tokyo) })
		wait(t, "the item leaves with a clean start", func() bool { return len(h.inbox()) == 0 })
		s.hangUp(true)
	}
	clean()
	planted := filepath.Join(dir, "planted")
	for _, variable := range []string{"LD_PRELOAD=" + planted + "/x", "NODE_OPTIONS=--require=" + planted + "/x", "npm_config_registry=http://127.0.0.1:1/", "PYTHONPATH=" + planted} {
		env := []string{variable}
		if !strings.HasPrefix(variable, "PYTHONPATH") {
			env = append(env, entry)
		}
		s, hello := start("claude-desktop", "/", h.passedOn(home, path, env...))
		if !strings.Contains(hello, `"not started"`) {
			t.Errorf("%s: initialize of a server that may not start: %s", variable, short(hello))
		}
		item, shown := h.awaitLaunch()
		s.refusedAs(item.Code, "get_current_time", tokyo)
		if item.Severity != "high" || item.Title != "A variable that loads code: time" || strings.Contains(shown, "planted") {
			t.Errorf("%s: %+v: %s", variable, item, shown)
		}
		s.hangUp(true)
		clean()
	}
}
