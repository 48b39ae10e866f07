package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// escapeRoom is a miniature of a person's machine: a home with a client, a runtime folder with a bus, a terminal, and Sallyport.
type escapeRoom struct {
	*installation
	prey
	env []string
}

// furnish builds it. If the home has a long path, the hub puts its socket into the temporary folder.
func furnish(t *testing.T, long bool) *escapeRoom {
	t.Helper()
	root, err := os.MkdirTemp(scratch, "r")
	if err != nil {
		t.Fatal(err)
	}
	person, runtime := filepath.Join(root, "u"), filepath.Join(root, "run")
	tmp := filepath.Join(root, "tmp")
	share := filepath.Join(person, ".local", "share")
	home := filepath.Join(share, "sallyport")
	if long {
		home = filepath.Join(share, strings.Repeat("a-long-name/", 9)+"sallyport")
	}
	r := &escapeRoom{prey: prey{
		Home: home, Settings: filepath.Join(home, "settings.json"), Person: person, Parent: share,
		Config: filepath.Join(person, ".config", "Claude", "claude_desktop_config.json"),
		Bus:    filepath.Join(root, "bus.sock"), Engine: filepath.Join(root, "engine.sock"), Manager: filepath.Join(runtime, "systemd", "private"),
	}}
	put(t, r.Config, `{"mcpServers":{}}`)
	put(t, filepath.Join(person, "letter.txt"), "dear")
	put(t, filepath.Join(person, ".profile"), "# mine\n")
	put(t, filepath.Join(share, "marker"), "x")
	for _, folder := range []string{filepath.Dir(r.Manager), tmp} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, socket := range []string{r.Bus, r.Engine, r.Manager} {
		listenAt(t, "unix", socket)
	}
	r.Address = listenAt(t, "tcp", "127.0.0.1:0")
	r.Terminal = terminal(t)

	// Its own copy of the program: a hostile server may replace it, and other tests use the one that was built.
	r.Program = filepath.Join(root, "bin", "sallyport")
	raw, err := os.ReadFile(sallyport(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(r.Program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.Program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	r.env = []string{"HOME=" + person, "XDG_RUNTIME_DIR=" + runtime, "XDG_CONFIG_HOME=" + filepath.Join(person, ".config"), "TMPDIR=" + tmp,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + r.Bus, "DOCKER_HOST=unix://" + r.Engine}
	r.installation = installWith(t, r.Program, home, r.env)
	r.Socket = filepath.Join(home, "hub.sock")
	if long {
		recorded, err := os.ReadFile(filepath.Join(home, "socket"))
		if err != nil {
			t.Fatal(err)
		}
		r.Socket = strings.TrimSpace(string(recorded))
	}
	r.Hub = r.process.Pid
	// Settings to read.
	if out, code := r.run("settings", "set", "pins.resources", "on"); code != 0 {
		t.Fatal(out)
	}
	return r
}

func listenAt(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return l.Addr().String()
}

// terminal opens a pseudo-terminal like a person's and returns its path.
func terminal(t *testing.T) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("/dev/pts/%d", number)
}

// run starts the hostile server in the sandbox that is set, and returns the error of each attempt, "" if it succeeded.
func (r *escapeRoom) hunt(t *testing.T, level string) map[string]string {
	t.Helper()
	if out, code := r.run("settings", "set", "sandbox", level, "--yes"); code != 0 {
		t.Fatal(out)
	}
	s := launch(t, r.Person, environment(append(r.env, "SALLYPORT_HOME="+r.Home)...), append([]string{r.Program, "wrap", "--"}, helper(t, "hostile")...))
	p := r.prey
	p.Wrapper = s.cmd.Process.Pid
	params, err := json.Marshal(map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "raw", "version": "1"}, "prey": p})
	if err != nil {
		t.Fatal(err)
	}
	s.start("1", "initialize", string(params))
	tried := map[string]string{}
	wait(t, "the hostile server has tried it all", func() bool {
		_, said, found := strings.Cut(s.errs.String(), "TRIED ")
		line, _, whole := strings.Cut(said, "\n")
		return found && whole && json.Unmarshal([]byte(line), &tried) == nil
	})
	s.hangUp(true)
	return tried
}

func TestAHostileServerGetsOutOfNoSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	for _, long := range []bool{false, true} {
		t.Run(map[bool]string{false: "a socket in the home", true: "a socket in the temporary folder"}[long], func(t *testing.T) {
			room := furnish(t, long)
			free, shield, strict := room.hunt(t, "off"), room.hunt(t, "shield"), room.hunt(t, "strict")
			for _, e := range shieldEscapes {
				if free[e.name] != "" {
					t.Errorf("without a sandbox it must work to %s, or the test proves nothing: %s", e.name, free[e.name])
				}
				if shield[e.name] == "" {
					t.Errorf("under a shield it works to %s", e.name)
				}
				if strict[e.name] == "" {
					t.Errorf("under strict it works to %s", e.name)
				}
			}
			for _, e := range strictEscapes {
				if free[e.name] != "" || shield[e.name] != "" {
					t.Errorf("without a sandbox and under a shield it must work to %s: %q, %q", e.name, free[e.name], shield[e.name])
				}
				if strict[e.name] == "" {
					t.Errorf("under strict it works to %s", e.name)
				}
			}
		})
	}
}

// TestBehindAShieldASessionIsTheSame: real servers from npm and PyPI, in bytes.
func TestBehindAShieldASessionIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	for _, server := range realServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			mark := "E2E_MARK=" + dir
			direct := server.play(t, dir, server.ground(t, dir, mark), nil, nil)
			wait(t, "the direct server is gone", func() bool { return len(marked(mark)) == 0 })
			h := verbatim(t)
			if out, code := h.run("settings", "set", "sandbox", "shield"); code != 0 {
				t.Fatal(out)
			}
			_, changes := split(direct)
			server.review(t, h, dir, server.ground(t, dir, append(h.env(), mark)...), declared(t, direct))
			wrapped := server.play(t, dir, server.ground(t, dir, append(h.env(), mark)...), h.wrap(), changes)
			for _, d := range differences(direct, wrapped, true) {
				t.Error(d)
			}
			if out, _ := h.run("servers", "--json"); !strings.Contains(out, `"sandbox":"shield"`) && !strings.Contains(out, `"sandbox": "shield"`) {
				t.Errorf("servers does not say what it runs under: %s", short(out))
			}
			if out, _ := h.run("activity", "--json"); !strings.Contains(out, "in its sandbox (shield)") {
				t.Errorf("no start in a sandbox is recorded: %s", short(out))
			}
			wait(t, "nothing of the server is left", func() bool { return len(marked(mark)) == 0 })
		})
	}
}

// TestALookUnderStrictNeedsNoNetworkAndNoHome: probe --sandbox on what is installed.
func TestALookUnderStrictNeedsNoNetworkAndNoHome(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	h := install(t)
	for _, server := range []realServer{realServers[0], realServers[len(realServers)-1]} {
		argv := server.argv(t, folder(t))
		out, code := h.run(append([]string{"probe", "--sandbox", "--"}, argv...)...)
		if code != 3 || !strings.Contains(out, "needs your review") {
			t.Errorf("%s: status %d: %s", server.name, code, out)
		}
	}
	for _, item := range h.inbox() {
		if out, _ := h.run("show", item.Code); !strings.Contains(out, "sandbox (strict)") || strings.Count(out, "strict") < 2 {
			t.Errorf("show does not say how it was looked at: %s", short(out))
		}
	}
}

// withoutBubblewrap runs this test again in a namespace, made by bubblewrap, that has no bubblewrap, and reports whether this is that run. Hub,
// wrappers and commands share it, because processes of two namespaces can't see each other.
func withoutBubblewrap(t *testing.T) bool {
	t.Helper()
	const mark = "E2E_WITHOUT_BUBBLEWRAP"
	if os.Getenv(mark) != "" {
		return true
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal("bubblewrap is missing: make test installs it; without it nothing of a sandbox is tested: ", err)
	}
	argv := []string{"--dev-bind", "/", "/", "--setenv", mark, "1"}
	for _, place := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"} {
		if real, err := filepath.EvalSymlinks(place); err == nil {
			argv = append(argv, "--ro-bind", "/dev/null", real)
		}
	}
	argv = append(append(argv, "--"), helper(t, "-test.run", "^"+t.Name()+"$", "-test.v")...)
	out, err := exec.Command(path, argv...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v: %s", err, out)
	}
	return false
}

