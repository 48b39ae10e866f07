package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// In a sandbox a server has its own process numbers, and a /proc that the wrapper does not see. Its programs are seen from outside.
func TestLaunchIsSeenBehindWalls(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h, dir := install(t), folder(t)
	if out, code := h.run("settings", "set", "sandbox", "shield"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	env := npmPrefix(t, dir, olderEverything)
	for _, argv := range [][]string{
		{"npx", "-y", "@modelcontextprotocol/server-everything"},
		{"sh", "-c", "exec npx -y @modelcontextprotocol/server-everything"},
	} {
		h.allowed("e2e", dir, env, argv...)
		s, _ := h.begin("e2e", dir, env, argv...)
		wait(t, "the server works", func() bool { return s.works("echo", hello) })
		s.hangUp(true)
		if item := h.launched(); item != nil {
			out, _ := h.run("show", item.Code)
			t.Fatalf("%v: nothing changed: %s", argv, out)
		}
	}
	npmPrefix(t, dir, newerEverything)
	s, _ := h.begin("e2e", dir, env, "npx", "-y", "@modelcontextprotocol/server-everything")
	_, shown := h.awaitLaunch()
	if !strings.Contains(shown, "another version") || !strings.Contains(shown, olderEverything) || !strings.Contains(shown, newerEverything) {
		t.Errorf("show: %s", shown)
	}
	s.hangUp(true)
}

// A server in a sandbox that calls itself docker is not asked: its command would run outside the sandbox.
func TestLaunchAsksNothingOfAWalledDocker(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hub")
	}
	t.Parallel()
	for _, level := range []string{"off", "shield"} {
		t.Run(level, func(t *testing.T) {
			h, dir := install(t), folder(t)
			if out, code := h.run("settings", "set", "sandbox", level, "--yes"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			// It notes down what it is asked with `ps`; otherwise it is a real server.
			asked := filepath.Join(dir, "asked")
			docker := filepath.Join(dir, "docker")
			program(t, docker, "#!/bin/sh\ncase $1 in\nrun) exec "+cache(t, "venv", "bin", "mcp-server-time")+";;\n*) echo \"$1\" >> "+asked+";;\nesac\n")
			h.allowed("e2e", dir, nil, docker, "run", "-i", "--rm", "mcp/time")
			if exists(asked) != (level == "off") {
				t.Errorf("it was asked: %t", exists(asked))
			}
		})
	}
}
