package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// doorkeeper is a remote server that lets nobody in without the right header.
func doorkeeper(t *testing.T, header, value string) (address string) {
	t.Helper()
	behind, err := url.Parse("http://127.0.0.1:" + serve(t, nil, func(string) []string {
		return []string{cache(t, "npm", "node_modules", ".bin", "mcp-server-everything"), "streamableHttp"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(behind)
	through.FlushInterval = -1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != value {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// say runs another command of the client than its question.
func (a agent) say(t testing.TB, home, dir string, env []string, words ...string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cache(t, "clients", "node_modules", ".bin", a.argv[0]), words...)
	cmd.Dir, cmd.Env = dir, append(append(terminalOf(t, home), env...), a.env("http://127.0.0.1:9")...)
	alone(cmd)
	cmd.Cancel = func() error { killGroup(cmd); return nil }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%s %s: %v: %s", a.argv[0], strings.Join(words, " "), err, short(out.String()))
	}
	return drawn.ReplaceAllString(out.String(), "")
}

// drawn is what a terminal draws with.
var drawn = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// After protect, five real clients list the local and the remote entry of their file and connect to both through the wrapper, and the header
// that the remote server asks for arrives. unprotect gives each file back byte for byte.
func TestFiveRealClientsConnectToARemoteServerThroughTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	const secret = "open-sesame-0815"
	address := doorkeeper(t, "X-Key", secret)
	home := folder(t)
	memory := npm("mcp-server-memory")(t, home)
	h := installWith(t, "", filepath.Join(home, ".local", "share", "sallyport"), append(terminalOf(t, home), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_RUNTIME_DIR="))

	connects := map[string]string{ // what a client lists of a server that it connected to
		"claude-code": `(?m)^NAME: .*wrap.* (✓|✔) Connected$`,
		"gemini-cli":  `(?m)^✓ NAME.*wrap.*Connected$`,
		"opencode":    `(?m)NAME.*connected`,
	}
	for i, c := range []struct {
		client, file string
		list         []string
		far          func(text string) string
	}{
		{"claude-code", ".claude.json", []string{"mcp", "list"}, func(string) string {
			return fmt.Sprintf(`{"mcpServers": {"memory": {"type": "stdio", "command": %q, "args": %s, "env": {}}, "far": {"type": "http", "url": %q, "headers": {"X-Key": %q}}}}`, memory[0], list(t, memory[1:]), address, secret)
		}},
		{"codex", ".codex/config.toml", []string{"mcp", "list", "--json"}, func(text string) string {
			return text + fmt.Sprintf("\n[mcp_servers.far] # far\nurl = %q\nrequired = true\nstartup_timeout_sec = 120\n[mcp_servers.far.http_headers]\nX-Key = '%s'\n", address, secret)
		}},
		{"gemini-cli", ".gemini/settings.json", []string{"mcp", "list"}, func(text string) string {
			return strings.Replace(text, `"mcpServers": {`, fmt.Sprintf("\"mcpServers\": { // far\n\"far\": {\"httpUrl\": %q, \"headers\": {\"X-Key\": %q}}, ", address, secret), 1)
		}},
		{"opencode", ".config/opencode/opencode.json", []string{"mcp", "list"}, func(text string) string {
			text = strings.Replace(text, "{", "{\n  \"$schema\": \"https://opencode.ai/config.json\",", 1) // else it writes that itself
			return strings.Replace(text, `"mcp": {`, fmt.Sprintf("\"mcp\": { // far\n\"far\": {\"type\": \"remote\", \"url\": %q, \"headers\": {\"X-Key\": %q}, \"timeout\": 120000}, ", address, secret), 1)
		}},
		{"copilot-cli", ".copilot/mcp-config.json", []string{"mcp", "list"}, func(text string) string {
			return strings.Replace(text, `"mcpServers": {`, fmt.Sprintf("\"mcpServers\": {\n\"far\": {\"type\": \"http\", \"url\": %q, \"headers\": {\"X-Key\": %q}, \"tools\": [\"*\"]}, ", address, secret), 1)
		}},
	} {
		t.Run(c.client, func(t *testing.T) {
			a := agents[slices.IndexFunc(agents, func(a agent) bool { return a.client == c.client })]
			tool := "get_sum"
			if c.client == "copilot-cli" { // the others write names that models take
				tool = "get-sum"
			}
			m := newModel(t, strings.Replace(a.prefix, "memory", "far", 1), tool)
			file, text := filepath.Join(home, c.file), ""
			if a.file != nil {
				a.file(t, home, m.server.URL, memory)
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				text = string(raw)
			}
			before := c.far(text)
			put(t, file, before)
			more := []string{"--no-look"}
			if i == 0 {
				more = nil
			}
			out, code := h.run(append([]string{"protect", "--client", c.client}, more...)...)
			if code != 0 && code != 3 || !strings.Contains(out, "2 entries now guarded") || strings.Contains(out, "couldn't be checked") || strings.Contains(out, secret) {
				t.Fatalf("protect: status %d: %s", code, out)
			}
			for _, item := range h.inbox() {
				if out, code := h.run("approve", item.Code, "--all", "--yes"); code != 0 {
					t.Fatalf("approve: status %d: %s", code, out)
				}
			}
			said := a.say(t, home, filepath.Join(home, "work", c.client), nil, c.list...)
			switch c.client {
			case "copilot-cli":
				for _, name := range []string{"memory (local)", "far (local)"} {
					if !strings.Contains(said, name) {
						t.Errorf("it does not list %s:\n%s", name, said)
					}
				}
			case "codex":
				var listed []struct {
					Name      string
					Transport struct {
						Type string
						Args []string
					}
				}
				at := max(strings.Index(said, "["), 0)
				if err := json.Unmarshal([]byte(said[at:]), &listed); err != nil || len(listed) != 2 {
					t.Fatalf("%v: %s", err, said)
				}
				for _, server := range listed {
					if server.Transport.Type != "stdio" || len(server.Transport.Args) == 0 || server.Transport.Args[0] != "wrap" {
						t.Errorf("it lists %+v", server)
					}
				}
			default:
				for _, name := range []string{"memory", "far"} {
					if !regexp.MustCompile(strings.Replace(connects[c.client], "NAME", name, 1)).MatchString(said) {
						t.Errorf("it does not connect to %s:\n%s", name, said)
					}
				}
			}
			if connects[c.client] == "" { // its list doesn't connect: a session does
				said, _ := a.ask(t, home, append(terminalOf(t, home), a.env(m.server.URL)...))
				offers := m.offered()
				if len(offers) == 0 || !slices.Contains(offers[0], tool) {
					t.Errorf("the model is offered %v; it said %s", offers, said)
				}
			}
			if out, code := h.run("unprotect", "--client", c.client, "--yes"); code != 0 {
				t.Fatalf("unprotect: status %d: %s", code, out)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if c.client == "claude-code" { // it keeps its memory in the same file
				if was, is := serversOf(t, []byte(before)), serversOf(t, raw); was != is {
					t.Errorf("it comes back as\n%s\nwas\n%s", is, was)
				}
			} else if string(raw) != before {
				t.Errorf("it comes back as\n%s\nwas\n%s", raw, before)
			}
		})
	}
}

// serversOf are the servers of Claude Code's file, without blanks.
func serversOf(t *testing.T, raw []byte) string {
	t.Helper()
	var file struct{ McpServers json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return compact(t, file.McpServers)
}

// In a project, the real Claude Code starts guarded servers of the user, of the project and of the project's shared file, and of one name the
// guarded copy and not the shared entry. The shared file is never written.
func TestClaudeCodeStartsTheGuardedServersOfAProject(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	const secret = "open-sesame-0815"
	address := doorkeeper(t, "X-Key", secret)
	home := folder(t)
	project := filepath.Join(home, "work", "claude-code")
	memory := npm("mcp-server-memory")(t, home)
	h := installWith(t, "", filepath.Join(home, ".local", "share", "sallyport"), append(terminalOf(t, home), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_RUNTIME_DIR="))
	file, theirs := filepath.Join(home, ".claude.json"), filepath.Join(project, ".mcp.json")
	local := fmt.Sprintf(`{"type": "stdio", "command": %q, "args": %s, "env": {}}`, memory[0], list(t, memory[1:]))
	far := fmt.Sprintf(`{"type": "http", "url": %q, "headers": {"X-Key": %q}}`, address, secret)
	before := fmt.Sprintf(`{"mcpServers": {"user": %s}, "projects": {%q: {"hasTrustDialogAccepted": true, "mcpServers": {"own": %s}}}}`, local, project, far)
	shared := fmt.Sprintf(`{"mcpServers": {"ours": %s, "far": %s}}`, local, far)
	put(t, file, before)
	put(t, theirs, shared)

	names := []string{"user", "own (" + project + ")", "ours (" + project + ")", "far (" + project + ")"}
	if out, code := h.run(append([]string{"protect", "--client", "claude-code", "--no-look"}, names...)...); code != 0 || !strings.Contains(out, "4 entries now guarded") {
		t.Fatalf("protect: status %d: %s", code, out)
	}
	a := agents[0]
	said := a.say(t, home, project, nil, "mcp", "list")
	for _, name := range []string{"user", "own", "ours", "far"} {
		if !regexp.MustCompile(`(?m)^` + name + `: .*/sallyport wrap --name ` + name + ` .* (✓|✔) Connected$`).MatchString(said) {
			t.Errorf("it does not connect to %s:\n%s", name, said)
		}
	}
	if strings.Count(said, "Connected") != 4 || strings.Contains(said, address+" (HTTP)") {
		t.Errorf("it starts others too:\n%s", said)
	}
	if raw, err := os.ReadFile(theirs); err != nil || string(raw) != shared {
		t.Errorf("the shared file was written: %v\n%s", err, raw)
	}
	if out, code := h.run("unprotect", "--client", "claude-code", "--yes"); code != 0 {
		t.Fatalf("unprotect: status %d: %s", code, out)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var was, is struct {
		McpServers json.RawMessage
		Projects   map[string]struct{ McpServers json.RawMessage }
	}
	if json.Unmarshal([]byte(before), &was) != nil || json.Unmarshal(raw, &is) != nil {
		t.Fatalf("it is %s", raw)
	}
	if a, b := compact(t, was.Projects[project].McpServers), compact(t, is.Projects[project].McpServers); a != b || compact(t, was.McpServers) != compact(t, is.McpServers) {
		t.Errorf("it comes back as\n%s", raw)
	}
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