// TestWithoutBubblewrapAServerThatIsToHaveASandboxDoesNotStart, and everybody who is asked says why and what to do.
func TestWithoutBubblewrapAServerThatIsToHaveASandboxDoesNotStart(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	if !withoutBubblewrap(t) {
		return
	}
	h := install(t)
	marker := filepath.Join(folder(t), "ran")
	put(t, marker+".sh", "#!/bin/sh\ntouch "+marker+"\nexec cat\n")
	if err := os.Chmod(marker+".sh", 0o700); err != nil {
		t.Fatal(err)
	}
	const whatToDo = "install the package bubblewrap"
	says := func(wantCode int, args ...string) string {
		t.Helper()
		out, code := h.run(args...)
		if !strings.Contains(out, "SP-140") || !strings.Contains(out, whatToDo) || code != wantCode {
			t.Errorf("%s: status %d: %s", args, code, out)
		}
		return out
	}
	if out, _ := h.run("doctor"); strings.Contains(out, "SP-140") || !strings.Contains(out, whatToDo) {
		t.Errorf("doctor, where no server asks for one: %s", out)
	}
	says(0, "settings", "set", "sandbox", "shield")
	s := launch(t, filepath.Dir(marker), environment(h.env()...), append(h.wrap(), marker+".sh"))
	s.start("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	s.heard("SP-140")
	s.hangUp(false)
	says(1, "doctor")
	says(0, "status")
	says(0, "status", "--json")
	if out, code := h.run("settings", "set", "sandbox", "off", "--yes"); code != 0 {
		t.Fatal(out)
	}
	says(1, "probe", "--sandbox", "--", marker+".sh")
	if exists(marker) {
		t.Error("the server ran without its sandbox")
	}
	wait(t, "the refusals are in the timeline", func() bool {
		out, _ := h.run("activity", "--json")
		return strings.Count(out, "not without its sandbox") >= 2
	})
	if out, _ := h.run("status"); strings.Contains(out, "SP-140") {
		t.Errorf("status where nobody asks for one: %s", out)
	}
}

// TestASandboxIsSetForOneServer, and what is set for all does not take it away.
func TestASandboxIsSetForOneServer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	t.Parallel()
	h := install(t)
	dir := folder(t)
	server := func(name string) (argv []string, said string) {
		said = filepath.Join(dir, name+".said")
		program(t, filepath.Join(dir, name), "#!/bin/sh\ncat /proc/1/comm >"+said+"\nexec cat\n")
		return []string{filepath.Join(dir, name)}, said
	}
	// first is the first process that the server of that name sees.
	first := func(name string) string {
		t.Helper()
		argv, said := server(name)
		os.Remove(said)
		s := launch(t, dir, environment(h.env()...), append([]string{h.binary(), "wrap", "--name", name, "--"}, argv...))
		s.start("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
		wait(t, name+" has looked", func() bool {
			raw, err := os.ReadFile(said)
			return err == nil && strings.HasSuffix(string(raw), "\n")
		})
		s.hangUp(true)
		raw, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(raw))
	}
	const guard = "sallyport-guard"
	for _, name := range []string{"near", "far"} {
		if got := first(name); got == guard {
			t.Fatalf("%s: in a sandbox before one was set", name)
		}
	}
	if out, code := h.run("settings", "set", "sandbox", "shield", "--server", "near"); code != 0 {
		t.Fatal(out)
	}
	if near, far := first("near"), first("far"); near != guard || far == guard {
		t.Errorf("set for near: near sees %q, far %q", near, far)
	}
	if out, code := h.run("settings", "set", "sandbox", "off"); code != 0 {
		t.Fatal(out)
	}
	if near := first("near"); near != guard {
		t.Errorf("what is set for all took it away: near sees %q", near)
	}
}

// TestAHomeBehindALinkThatAServerCouldReplaceGetsNoShield, and everybody who is asked says so.
func TestAHomeBehindALinkThatAServerCouldReplaceGetsNoShield(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	root, err := os.MkdirTemp(scratch, "l")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "disk"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink("disk", link); err != nil {
		t.Fatal(err)
	}
	h := installWith(t, "", filepath.Join(link, "home"), []string{"HOME=" + root}) // a shield makes the folders that it hides
	for _, args := range [][]string{{"settings", "set", "sandbox", "shield"}, {"probe", "--name", "cat", "--", "cat"}, {"doctor"}, {"status"}} {
		if out, _ := h.run(args...); !strings.Contains(out, "SP-140") || !strings.Contains(out, link) {
			t.Errorf("%s: %s", args, out)
		}
	}
}
