package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// inspectorCLI runs the Inspector's command line, and returns the output of both streams.
func inspectorCLI(t *testing.T, h *installation, dir string, args ...string) (out string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cache(t, "npm", "node_modules", ".bin", "mcp-inspector"), append([]string{"--cli", "-e", "SALLYPORT_HOME=" + h.path}, args...)...)
	cmd.Dir, cmd.Env = dir, environment("HOME="+dir)
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("Inspector: %v", err)
	}
	return all.String(), cmd.ProcessState.ExitCode()
}

// The Inspector's parser removes -- from a command line, so a wrapper would never get its server's command. With --argv it does, in the file
// that protect writes and on the command line, and both are the same server.
func TestTheInspectorStartsAWrapperThatTakesItsCommandAsOneArgument(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	server := realServers[0]
	dir := folder(t)
	server.ground(t, dir)
	h := install(t)
	argv := server.argv(t, dir)
	file := filepath.Join(dir, "mcp.json")
	bare, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{"everything": map[string]any{"command": argv[0], "args": append([]string{}, argv[1:]...)}}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	put(t, file, string(bare))

	if out, code := h.run("protect", "--client", "mcp-inspector"); code != 2 || !strings.Contains(out, "name the file with --config") {
		t.Errorf("without a file: status %d: %s", code, out)
	}
	if out, code := h.run("protect", "--client", "mcp-inspector", "--config", file); code != 0 && code != 3 {
		t.Fatalf("protect: status %d: %s", code, out)
	}
	var written struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, &written) != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	entry := written.Servers["everything"]
	if slices.Contains(entry.Args, "--") || !strings.HasPrefix(entry.Args[len(entry.Args)-1], "--argv=[") {
		t.Fatalf("written %q", entry.Args)
	}
	// Through the file, and typed: both get through the Inspector's parser.
	typed := append([]string{entry.Command}, entry.Args...)
	offered := func(how string, args ...string) string {
		t.Helper()
		out, code := inspectorCLI(t, h, dir, append(args, "--method", "tools/list")...)
		if code != 0 || !strings.Contains(out, `"approve_server_config"`) {
			t.Fatalf("%s: status %d: %s", how, code, short(out))
		}
		return out
	}
	if out := offered("through the file", "--config", file, "--server", "everything"); strings.Contains(out, `"echo"`) {
		t.Errorf("it offers what nobody allowed: %s", short(out))
	}
	if n := h.approve(); n != 1 {
		t.Fatalf("%d items waited for one server", n)
	}
	for how, args := range map[string][]string{"through the file": {"--config", file, "--server", "everything"}, "typed": typed} {
		if out := offered(how, args...); !strings.Contains(out, `"echo"`) {
			t.Errorf("%s: what was allowed is not offered: %s", how, short(out))
		}
	}
	// Whatever comes before its command, it is the server in the file: one identity, and nothing to decide.
	identity, err := json.Marshal(argv)
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Items []struct {
			Identity string `json:"identity"`
		} `json:"items"`
	}
	if out, _ := h.told("servers", "--json"); json.Unmarshal([]byte(out), &known) != nil || len(known.Items) != 1 || known.Items[0].Identity != "stdio:"+string(identity) {
		t.Errorf("servers: %s", out)
	}
	if left := h.inbox(); len(left) != 0 {
		t.Errorf("something waits: %+v", left)
	}
	// The one form that the Inspector can't pass on still says why it does not start.
	dashed := append([]string{h.binary(), "wrap", "--"}, argv...)
	if out, code := inspectorCLI(t, h, dir, append([]string{"--method", "tools/list"}, dashed...)...); code == 0 || !strings.Contains(out, "before --") {
		t.Errorf("with -- the Inspector ends with status %d: %s", code, short(out))
	}

	if out, code := h.run("unprotect", "--client", "mcp-inspector", "--config", file, "--yes"); code != 0 {
		t.Fatalf("unprotect: status %d: %s", code, out)
	}
	if back, err := os.ReadFile(file); err != nil || string(back) != string(bare) {
		t.Errorf("unprotect left %s, %v", back, err)
	}
}
