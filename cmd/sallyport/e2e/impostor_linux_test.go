package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// Each end of the hub's socket checks the process that called listen or connect at the other end. So an attacker calls it, leaves the socket to
// a child and becomes the real program by exec: from then on the kernel shows the real program at that end, and the child speaks.

// impostor is such a program. Its arguments are HOW (listen, connect or spoken), the SOCKET, the real PROGRAM and a folder, in which evil.json
// has what its child answers or asks.
func impostor(args []string) int {
	if err := impersonate(args); err != nil {
		fmt.Fprintln(os.Stderr, "impostor:", err)
		return 1
	}
	return 0
}

func impersonate(args []string) error {
	if len(args) == 3 && args[0] == "child" {
		return impostorsChild(args[1], args[2])
	}
	how, socket, program, dir := args[0], args[1], args[2], args[3]
	var file *os.File
	switch how {
	case "listen":
		ln, err := net.Listen("unix", socket)
		if err != nil {
			return err
		}
		if file, err = ln.(*net.UnixListener).File(); err != nil {
			return err
		}
	case "connect", "spoken":
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return err
		}
		if how == "spoken" { // before it becomes the real program
			hello, err := question(1, "hello", control.Hello{Protocol: control.Protocol, Version: "evil", Role: control.RoleCLI})
			if err != nil {
				return err
			}
			if _, err := conn.Write(hello); err != nil {
				return err
			}
		}
		if file, err = conn.(*net.UnixConn).File(); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, "impostor", "child", how, dir)
	child.ExtraFiles, child.Stderr = []*os.File{file}, os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	// A hub of another home, only to keep running.
	return syscall.Exec(program, []string{"sallyport", "hub"}, environment("SALLYPORT_HOME="+filepath.Join(dir, "home")))
}

func question(id int, method string, params any) ([]byte, error) {
	raw, err := json.Marshal(params)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, raw), err
}

func impostorsChild(how, dir string) error {
	heard, err := os.OpenFile(filepath.Join(dir, "heard"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	evil, err := os.ReadFile(filepath.Join(dir, "evil.json"))
	if err != nil {
		return err
	}
	socket := os.NewFile(3, "socket")
	if how != "listen" {
		conn, err := net.FileConn(socket)
		if err != nil {
			return err
		}
		return askTheHub(conn, how, evil, heard)
	}
	ln, err := net.FileListener(socket)
	if err != nil {
		return err
	}
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go answerAsTheHub(conn, evil, heard)
	}
}

// answerAsTheHub answers every request of a wrapper with the same result, which is both a welcome and a state.
func answerAsTheHub(conn net.Conn, result []byte, heard *os.File) {
	defer conn.Close()
	said := bufio.NewReader(conn)
	for {
		line, err := said.ReadBytes('\n')
		if err != nil {
			return
		}
		var m envelope
		_ = json.Unmarshal(line, &m)
		fmt.Fprintln(heard, m.Method)
		fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// askTheHub greets the hub as the command line does, and sends a decision.
func askTheHub(conn net.Conn, how string, decision []byte, heard *os.File) error {
	defer fmt.Fprintln(heard, "the end")
	answers := bufio.NewReader(conn)
	ask := func(id int, method string, params any) (answer string, err error) {
		if how != "spoken" || method != "hello" {
			line, err := question(id, method, params)
			if err != nil {
				return "", err
			}
			if _, err := conn.Write(line); err != nil {
				return "", err
			}
		}
		answer, err = answers.ReadString('\n')
		fmt.Fprint(heard, answer)
		return answer, err
	}
	answer, err := ask(1, "hello", control.Hello{Protocol: control.Protocol, Version: "evil", Role: control.RoleCLI})
	if err != nil {
		return nil // the hub hung up
	}
	var challenge struct{ Result control.Challenge }
	if err := json.Unmarshal([]byte(answer), &challenge); err != nil {
		return err
	}
	if _, err := ask(2, "enter", challenge.Result); err != nil {
		return nil
	}
	_, _ = ask(3, "decide", json.RawMessage(decision))
	return nil
}

// attack is a running impostor.
type attack struct {
	t   *testing.T
	dir string
}

// attackWith starts one and returns once it has become the real program.
func attackWith(t *testing.T, h *installation, how, socket string, evil any) attack {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "i")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(evil)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "evil.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	argv := helper(t, "impostor", how, socket, h.binary(), dir)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environment()
	alone(cmd)
	said := new(tail)
	cmd.Stderr, cmd.WaitDelay = said, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killGroup(cmd)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("impostor: %s", said)
		}
	})
	wait(t, "the impostor is the real program", func() bool {
		now, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid))
		return err == nil && now == h.binary()
	})
	return attack{t, dir}
}

