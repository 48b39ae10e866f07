//go:build unix

package proxy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/launch"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport"
)

// launchHub is a hub that keeps every report.
type launchHub struct {
	mu      sync.Mutex
	away    bool
	state   control.State
	answer  control.LaunchVerdict
	reports []control.LaunchReport
	hears   func(bool)
	woken   func() // called before the reporter gets its response
}

func (h *launchHub) State() *control.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.state
	return &s
}

func (h *launchHub) WaitState(ctx context.Context) error {
	h.mu.Lock()
	away := h.away
	h.mu.Unlock()
	if away {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (h *launchHub) Subscribe(f func(bool)) { h.hears = f }

func (h *launchHub) Launch(_ context.Context, r control.LaunchReport) (*control.State, error) {
	h.mu.Lock()
	if h.away {
		h.mu.Unlock()
		return nil, errors.New("no hub")
	}
	h.reports = append(h.reports, r)
	s, launch := h.state, *h.state.Launch
	launch.Verdict = h.answer
	s.Launch = &launch
	h.state = s
	woken := h.woken
	h.woken = nil
	h.mu.Unlock()
	if woken != nil {
		woken()
	}
	return &s, nil
}

func (h *launchHub) told() []control.LaunchReport {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]control.LaunchReport(nil), h.reports...)
}

// back is a hub that has just come, or come back, and does not know this wrapper yet.
func (h *launchHub) back() {
	h.mu.Lock()
	h.away = false
	launch := *h.state.Launch
	launch.Verdict = ""
	h.state.Launch = &launch
	h.mu.Unlock()
	h.hears(true)
}

// script is a program of one line, just written, whose stamp is unknown.
func script(t *testing.T) transport.Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nread line\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return transport.Command{Argv: []string{path}, Env: []string{"PATH=/bin:/usr/bin"}}
}

func met(mode string) control.State {
	return control.State{Revision: 1, Settings: map[string]string{"pins.launch": mode}, Launch: &control.LaunchState{Key: []byte("k")}}
}

func TestNothingIsStartedWhileNoHubSaysSo(t *testing.T) {
	for name, hub := range map[string]*launchHub{
		"a hub that is away":                {away: true, state: control.State{}},
		"a hub that is away, set to off":    {away: true, state: control.State{Settings: map[string]string{"pins.launch": "off"}}},
		"a hub without a store":             {state: control.State{Revision: 1}},
		"a hub that holds it":               {state: met("notify"), answer: control.LaunchHold},
		"a hub that holds it under block":   {state: met("block"), answer: control.LaunchHold},
		"a hub whose word is none we know":  {state: met("notify"), answer: ""},
		"a hub that ends while it is asked": {state: met("notify"), away: true},
	} {
		if NewLauncher(hub, script(t), "", 20*time.Millisecond).Before(t.Context()) {
			t.Errorf("%s: it is started", name)
		}
	}
	for _, verdict := range []control.LaunchVerdict{control.LaunchGo, control.LaunchWait} {
		if !NewLauncher(&launchHub{state: met("block"), answer: verdict}, script(t), "", 0).Before(t.Context()) {
			t.Errorf("%s: it is not started", verdict)
		}
	}
}

// Under notify a start does not wait for files to be read; under block, and to hold a launch, their content is needed.
func TestFilesAreReadBeforeAStartOnlyWhereTheDecisionNeedsIt(t *testing.T) {
	for name, test := range map[string]struct {
		state  control.State
		answer control.LaunchVerdict
		read   bool
	}{
		"notify":       {met("notify"), control.LaunchGo, false},
		"notify, held": {met("notify"), control.LaunchHold, true},
		"block":        {met("block"), control.LaunchGo, true},
	} {
		hub := &launchHub{state: test.state, answer: test.answer}
		NewLauncher(hub, script(t), "", 0).Before(t.Context())
		reports := hub.told()
		last := reports[len(reports)-1]
		if got := last.Form.Executable.SHA256 != ""; got != test.read || last.Final {
			t.Errorf("%s: read %t, want %t (final %t)", name, got, test.read, last.Final)
		}
	}
}

