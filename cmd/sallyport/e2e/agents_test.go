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

// agent is a client that people run in a terminal, configured to contact nothing but its model.
type agent struct {
	client string   // as in --client
	argv   []string // the program of the package, and one question
	prefix string   // what it writes before the name of a tool of the server "memory"; "": nothing
	env    func(address string) []string
	// file writes its configuration: where the model is, and the server "memory" with this command.
	file func(t testing.TB, home, address string, command []string)
}

var agents = []agent{
	{
		client: "claude-code", prefix: "mcp__memory__",
		argv: []string{"claude", "-p", "hello", "--allowedTools", "mcp__memory__read_graph"},
		env: func(address string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"MCP_CONNECTION_NONBLOCKING=0", "MCP_TIMEOUT=120000", // else, on a busy machine, it starts without a server that needs five seconds
			}
		},
		// Its only file is the one that protect edits.
	},
	{
		client: "codex", prefix: "mcp__memory",
		argv: []string{"codex", "exec", "--skip-git-repo-check", "hello"},
		env:  func(string) []string { return []string{"MODEL_KEY=none"} },
		file: func(t testing.TB, home, address string, command []string) {
			// It passes on only a few variables, so our home has to be named. A server that is not required is
			// missing from the first request if it starts slowly, as on a busy machine.
			put(t, filepath.Join(home, ".codex", "config.toml"), fmt.Sprintf(`model = "fake"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = %q
env_key = "MODEL_KEY"
wire_api = "responses"
[analytics]
enabled = false
[features]
plugins = false
[mcp_servers.memory]
command = %q
args = %s
env_vars = ["SALLYPORT_HOME"]
required = true
startup_timeout_sec = 120
`, address+"/v1", command[0], list(t, command[1:])))
		},
	},
	{
		client: "gemini-cli", prefix: "mcp_memory_",
		argv: []string{"gemini", "-m", "gemini-2.5-flash", "--yolo", "-p", "hello"},
		env: func(address string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + address, "GEMINI_API_KEY=none"}
		},
		file: func(t testing.TB, home, _ string, command []string) {
			put(t, filepath.Join(home, ".gemini", "settings.json"), fmt.Sprintf(`{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "mcpServers": {"memory": {"command": %q, "args": %s}}
}`, command[0], list(t, command[1:])))
		},
	},
	{
		client: "opencode", prefix: "memory_",
		argv: []string{"opencode", "run", "-m", "fake/fake", "hello"},
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1"}
		},
		file: func(t testing.TB, home, address string, command []string) {
			// At each start it looks for plugins in npm's registry; here it asks the model instead, which has none.
			put(t, filepath.Join(home, ".npmrc"), "registry="+address+"/npm/\nfetch-retries=0\nupdate-notifier=false\n")
			put(t, filepath.Join(home, ".config", "opencode", "opencode.json"), fmt.Sprintf(`{
  "autoupdate": false, "share": "disabled", "model": "fake/fake",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": %q, "apiKey": "none"}, "models": {"fake": {"name": "fake"}}}},
  "mcp": {"memory": {"type": "local", "command": %s, "enabled": true, "timeout": 120000}}
}`, address+"/v1", list(t, command)))
		},
	},
	{
		client: "copilot-cli", prefix: "memory-",
		argv: []string{"copilot", "-p", "hello", "--allow-all-tools"}, // it sets variables that configure git
		env: func(address string) []string {
			return []string{
				"COPILOT_PROVIDER_BASE_URL=" + address + "/v1", "COPILOT_MODEL=fake", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false",
			}
		},
		file: func(t testing.TB, home, _ string, command []string) {
			put(t, filepath.Join(home, ".copilot", "mcp-config.json"), fmt.Sprintf(`{"mcpServers": {"memory": {"tools": ["*"], "type": "local", "command": %q, "args": %s}}}`, command[0], list(t, command[1:])))
		},
	},
	{
		client: "continue", prefix: "",
		argv: []string{"cn", "-p", "hello", "--auto"},
		env:  func(address string) []string { return []string{"CONTINUE_TELEMETRY_ENABLED=0"} },
		file: func(t testing.TB, home, address string, command []string) {
			put(t, filepath.Join(home, ".continue", "config.yaml"), fmt.Sprintf(`name: local
version: 1.0.0
schema: v1
models:
  - name: fake
    provider: openai
    model: fake
    apiBase: %s
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
mcpServers:
  - name: memory # what it remembers
    command: %s
    args: %s
`, address+"/v1", command[0], list(t, command[1:])))
		},
	},
}

