//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/tray/panel"
	"github.com/sallyport/sallyport/proxy/scripted"
)

// place is an installation of both programs in its own folder, with a home.
type place struct {
	t    *testing.T
	bin  string
	home string
	env  []string
}

var wrapper = struct {
	once sync.Once
	raw  []byte
	err  error
}{}

// built is sallyport, built once.
func built(t *testing.T) []byte {
	t.Helper()
	wrapper.once.Do(func() {
		path := filepath.Join(t.TempDir(), "sallyport")
		command := exec.Command("go", "build", "-o", path, "../sallyport")
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := command.CombinedOutput(); err != nil {
			wrapper.err = fmt.Errorf("build sallyport: %w: %s", err, out)
			return
		}
		wrapper.raw, wrapper.err = os.ReadFile(path)
	})
	if wrapper.err != nil {
		t.Fatal(wrapper.err)
	}
	return wrapper.raw
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := os.MkdirTemp("", "sd") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, bin: filepath.Join(root, "bin"), home: filepath.Join(root, "home")}
	t.Cleanup(func() { os.RemoveAll(root) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	desktop, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"sallyport": built(t), "sallyport-desktop": desktop} {
		if err := os.WriteFile(filepath.Join(p.bin, name), raw, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "XDG_CONFIG_HOME=" + root, "XDG_DATA_HOME=" + root, "XDG_RUNTIME_DIR=" + root,
		"SALLYPORT_HOME=" + p.home, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", "GORACE=atexit_sleep_ms=0",
	}
	return p
}

// showsIcons gives the place a session with a panel, where a hidden start stays hidden.
func (p *place) showsIcons() {
	p.t.Helper()
	address := panel.Bus(p.t)
	if _, err := panel.New(panel.Connect(p.t, address)); err != nil {
		p.t.Fatal(err)
	}
	p.env = append(p.env, "DBUS_SESSION_BUS_ADDRESS="+address)
}

// screened is the environment with a display.
func (p *place) screened() []string { return append(p.env[:len(p.env):len(p.env)], "DISPLAY=:999") }

func (p *place) command(env []string, program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(p.bin, program), args...)
	c.Env, c.Dir = env, p.bin
	return c
}

// says runs a command of sallyport in its own terminal, and returns its exit code and output.
func (p *place) says(args ...string) (int, string) {
	p.t.Helper()
	out, err := p.command(p.env, "sallyport", args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// hub is the hub as `status` reports it.
func (p *place) hub() (h struct {
	PID       int    `json:"pid"`
	Window    bool   `json:"window"`
	StartedBy string `json:"started_by"`
}) {
	var status struct {
		Hub json.RawMessage `json:"hub"`
	}
	_, out := p.says("status", "--json")
	if json.Unmarshal([]byte(out), &status) == nil {
		_ = json.Unmarshal(status.Hub, &h)
	}
	return h
}

// tell gives the window an order; "" if there is no window.
func (p *place) tell(order string) string {
	conn, err := net.Dial("unix", filepath.Join(p.home, "window.test"))
	if err != nil {
		return ""
	}
	defer conn.Close()
	fmt.Fprintln(conn, order)
	answer, _ := io.ReadAll(conn)
	return strings.TrimSpace(string(answer))
}

// until waits for something that another process does.
func (p *place) until(what string, f func() bool) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(30 * time.Second); ; {
		if f() {
			return
		}
		select {
		case <-tick.C:
		case <-over:
			log, _ := os.ReadFile(filepath.Join(p.home, "logs", "hub.log"))
			p.t.Fatalf("not within 30 s: %s\n%s", what, log)
		}
	}
}

// desktop starts the program as a person does, and waits for its end when the test ends.
func (p *place) desktop(args ...string) *exec.Cmd {
	p.t.Helper()
	c := p.command(p.screened(), "sallyport-desktop", args...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.until("the window is open", func() bool { return p.tell("pid") == fmt.Sprint(c.Process.Pid) })
	p.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil && c.ProcessState.ExitCode() != 0 {
			p.t.Errorf("the program ended with %v: %s", err, &said)
		}
	})
	return c
}

// session is a client at a wrapper.
type session struct {
	p   *place
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	n   int
}

// wrap runs a server whose tool "slow" answers when a file is there.
func (p *place) wrap(env []string, release string) *session {
	p.t.Helper()
	return p.wrapBy(env, release)
}