// The hub's state alone lets a wrapper start what has not changed since it was allowed, and what awaits its first review. For anything
// else it asks first.
func TestOnlyALaunchThatIsNotAsAllowedIsAskedAboutBeforeItsStart(t *testing.T) {
	command := script(t)
	command.Env = append(command.Env, "NODE_OPTIONS=--max-old-space-size=512")
	look, err := launch.Find(command)
	if err != nil {
		t.Fatal(err)
	}
	look.Know(launch.Options{Client: "claude", Key: []byte("k")})
	as := look.Form
	other := command
	other.Env = []string{"PATH=/bin:/usr/bin", "NODE_OPTIONS=--require=/tmp/other.js"}
	more := command
	more.Env = append([]string{"FURTHER=1"}, command.Env...)
	elsewhere := command
	elsewhere.Dir = t.TempDir()
	cursors := as
	cursors.Client = "cursor"
	for name, test := range map[string]struct {
		command transport.Command
		state   control.LaunchState
		asked   bool
	}{
		"as it was allowed":              {command, control.LaunchState{Allowed: []pin.LaunchForm{as}, Client: "claude"}, false},
		"a variable that loads code":     {other, control.LaunchState{Allowed: []pin.LaunchForm{as}, Client: "claude"}, true},
		"another variable of the client": {more, control.LaunchState{Allowed: []pin.LaunchForm{as}, Client: "claude"}, false},
		"another folder of the client":   {elsewhere, control.LaunchState{Allowed: []pin.LaunchForm{as}, Client: "claude"}, true},
		"another folder of a project's":  {elsewhere, control.LaunchState{Allowed: []pin.LaunchForm{cursors}, Client: "cursor"}, false},
		"another program":                {script(t), control.LaunchState{Allowed: []pin.LaunchForm{as}, Client: "claude"}, true},
		"nothing is allowed any more":    {command, control.LaunchState{}, true},
		"a first launch":                 {command, control.LaunchState{First: true}, false},
	} {
		test.state.Key = []byte("k")
		hub := &launchHub{state: control.State{Revision: 1, Settings: map[string]string{"pins.launch": "notify"}, Launch: &test.state}, answer: control.LaunchHold}
		started := NewLauncher(hub, test.command, "", 0).Before(t.Context())
		if asked := len(hub.told()) > 0; asked != test.asked || started == test.asked {
			t.Errorf("%s: asked %t, started %t", name, asked, started)
		}
	}
}

func TestAHubThatComesLateIsToldAndTheServerIsStarted(t *testing.T) {
	hub := &launchHub{away: true, state: met("notify"), answer: control.LaunchGo}
	l := NewLauncher(hub, script(t), "", 20*time.Millisecond)
	if l.Before(t.Context()) {
		t.Fatal("started without a hub")
	}
	hub.back()
	until(t, "the hub is told", func() bool { return len(hub.told()) == 1 })
	until(t, "it may be started", func() bool { return l.verdict(hub.State()) == control.LaunchGo })
}

// The hub's verdict may wake others, who start the server, before the goroutine that asked has it. What runs must be reported all the same:
// a first review waits for it.
func TestAServerThatRunsBeforeItsLauncherHasTheAnswerIsToldOf(t *testing.T) {
	hub := &launchHub{away: true, state: met("notify"), answer: control.LaunchGo}
	l := NewLauncher(hub, script(t), "", 20*time.Millisecond)
	if l.Before(t.Context()) {
		t.Fatal("started without a hub")
	}
	hub.woken = func() {
		l.Started(t.Context(), &runningServer{pid: os.Getpid(), exited: make(chan struct{})}, false)
		l.Answered()
	}
	hub.back()
	bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l.Wait(bounded)
	if reports := hub.told(); len(reports) != 2 || !reports[1].Final {
		t.Errorf("what runs was not told: %+v", reports)
	}
}

// A look that takes too long does not delay the first review forever: half of the time remains to report the rest.
func TestAFirstReviewComesWithoutALaunchThatCannotBeSeenInTime(t *testing.T) {
	first := met("notify")
	first.Launch.First = true
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	NewLauncher(&launchHub{state: first}, script(t), "", 0).Settle(ctx)
	if ctx.Err() != nil {
		t.Error("nothing was left of the time")
	}
}

func TestAHubThatWasAwayTakesNothingBackBeforeItIsTold(t *testing.T) {
	hub := &launchHub{state: met("notify"), answer: control.LaunchGo}
	l := NewLauncher(hub, script(t), "", 0)
	if !l.Before(t.Context()) {
		t.Fatal("not started")
	}
	p := &runningServer{pid: os.Getpid(), exited: make(chan struct{})}
	l.Started(t.Context(), p, false)
	l.Answered()
	bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l.Wait(bounded)
	if reports := hub.told(); !reports[len(reports)-1].Final {
		t.Fatalf("what runs was not told: %+v", reports)
	}
	before := len(hub.told())
	hub.mu.Lock()
	hub.answer = control.LaunchHold
	hub.mu.Unlock()
	hub.back()
	until(t, "the new hub is told all of it", func() bool {
		reports := hub.told()
		return len(reports) > before && reports[len(reports)-1].Final
	})
	until(t, "its word counts", func() bool { return l.verdict(hub.State()) == control.LaunchHold })
}

func TestAServerThatEndsBeforeItAnswersIsToldOf(t *testing.T) {
	hub := &launchHub{state: met("notify"), answer: control.LaunchGo}
	l := NewLauncher(hub, script(t), "", 0)
	if !l.Before(t.Context()) {
		t.Fatal("not started")
	}
	p := &runningServer{exited: make(chan struct{})}
	close(p.exited)
	l.Started(t.Context(), p, false)
	until(t, "the hub hears of it", func() bool {
		reports := hub.told()
		last := reports[len(reports)-1]
		return last.Ended && !last.Final && len(last.Form.Executable.SHA256) == 64
	})
	if form := hub.told()[1].Form; strings.Contains(form.Told, "unseen") || form.Answers != nil && !form.Answers.Pending {
		t.Errorf("something is made up: %+v", form)
	}
}

type runningServer struct {
	pid    int
	exited chan struct{}
}

func (r *runningServer) PID() int                { return r.pid }
func (r *runningServer) Pipes() (uint64, uint64) { return 0, 0 }
func (r *runningServer) Exited() <-chan struct{} { return r.exited }

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("not within 30 s: " + what)
		}
	}
}
