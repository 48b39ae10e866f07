package e2e

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// play runs a whole session with a server, directly or behind a relay or wrapper. It waits for the kinds of list_changed in changes. A wrapper
// must end by itself.
func (r realServer) play(t testing.TB, dir string, env, before, changes []string) []entry {
	t.Helper()
	s := launch(t, dir, env, append(before, r.argv(t, dir)...))
	s.handshake("2025-11-25")
	if r.name == "server-everything" {
		// It asks for the roots a third of a second after the handshake. Waiting for that keeps its place the same.
		s.heard("Roots updated")
	}
	for _, a := range r.acts(dir) {
		s.request(a.message(t))
	}
	if r.more != nil {
		r.more(s)
	}
	for _, kind := range changes {
		s.heard(kind)
	}
	s.hangUp(len(before) > 1 && before[1] == "wrap")
	return s.entries
}

func folder(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "work")
}

func TestDirectAgainstDirectIsEqual(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	onlyLong(t)
	t.Parallel()
	for _, server := range realServers {
		t.Run(server.name, func(t *testing.T) {
			dir := folder(t)
			first := server.play(t, dir, server.ground(t, dir), nil, nil)
			second := server.play(t, dir, server.ground(t, dir), nil, nil)
			for _, d := range differences(first, second, false) {
				t.Error(d)
			}
			if len(first) < len(server.acts(dir)) {
				t.Errorf("only %d lines were recorded", len(first))
			}
		})
	}
}

func TestABareRelayIsEqualAndALossyOneIsFoundOut(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	server := realServers[0] // it uses no folder, so every relay can have its own
	dir := folder(t)
	direct := server.play(t, dir, server.ground(t, dir), nil, nil)
	t.Run("copies", func(t *testing.T) {
		copied := server.play(t, dir, server.ground(t, dir), helper(t, "relay", "copy"), nil)
		for _, d := range differences(direct, copied, false) {
			t.Error(d)
		}
		if found := differences(direct, copied, true); len(found) == 0 {
			t.Error("a relay that adds no tools passes for the wrapper")
		}
	})
	for kind, loss := range losses {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			broken := &lenient{TB: t, patience: patience}
			if loss.breaks {
				broken.patience = 8 * time.Second // it waits for something that never comes
			}
			var other []entry
			env := server.ground(t, dir)
			done := make(chan struct{})
			go func() {
				defer close(done)
				other = server.play(broken, dir, env, helper(t, "relay", kind), nil)
			}()
			<-done
			if (broken.why != "") != loss.breaks {
				t.Errorf("the play should have broken off: %t, and did: %q", loss.breaks, broken.why)
			}
			if loss.breaks {
				return
			}
			// Compared as the wrapper, which adds two tools, it must differ in more than their absence.
			if found := differences(direct, other, false); len(found) == 0 {
				t.Error("nothing was found")
			}
			if found := differences(direct, other, true); len(found) < 2 {
				t.Error("behind the allowance for the wrapper nothing was found")
			}
		})
	}
}

// lenient swallows a failure and ends the goroutine, for plays that are expected to break off.
type lenient struct {
	testing.TB
	patience time.Duration
	why      string
}

func (l *lenient) Fatal(args ...any)                 { l.Fatalf("%s", fmt.Sprint(args...)) }
func (l *lenient) Errorf(format string, args ...any) { l.why = fmt.Sprintf(format, args...) }
func (l *lenient) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	runtime.Goexit()
}