// wrapBy is wrap through further programs. The client is timeout(1): it starts one program, stays its parent, and has a client's
// environment.
func (p *place) wrapBy(env []string, release string, through ...string) *session {
	p.t.Helper()
	script := filepath.Join(p.bin, "script.json")
	err := scripted.Script{
		Face: scripted.Face{
			Info: `{"name":"weather","version":"1"}`, Tools: []scripted.Verbatim{`{"name":"slow","description":"Waits.","inputSchema":{"type":"object"}}`},
			Answers: map[string]scripted.Verbatim{"slow": `{"content":[{"type":"text","text":"at last"}]}`},
		},
		Rules: []scripted.Rule{{On: "tools/call slow", Steps: []scripted.Step{{Wait: "file " + release}, {Default: true}}}},
	}.Save(script)
	if err != nil {
		p.t.Fatal(err)
	}
	wrapper := []string{filepath.Join(p.bin, "sallyport"), "wrap", "--name", "weather", "--client", "claude-desktop", "--", filepath.Join(p.bin, "sallyport"), "__demo-server", script}
	c := exec.Command("timeout", slices.Concat([]string{"--foreground", "600"}, through, wrapper)...)
	c.Env, c.Dir = env, p.bin
	s := &session{p: p, cmd: c}
	if s.in, err = c.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		s.in.Close()
		_ = c.Wait()
		p.endHub()
	})
	s.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}`)
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// endHub ends the hub that a wrapper started, by the process id that it reports.
func (p *place) endHub() {
	if h := p.hub(); h.PID > 0 && h.PID != os.Getpid() {
		_ = syscall.Kill(h.PID, syscall.SIGTERM)
		p.until("the hub is gone", func() bool { return p.hub().PID == 0 })
	}
}

func (s *session) send(method, params string) (id int) {
	s.n++
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.n, method, params)
	return s.n
}

// answer is the line that answers a request; it skips notifications.
func (s *session) answer(id int) string {
	s.p.t.Helper()
	for s.out.Scan() {
		if strings.Contains(s.out.Text(), fmt.Sprintf(`"id":%d,`, id)) || strings.Contains(s.out.Text(), fmt.Sprintf(`"id":%d}`, id)) {
			return s.out.Text()
		}
	}
	s.p.t.Fatalf("the wrapper hung up before it answered %d", id)
	return ""
}

func (s *session) ask(method, params string) string {
	s.p.t.Helper()
	return s.answer(s.send(method, params))
}

func (s *session) lists(tool string) bool {
	return strings.Contains(s.ask("tools/list", `{}`), `"name":"`+tool+`"`)
}

func TestTheWindowTakesOverAndNoCallIsLost(t *testing.T) {
	p := newPlace(t)
	release := filepath.Join(p.bin, "release")
	s := p.wrap(p.env, release)
	p.until("the hub that the wrapper started has the server", func() bool { code, _ := p.says("inbox"); return code == 3 })
	if h := p.hub(); h.Window || h.StartedBy != "wrapper" {
		t.Fatalf("without a display the wrapper started %+v", h)
	}
	before := p.hub().PID

	first := p.desktop()
	if h := p.hub(); !h.Window || h.PID != first.Process.Pid || h.StartedBy != "desktop" {
		t.Fatalf("the hub is %+v, not the window's", h)
	}
	p.until("the hub before it has ended", func() bool { return syscall.Kill(before, 0) != nil })
	p.until("the wrapper has come over", func() bool { _, out := p.says("status"); return strings.Contains(out, "1 running") })
	if got := p.tell("allow"); !strings.HasPrefix(got, "allowed") || !strings.Contains(got, "tool:slow") {
		t.Fatalf("at the window: %s", got)
	}
	p.until("the tool is listed", func() bool { return s.lists("slow") })

	// During a call the window closes, a hub without a window replaces it, and a window takes over from that one.
	id := s.send("tools/call", `{"name":"slow","arguments":{}}`)
	p.tell("quit")
	p.until("the wrapper has started a hub", func() bool { h := p.hub(); return h.StartedBy == "wrapper" && h.PID != before })
	second := p.desktop()
	if h := p.hub(); h.PID != second.Process.Pid {
		t.Fatalf("the hub is %+v, not the second window's", h)
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.answer(id); !strings.Contains(got, "at last") {
		t.Errorf("the call under way was answered %s", got)
	}
	if got := s.ask("tools/call", `{"name":"slow","arguments":{}}`); !strings.Contains(got, "at last") {
		t.Errorf("the call after it was answered %s", got)
	}
	p.until("both calls are in the timeline", func() bool {
		_, out := p.says("activity", "--kind", "tool_call", "--json")
		return strings.Count(out, `"tool":"slow"`) == 2
	})
	if syscall.Kill(s.cmd.Process.Pid, 0) != nil {
		t.Error("the wrapper ended")
	}
}

func TestOnAHubWithAWindowNoTerminalDecides(t *testing.T) {
	p := newPlace(t)
	p.desktop("--hidden")
	s := p.wrap(p.env, "/")
	var code string
	p.until("the server waits", func() bool {
		var inbox struct {
			Items []struct{ Code, Digest string } `json:"items"`
		}
		_, out := p.says("inbox", "--json")
		if json.Unmarshal([]byte(out), &inbox) == nil && len(inbox.Items) == 1 {
			code = inbox.Items[0].Code
		}
		return code != ""
	})
	for _, args := range [][]string{
		{"approve", code, "--all", "--yes"}, {"reject", code, "--yes"}, {"settings", "set", "pins.launch", "off", "--yes"},
	} {
		if exit, out := p.says(args...); exit != 3 || !strings.Contains(out, "decide in the window") {
			t.Errorf("%v: exit %d, %s", args, exit, out)
		}
	}
	if s.lists("slow") {
		t.Error("the tool is listed")
	}
	if exit, out := p.says("hub", "--allow-cli-approval"); exit != 1 || !strings.Contains(out, "runs already") {
		t.Errorf("a hub started by hand beside the window: exit %d, %s", exit, out)
	}
}

func TestASecondStartRaisesTheFirst(t *testing.T) {
	p := newPlace(t)
	p.showsIcons()
	first := p.desktop("--hidden")
	if got := p.tell("did"); got != "hidden true, at" {
		t.Errorf("a hidden start: %s", got)
	}
	for _, args := range [][]string{{"#/inbox/4F2A"}, {}, {"javascript:alert(1)"}, {"--hidden"}} {
		if out, err := p.command(p.screened(), "sallyport-desktop", args...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	p.until("the window was raised", func() bool { return strings.Count(p.tell("did"), "show") == 3 })
	if got, want := p.tell("did"), "hidden true, at"; !strings.HasPrefix(got, want) || strings.Count(got, "route") != 1 || !strings.Contains(got, "route #/inbox/4F2A") {
		t.Errorf("the window: %s", got)
	}
	if h := p.hub(); h.PID != first.Process.Pid {
		t.Errorf("another one runs: %+v", h)
	}
}

func TestOfTwoStartsAtOnceOneOpensAWindow(t *testing.T) {
	p := newPlace(t)
	ends := make(chan error, 4)
	for range cap(ends) {
		c := p.command(p.screened(), "sallyport-desktop")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ends <- c.Wait() }()
	}
	for range cap(ends) - 1 {
		if err := <-ends; err != nil {
			t.Errorf("one of those that came too late ended with %v", err)
		}
	}
	p.until("the window was raised for the others", func() bool { return strings.Contains(p.tell("did"), "show") })
	p.tell("quit")
	if err := <-ends; err != nil {
		t.Errorf("the one with the window ended with %v", err)
	}
}

func TestAPersonsOwnHubIsLeftAlone(t *testing.T) {
	p := newPlace(t)
	own := p.command(p.env, "sallyport", "hub")
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = own.Process.Signal(syscall.SIGTERM)
		_ = own.Wait()
	})
	p.until("it runs", func() bool { return p.hub().StartedBy == "person" })
	out, err := p.command(p.screened(), "sallyport-desktop").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a hub you started is already running") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: %s", err, out)
	}
	if h := p.hub(); h.PID != own.Process.Pid {
		t.Errorf("the hub is %+v", h)
	}
}

func TestAWrapperStartsTheWindowHiddenWhereThereIsADisplay(t *testing.T) {
	p := newPlace(t)
	p.showsIcons()
	p.wrap(p.screened(), "/")
	p.until("the window's program is the hub", func() bool { h := p.hub(); return h.Window && h.StartedBy == "desktop" })
	if got := p.tell("did"); got != "hidden true, at" {
		t.Errorf("the window: %s", got)
	}
}

func TestTheScreenIsTheClientsAndNotTheEntrys(t *testing.T) {
	entry := []string{"env", "DISPLAY=:666", "WAYLAND_DISPLAY=evil", "XAUTHORITY=/evil", "DBUS_SESSION_BUS_ADDRESS=unix:path=/evil"}
	shell := append(entry[:len(entry):len(entry)], "sh", "-c", `"$@"; exit`, "sh")
	for name, c := range map[string]struct {
		through []string
		shown   bool
	}{
		"a client with a display":                    {entry, true},
		"a client with a display, by way of a shell": {shell, true},
		"by way of two shells":                       {append(shell[:len(shell):len(shell)], "bash", "-ec", `"$@"; exit`, "bash"), true},
		"a client without one":                       {entry, false},
		"a client without one, by way of a shell":    {shell, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			env := p.env
			if c.shown {
				env = append(p.screened(), "XAUTHORITY=/persons")
			}
			p.wrapBy(env, "/", c.through...)
			p.until("there is a hub", func() bool { h := p.hub(); return h.PID != 0 && h.Window == c.shown })
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.hub().PID))
			if err != nil {
				t.Fatal(err)
			}
			environ := strings.Split(string(raw), "\x00")
			for _, want := range []string{"DISPLAY=:999", "XAUTHORITY=/persons"} {
				if slices.Contains(environ, want) != c.shown {
					t.Errorf("%s: %q", want, environ)
				}
			}
			if strings.Contains(string(raw), "evil") || strings.Contains(string(raw), ":666") || !slices.Contains(environ, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent") {
				t.Errorf("the hub's screen and bus: %q", environ)
			}
		})
	}
}

func TestAWindowThatWasQuitStaysAwayUntilItIsOpenedAgain(t *testing.T) {
	p := newPlace(t)
	p.wrap(p.screened(), "/")
	p.until("the window's program is the hub", func() bool { return p.tell("did") != "" })
	p.tell("quit at the icon")
	p.until("the wrapper has a hub without a window", func() bool { return p.hub().StartedBy == "wrapper" })
	first := p.desktop()
	if h := p.hub(); h.PID != first.Process.Pid {
		t.Errorf("the hub is %+v", h)
	}
	p.tell("quit") // ending by a signal doesn't count as the person quitting
	p.until("the wrapper has the window's program again", func() bool { h := p.hub(); return h.Window && h.PID != first.Process.Pid })
}

func TestAWrapperHasAHubWhereNoWindowOpens(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(p.home+".no-window", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.wrap(p.screened(), "/")
	p.until("a hub without a window has the server", func() bool { code, _ := p.says("inbox"); return code == 3 })
	if h := p.hub(); h.Window || h.StartedBy != "wrapper" {
		t.Errorf("the hub is %+v", h)
	}
}

func TestALookAtAFileFindsWhatItsServersDeclare(t *testing.T) {
	p := newPlace(t)
	p.desktop()
	server := filepath.Join(p.bin, "weather-server") // not our own file, or it would count as a fake guard
	if err := os.WriteFile(server, built(t), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.bin, "claude_desktop_config.json")
	file := fmt.Sprintf(`{"mcpServers": {"weather": {"command": %q, "args": ["__demo-server", "weather"]}, "gone": {"command": "/nowhere/at/all"}}}`, server)
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.tell("look " + path)
	for _, want := range []string{"Server:weather State:waits", "Kind:new_server", "Server:gone State:not looked at"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if exit, out := p.says("inbox"); exit != 3 || !strings.Contains(out, "weather") {
		t.Errorf("the inbox: exit %d, %s", exit, out)
	}
	if now, _ := os.ReadFile(path); string(now) != file {
		t.Errorf("looking changed the file: %s", now)
	}
	if got := p.tell("look " + filepath.Join(p.bin, "none.json")); !strings.Contains(got, "couldn't check the servers") {
		t.Errorf("a file that is not there: %s", got)
	}
}

// A server that could open the window on its own screen could press its buttons.
func TestAProgramInsideAServerOpensNoWindow(t *testing.T) {
	p := newPlace(t)
	for name, start := range map[string]string{
		"as its child":            `"$1" >"$2" 2>&1; sleep 60`,
		"in its own place":        `exec "$1" >"$2" 2>&1`,
		"in a session of its own": `setsid "$1" >"$2" 2>&1; sleep 60`,
	} {
		said := filepath.Join(p.bin, "said")
		_ = os.Remove(said)
		c := p.command(p.env, "sallyport", "wrap", "--name", "sly", "--", "/bin/sh", "-c", "export DISPLAY=:7; "+start, "sh", filepath.Join(p.bin, "sallyport-desktop"), said)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		p.until("the hub answers", func() bool { return p.hub().PID > 0 })
		p.until("the program said why not, "+name, func() bool {
			raw, _ := os.ReadFile(said)
			return strings.Contains(string(raw), "can't open the window")
		})
		if p.tell("pid") != "" || p.hub().Window {
			t.Errorf("%s: a window is open", name)
		}
		in.Close()
		_ = c.Wait()
	}
	p.endHub()
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	p := newPlace(t)
	out, err := p.command(p.env, "sallyport-desktop").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no display") {
		t.Errorf("without a display: %v %s", err, out)
	}
	if err := os.Remove(filepath.Join(p.bin, "sallyport")); err != nil {
		t.Fatal(err)
	}
	out, err = p.command(p.screened(), "sallyport-desktop").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "install both") {
		t.Errorf("without sallyport: %v %s", err, out)
	}
}
