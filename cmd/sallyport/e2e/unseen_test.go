package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// desktopApp is a client that behaves like Claude Desktop (as reported): it reads its file at launch, starts each server twice, in one folder and
// with the few variables of a desktop, lists once, and ignores list_changed.
type desktopApp struct{ servers []*session }

const desktopFile = ".config/Claude/claude_desktop_config.json"

func openDesktopApp(t testing.TB, h *installation, home string) *desktopApp {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(home, desktopFile))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	app := &desktopApp{}
	for _, entry := range file.Servers {
		for range 2 {
			env := []string{"HOME=" + home, "USER=ada", "LOGNAME=ada", "SHELL=/bin/sh", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "XDG_SESSION_TYPE=x11"}
			app.servers = append(app.servers, launch(t, home, append(env, h.env()...), append([]string{entry.Command}, entry.Args...)))
		}
	}
	for _, s := range app.servers {
		s.handshake("2025-11-25")
		for _, method := range []string{"tools/list", "prompts/list", "resources/list"} {
			s.request(method, `{}`)
		}
	}
	return app
}

func (a *desktopApp) quit() {
	for _, s := range a.servers {
		s.hangUp(true)
	}
}

// tools are the tools in the app's only listing of each start of each server.
func (a *desktopApp) tools(t testing.TB) (each [][]string) {
	t.Helper()
	for _, s := range a.servers {
		at := slices.IndexFunc(s.entries, func(e entry) bool { return e.answers == "tools/list" })
		each = append(each, toolNames(t, s.entries[at].line))
	}
	return each
}

// desktopHome is a person's home with one server in Claude Desktop's file, protected.
func desktopHome(t testing.TB) (h *installation, home string, argv []string) {
	t.Helper()
	home = folder(t)
	argv = helper(t, "scripted", "weather")
	put(t, filepath.Join(home, desktopFile), fmt.Sprintf(`{"mcpServers": {"weather": {"command": %q, "args": %s}}}`, argv[0], list(t, argv[1:])))
	dir, err := os.MkdirTemp(scratch, "h")
	if err != nil {
		t.Fatal(err)
	}
	h = installWith(t, "", filepath.Join(dir, "home"), []string{"HOME=" + home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME="})
	if out, code := h.run("protect", "--client", "claude-desktop", "--all"); code != 0 && code != 3 {
		t.Fatalf("protect: status %d: %s", code, out)
	}
	return h, home, argv
}

// unseen is what status says about clients that have not seen what was allowed.
func (h *installation) unseen() (rows []struct{ Client, Server, Session, Next, Code string }) {
	h.t.Helper()
	out, _ := h.run("status", "--json")
	var status struct {
		Unseen *[]struct{ Client, Server, Session, Next, Code string }
	}
	if err := json.Unmarshal([]byte(out), &status); err != nil || status.Unseen == nil {
		h.t.Fatalf("status: %v: %s", err, out)
	}
	return *status.Unseen
}

// within waits for a condition, and fails if that takes longer than promised.
func within(t testing.TB, figure time.Duration, what string, is func() bool) (took time.Duration) {
	t.Helper()
	began := time.Now()
	wait(t, what, is)
	took = time.Since(began)
	t.Logf("%s: after %.1f s", what, took.Seconds())
	if took > figure {
		t.Errorf("%s: only after %s", what, took)
	}
	return took
}

// In the right order, one restart is enough even for a client that lists once.
func TestProtectLookReviewAndOneRestart(t *testing.T) {
	t.Parallel()
	h, home, _ := desktopHome(t)
	if out, code := h.run("probe", "--config", filepath.Join(home, desktopFile)); code != 3 {
		t.Fatalf("probe: status %d: %s", code, out)
	}
	if h.approve() != 1 {
		t.Fatal("one server, one item")
	}
	app := openDesktopApp(t, h, home)
	for _, names := range app.tools(t) {
		if !slices.Contains(names, "get_forecast") {
			t.Errorf("listed at its start: %v", names)
		}
	}
	if items := h.inbox(); len(items) != 0 {
		t.Errorf("the inbox: %+v", items)
	}
	if rows := h.unseen(); len(rows) != 0 {
		t.Errorf("unseen: %+v", rows)
	}
	app.quit()
}

func TestAClientThatNeverListsAgainIsNamedUntilItRestarts(t *testing.T) {
	t.Parallel()
	h, home, argv := desktopHome(t)
	app := openDesktopApp(t, h, home)
	other, _ := h.begin("e2e", home, nil, argv...) // lists after every list_changed
	other.request("tools/list", `{}`)
	wait(t, "the server is in the inbox", func() bool { return h.listing([]string{"tool:get_forecast"}) })
	allowed := false
	took := within(t, 10*time.Second, "both starts of the app's server are named after the approval", func() bool {
		if !allowed {
			wait(t, "everything is approved", func() bool { return h.approve() == 0 })
			other.heard("notifications/tools/list_changed")
			other.request("tools/list", `{}`)
			allowed = true
		}
		rows := h.unseen()
		for _, row := range rows {
			if row.Client == "e2e" {
				t.Fatal("a client that lists is named")
			}
		}
		return len(rows) == 2
	})
	if took < 5*time.Second {
		t.Errorf("named after %s: a client has five seconds to list", took)
	}
	for _, row := range h.unseen() {
		if row.Client != "claude-desktop" || row.Server != "weather" || row.Next != "restart Claude Desktop" || row.Code != "SP-220" || row.Session == "" {
			t.Errorf("%+v", row)
		}
	}
	const line = "SP-220  weather: allowed, not yet seen by Claude Desktop: restart Claude Desktop\n"
	for _, command := range []string{"status", "servers"} {
		if out, _ := h.run(command); strings.Count(out, line) != 1 {
			t.Errorf("%s says it once, in one line: %s", command, out)
		}
	}
	if out, _ := h.run("servers", "--json"); !strings.Contains(strings.Join(strings.Fields(out), ""), `"unseen_by":["claude-desktop"]`) {
		t.Errorf("servers --json: %s", out)
	}

	app.servers[0].request("tools/list", `{}`)
	within(t, 5*time.Second, "a listing ends it for that start", func() bool { return len(h.unseen()) == 1 })
	app.quit()
	within(t, 5*time.Second, "the end of the client ends it", func() bool { return len(h.unseen()) == 0 })
	again := openDesktopApp(t, h, home)
	for _, names := range again.tools(t) {
		if !slices.Contains(names, "get_forecast") {
			t.Errorf("after a restart it lists %v", names)
		}
	}
	again.quit()
	other.hangUp(true)
}

func TestWhatIsBlockedAgainIsNotUnseen(t *testing.T) {
	t.Parallel()
	h, home, _ := desktopHome(t)
	app := openDesktopApp(t, h, home)
	wait(t, "the server is in the inbox", func() bool { return h.listing([]string{"tool:get_forecast"}) })
	wait(t, "everything is approved", func() bool { return h.approve() == 0 })
	wait(t, "it is named", func() bool { return len(h.unseen()) == 2 })
	if out, code := h.run("block", "weather"); code != 0 {
		t.Fatalf("block: status %d: %s", code, out)
	}
	within(t, 5*time.Second, "nothing of it is allowed", func() bool { return len(h.unseen()) == 0 })
	app.quit()
}