func list(t testing.TB, words []string) string {
	t.Helper()
	raw, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// terminalOf is the environment of a terminal. Traffic to other computers goes to a closed port.
func terminalOf(t testing.TB, home string) []string {
	return []string{
		"HOME=" + home, "PATH=" + nodePath(t), "USER=ada", "LOGNAME=ada", "SHELL=/bin/sh", "TERM=xterm-256color", "LANG=C.UTF-8",
		"HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
}

// ask runs one session of a client in a folder of its own.
func (a agent) ask(t testing.TB, home string, env []string) (said string, took time.Duration) {
	t.Helper()
	dir := filepath.Join(home, "work", a.client)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cache(t, "clients", "node_modules", ".bin", a.argv[0]), a.argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	alone(cmd)
	cmd.Cancel = func() error { killGroup(cmd); return nil }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v: %s", a.client, err, short(out.String()))
	}
	return out.String(), time.Since(began)
}

// After protect of each client's file, one look and one approval, every client that starts the server has its tools in the first session, whatever the client does
// to the environment, and nothing is left to decide.
func TestOneApprovalCoversSixRealClients(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	home := folder(t)
	memory := npm("mcp-server-memory")(t, home)
	file := filepath.Join(home, ".claude.json")
	put(t, file, fmt.Sprintf(`{"mcpServers": {"memory": {"type": "stdio", "command": %q, "args": %s, "env": {}}}}`, memory[0], list(t, memory[1:])))
	dir, err := os.MkdirTemp(scratch, "h")
	if err != nil {
		t.Fatal(err)
	}
	// The shell of the look has more variables than any client passes on.
	shell := append(terminalOf(t, home), "JAVA_HOME=/opt/java", "SSL_CERT_FILE=/etc/ssl/corporate.pem", "NVM_DIR="+home+"/.nvm", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")
	h := installWith(t, "", filepath.Join(dir, "home"), shell)

	if out, code := h.run("protect", "--client", "claude-code", "memory"); code != 0 && code != 3 { // 3: something needs review
		t.Fatalf("protect: status %d: %s", code, out)
	}
	if out, code := h.run("probe", "--config", file); code != 3 {
		t.Fatalf("probe: status %d: %s", code, out)
	}
	waits := h.inbox()
	if len(waits) != 1 || waits[0].Kind != "new_server" {
		t.Fatalf("after a look: %+v", waits)
	}
	var allowed []string
	for _, part := range waits[0].Parts {
		if name, ok := strings.CutPrefix(part.Item, "tool:"); ok {
			allowed = append(allowed, name)
		}
	}
	if len(allowed) != 9 || !slices.Contains(allowed, "read_graph") {
		t.Fatalf("the server's tools: %v", allowed)
	}
	if out, code := h.run("approve", waits[0].Code, "--all", "--yes"); code != 0 {
		t.Fatalf("approve: status %d: %s", code, out)
	}

	for _, a := range agents {
		t.Run(a.client, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, a.prefix, "read_graph")
			if a.file != nil {
				a.file(t, home, m.server.URL, memory)
				if out, code := h.run("protect", "--client", a.client, "--no-look"); code != 0 || !strings.Contains(out, "1 entry now guarded") {
					t.Fatalf("protect: status %d: %s", code, out)
				}
			}
			said, took := a.ask(t, home, append(append(terminalOf(t, home), "SALLYPORT_HOME="+h.path), a.env(m.server.URL)...))
			offers := m.offered()
			if len(offers) != 2 {
				t.Fatalf("the model was asked %d times, for a call and for an end: %v; elsewhere: %v; it said %s", len(offers), offers, m.others, said)
			}
			want := slices.Sorted(slices.Values(append(slices.Clone(allowed), wrapperTools...)))
			for i, offer := range offers {
				if a.prefix == "" { // its own tools are among them, in capitals
					offer = slices.DeleteFunc(slices.Clone(offer), func(name string) bool { return name[0] < 'a' })
				}
				if !slices.Equal(offer, want) {
					t.Errorf("request %d offers %v, and should offer %v", i+1, offer, want)
				}
			}
			if items := h.inbox(); len(items) != 0 {
				t.Errorf("the inbox after it: %+v", items)
			}
			if out, _ := h.run("activity", "--kind", "tool_call", "--tool", "read_graph", "--json"); !strings.Contains(out, fmt.Sprintf(`"client":%q`, a.client)) {
				t.Errorf("no call of read_graph by %s is on record: %s", a.client, short(out))
			}
			t.Logf("%s: %d tools offered in its first session of %.1f s", a.client, len(offers[0]), took.Seconds())
		})
	}
}