// heard is what an impostor's child was asked (methods) or answered (lines).
func (a attack) heard() string {
	a.t.Helper()
	raw, err := os.ReadFile(filepath.Join(a.dir, "heard"))
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	return string(raw)
}

const twoTools = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"secret","inputSchema":{"type":"object"}}],
 "answers":{"echo":{"content":[{"type":"text","text":"again"}]},"secret":{"content":[{"type":"text","text":"spilled"}]}}}`

// allAllowed is what a false hub says: anyone is welcome, and every tool is approved.
func allAllowed(t *testing.T) any {
	t.Helper()
	items := map[string]control.ItemState{}
	for _, tool := range []string{"echo", "secret"} {
		digest, err := pin.DigestOf(pin.Tool, tool, []byte(`{"name":"`+tool+`","inputSchema":{"type":"object"}}`))
		if err != nil {
			t.Fatal(err)
		}
		items["tool:"+tool] = control.ItemState{State: "approved", Approved: []pin.Digest{digest}}
	}
	return map[string]any{
		"challenge": "x", "protocol": control.Protocol, "version": "evil", "pid": 1,
		"revision": 9, "name": "evil", "open": true, "items": items, "settings": map[string]string{"pins.launch": "off"}, "launch": map[string]any{"verdict": "ok"},
	}
}

// servesWithin waits until the real hub answers, and fails if that takes longer than limit.
func servesWithin(t *testing.T, h *installation, began time.Time, not int, limit time.Duration) {
	t.Helper()
	wait(t, "the real hub serves", func() bool { pid := h.hubPID(); return pid > 1 && pid != not })
	took := time.Since(began)
	t.Logf("the real hub served after %v", took.Round(time.Millisecond))
	if took > limit {
		t.Errorf("it took %v", took)
	}
}

// spoken waits for a record that says so, and expects exactly one.
func (h *installation) guardProblem(check string) {
	h.t.Helper()
	var n int
	wait(h.t, "the timeline says so", func() bool {
		out, _ := h.told("activity", "list", "--kind", "guard_problem", "--json")
		n = strings.Count(out, `"check":"`+check+`"`) + strings.Count(out, `"check": "`+check+`"`)
		return n > 0
	})
	if n != 1 {
		h.t.Errorf("%d records of it", n)
	}
}

// endHub ends a hub that a wrapper started, which would run for another minute.
func endHub(t *testing.T, h *installation) {
	t.Cleanup(func() {
		if pid := h.hubPID(); pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	})
}

func TestWhoListensForTheHubAndBecomesTheRealProgramIsBelievedByNobody(t *testing.T) {
	const told = "hello"
	onlyGreeted := func(t *testing.T, a attack) {
		t.Helper()
		for _, method := range strings.Fields(a.heard()) {
			if method != told {
				t.Errorf("the impostor was told more than a greeting: %q", method)
			}
		}
	}
	refused := func(t *testing.T, s *session, tool string) {
		t.Helper()
		if got := s.call(tool, `{}`); !strings.Contains(got, "[Sallyport]") || strings.Contains(got, "spilled") {
			t.Errorf("%s: %s", tool, got)
		}
	}

	t.Run("before a wrapper had a hub", func(t *testing.T) {
		dir := folder(t)
		home, err := os.MkdirTemp(scratch, "h")
		if err != nil {
			t.Fatal(err)
		}
		h := &installation{t: t, path: home}
		endHub(t, h)
		a := attackWith(t, h, "listen", filepath.Join(home, "hub.sock"), allAllowed(t))
		began := time.Now()
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), script(t, dir, "server.json", twoTools)...))
		s.handshake("2025-06-18")
		if listing := s.request("tools/list", `{}`); strings.Contains(listing, `"secret"`) {
			t.Errorf("listed: %s", listing)
		}
		refused(t, s, "secret")
		servesWithin(t, h, began, 0, 5*time.Second)
		wait(t, "the real hub has the server for review", func() bool { return len(h.inbox()) == 1 })
		refused(t, s, "secret")
		if a.heard() == "" {
			t.Error("the impostor was never met")
		}
		onlyGreeted(t, a)
		h.guardProblem("sender")
		s.hangUp(true)
	})

	t.Run("after a wrapper had the real one, which was killed", func(t *testing.T) {
		dir := folder(t)
		h := install(t)
		endHub(t, h)
		socket := filepath.Join(h.path, "hub.sock")
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), script(t, dir, "server.json", twoTools)...))
		s.handshake("2025-06-18")
		s.request("tools/list", `{}`)
		wait(t, "it waits for a review", func() bool { return len(h.inbox()) == 1 })
		if out, code := h.run("approve", h.inbox()[0].Code, "--item", "launch", "--item", "tool:echo", "--yes"); code != 0 && code != 3 {
			t.Fatalf("approve: status %d: %s", code, out)
		}
		wait(t, "what was allowed works", func() bool { return strings.Contains(s.call("echo", `{}`), "again") })

		a := attackWith(t, h, "listen", socket+".x", allAllowed(t))
		began := time.Now()
		killed := h.signalHub(syscall.SIGKILL)
		if err := os.Rename(socket+".x", socket); err != nil {
			t.Fatal(err)
		}
		wait(t, "the impostor is met", func() bool {
			refused(t, s, "secret")
			return a.heard() != ""
		})
		servesWithin(t, h, began, killed, 5*time.Second)
		refused(t, s, "secret")
		if got := s.call("echo", `{}`); !strings.Contains(got, "again") {
			t.Errorf("what was allowed: %s", got)
		}
		onlyGreeted(t, a)
		h.guardProblem("sender")
		s.hangUp(true)
	})

	t.Run("in the place of one that lives", func(t *testing.T) {
		dir := folder(t)
		h := install(t)
		socket := filepath.Join(h.path, "hub.sock")
		server := script(t, dir, "server.json", twoTools)
		hub := h.hubPID()
		old := launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
		old.handshake("2025-06-18")
		wait(t, "it waits for a review", func() bool { return len(h.inbox()) == 1 })

		a := attackWith(t, h, "listen", socket+".x", allAllowed(t))
		began := time.Now()
		if err := os.Rename(socket+".x", socket); err != nil {
			t.Fatal(err)
		}
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
		s.handshake("2025-06-18")
		refused(t, s, "secret")
		servesWithin(t, h, began, 0, 5*time.Second)
		if now := h.hubPID(); now != hub {
			t.Errorf("the hub was %d and is %d", hub, now)
		}
		h.approve()
		for _, s := range []*session{old, s} {
			wait(t, "both wrappers hear of the approval", func() bool { return strings.Contains(s.call("echo", `{}`), "again") })
		}
		onlyGreeted(t, a)
		h.guardProblem("socket")
		s.hangUp(true)
		old.hangUp(true)
	})
}

func TestWhoConnectsToTheHubAndBecomesTheRealProgramDecidesNothing(t *testing.T) {
	for _, c := range []struct {
		name, how string
		wrapper   bool
	}{
		{"before a wrapper had a hub", "connect", false},
		{"after one had, beside it", "connect", true},
		{"having spoken before", "spoken", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t)
			h := install(t)
			server := script(t, dir, "server.json", twoTools)
			var s *session
			if c.wrapper {
				s = launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
				s.handshake("2025-06-18")
				wait(t, "it waits for a review", func() bool { return len(h.inbox()) == 1 })
			} else if out, code := h.run(append([]string{"probe", "--"}, server...)...); code != 3 {
				t.Fatalf("probe: status %d: %s", code, out)
			}
			item := h.inbox()[0]
			out, _ := h.told("show", item.Code, "--json")
			var shown struct{ Digest string }
			if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.Digest == "" {
				t.Fatalf("show: %v: %s", err, out)
			}

			// Otherwise the hub would check the impostor before it has become the real program. Any program of the user can stop the hub that long.
			hub := h.signalHub(syscall.SIGSTOP)
			a := attackWith(t, h, c.how, filepath.Join(h.path, "hub.sock"), control.Decide{Code: item.Code, Digest: shown.Digest, All: true})
			if err := syscall.Kill(hub, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			wait(t, "the impostor is hung up on", func() bool { return strings.HasSuffix(a.heard(), "the end\n") })
			if heard := a.heard(); strings.Count(heard, "\n") > 2 || strings.Contains(heard, "version") || strings.Contains(heard, "approved") {
				t.Errorf("it was told more than a random number: %s", heard)
			}
			if left := h.inbox(); len(left) != 1 || left[0].Code != item.Code {
				t.Errorf("waiting after the attack: %+v", left)
			}
			h.guardProblem("sender")
			if s != nil {
				if got := s.call("secret", `{}`); !strings.Contains(got, "[Sallyport]") {
					t.Errorf("what nobody allowed: %s", got)
				}
				s.hangUp(true)
			}
			// The same message from the real program, started by a person, is a valid decision.
			if out, code := h.run("approve", item.Code, "--digest", shown.Digest, "--all", "--yes"); code != 0 {
				t.Errorf("approve: status %d: %s", code, out)
			}
		})
	}
}
