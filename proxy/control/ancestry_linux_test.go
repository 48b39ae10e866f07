package control

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// wrapProgram is a wrapper as the supervisor makes it: subreaper of what it starts. It starts its arguments and stays until
// it is told to end.
func wrapProgram(args []string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	return plainProgram(args)
}

// plainProgram is a program of the installation that is no wrapper and starts others.
func plainProgram(args []string) error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	<-end
	return nil
}

// daemonProgram is the middle of a double fork: it starts its arguments in a session of their own and is gone.
func daemonProgram(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

func TestWhatDescendsFromAWrapperDoesNotDecide(t *testing.T) {
	exe := self(t)
	script, err := exec.LookPath("script")
	if err != nil {
		t.Fatalf("the terminal emulation that a server could use is missing: %v", err)
	}
	const refused, allowed = "refused: descends from a wrapped server", "allowed"
	for name, c := range map[string]struct {
		argv []string
		want string
	}{
		"a plain child":                           {[]string{"wrap", exe, "dial"}, refused},
		"a child of a probe":                      {[]string{"probe", exe, "dial"}, refused},
		"a child of the guard":                    {[]string{"__guard", exe, "dial"}, refused},
		"through a shell":                         {[]string{"wrap", "/bin/sh", "-c", exe + " dial; true"}, refused},
		"a daemon: two forks and its own session": {[]string{"wrap", exe, "daemon", exe, "dial"}, refused},
		"a daemon of a daemon":                    {[]string{"wrap", exe, "daemon", exe, "daemon", exe, "dial"}, refused},
		"under a terminal emulation":              {[]string{"wrap", script, "-qec", exe + " dial", "/dev/null"}, refused},
		"a daemon under a terminal emulation":     {[]string{"wrap", script, "-qec", "setsid -w " + exe + " daemon " + exe + " dial", "/dev/null"}, refused},
		"with another program of ours in between": {[]string{"wrap", exe, "plain", exe, "dial"}, refused},
		"one that no wrapper started":             {[]string{"plain", exe, "dial"}, allowed},
		"a daemon that no wrapper started":        {[]string{"plain", exe, "daemon", exe, "dial"}, allowed},
		"a terminal emulation without a wrapper":  {[]string{"plain", script, "-qec", exe + " dial", "/dev/null"}, allowed},
		"a shell that only has wrap in its name":  {[]string{"plain", "/bin/sh", "-c", exe + " dial; true", "wrap"}, allowed},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			serveHub(t, h, newTestHub(), Options{})
			answer := filepath.Join(h.Dir, "answer")
			cmd := command(t, h, exe, c.argv...)
			cmd.Env = append(cmd.Env, "ANSWER="+answer)
			startProgram(t, cmd)
			var got string
			within(t, "the child has asked", func() bool {
				raw, err := os.ReadFile(answer)
				got = strings.TrimSpace(string(raw))
				return err == nil && strings.HasSuffix(string(raw), "\n")
			})
			if got != c.want {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestWhatDescendsFromAConnectedWrapperDoesNotDecide(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h}) // this process is a wrapper now, whatever it is called
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		out, err := command(t, h, self(t), "dial").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := ask(); got == "allowed" {
		t.Error("a child of a connected wrapper decided")
	}
	ctx := testContext(t)
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
	within(t, "the wrapper is gone", func() bool { return hub.connected() == 0 })
	within(t, "its children are anybody's", func() bool { return ask() == "allowed" })
}

func TestAWrapperItselfDoesNotDecide(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	for _, role := range []Role{RoleWrapper, RoleProbe} {
		if _, err := AskDecide(testContext(t), dial(t, h, role), Decide{Code: "any"}); err == nil {
			t.Errorf("a %s decided", role)
		}
	}
	if _, err := AskDecide(testContext(t), dial(t, h, RoleCLI), Decide{Code: "any"}); err != nil {
		t.Errorf("the command line: %v", err)
	}
}

func TestASiblingOfAWrapperDecides(t *testing.T) {
	h := testHome(t)
	wrapper := command(t, h, self(t), "wrap", "sleep", "60")
	startProgram(t, wrapper)
	serveHub(t, h, newTestHub(), Options{Wrappers: func() []int { return []int{wrapper.Process.Pid} }})
	out, err := command(t, h, self(t), "dial").Output()
	if err != nil || strings.TrimSpace(string(out)) != "allowed" {
		t.Errorf("%s, %v", out, err)
	}
}
