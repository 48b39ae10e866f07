//go:build linux

package notify

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

var all = []string{"actions", "body", "body-markup", "persistence"}

// scene is a bus with a daemon on it, our notifier, and what it opened.
type scene struct {
	t       *testing.T
	address string
	daemon  *daemon
	notes   Notifier
	opened  chan string
	later   chan string
}

func newScene(t *testing.T, caps ...string) *scene {
	t.Helper()
	s := &scene{t: t, address: panel.Bus(t), opened: make(chan string, 64), later: make(chan string, 64)}
	s.daemon = newDaemon(t, panel.Connect(t, s.address), caps...)
	s.notes = New(Options{Open: func(route string) { s.opened <- route }, Later: func(n Note) { s.later <- n.Key }})
	t.Cleanup(func() { _ = s.notes.Close() })
	return s
}

// ours is the unique name of our notifier's connection: the one that is neither the daemon's nor the asker's.
func (s *scene) ours(others ...*dbus.Conn) string {
	s.t.Helper()
	conn := panel.Connect(s.t, s.address)
	defer conn.Close()
	known := []string{conn.Names()[0], s.daemon.conn.Names()[0]}
	for _, o := range others {
		known = append(known, o.Names()[0])
	}
	all := slices.DeleteFunc(names(s.t, conn), func(n string) bool { return slices.Contains(known, n) })
	if len(all) != 1 {
		s.t.Fatalf("our connection is among %v", all)
	}
	return all[0]
}

func (s *scene) show(n Note) told {
	s.t.Helper()
	s.notes.Show(n)
	return s.daemon.next()
}

// onlyOpened clicks the note and holds that this is the first thing that was opened: callbacks come in the order of the signals.
func (s *scene) onlyOpened(id uint32, route string) {
	s.t.Helper()
	s.daemon.click(id, actionDefault)
	if got := next(s.t, s.opened, "a click"); got != route {
		s.t.Fatalf("opened %q before %q was clicked", got, route)
	}
}

func TestANoteIsToldToTheDaemonAsItIs(t *testing.T) {
	s := newScene(t, all...)
	got := s.show(Note{Key: "4F2A", Title: "New server: github", Body: "It's <b>blocked</b> & waits.", Route: "#/inbox/4F2A", Action: "Review", Later: true, Urgency: Critical})
	if got.App != "Sallyport" || got.Icon != "sallyport" || got.Title != "New server: github" || got.Replaces != 0 || got.Timeout != -1 {
		t.Errorf("told %+v", got)
	}
	if want := "It's &lt;b&gt;blocked&lt;/b&gt; &amp; waits."; got.Body != want {
		t.Errorf("body %q, want %q", got.Body, want)
	}
	if want := []string{"default", "Open", "open", "Review", "later", "Later"}; !slices.Equal(got.Actions, want) {
		t.Errorf("actions %q, want %q", got.Actions, want)
	}
	if got.Hints["urgency"].Value() != byte(2) || got.Hints["desktop-entry"].Value() != "sallyport" || got.Hints["suppress-sound"].Value() != false {
		t.Errorf("hints %v", got.Hints)
	}
	if why := s.notes.Why(); why != "" {
		t.Errorf("notifications are off: %s", why)
	}
}

func TestOnlyAnItemCanBePutOff(t *testing.T) {
	s := newScene(t, all...)
	got := s.show(summary(12))
	if want := []string{"default", "Open", "open", "Open Inbox"}; !slices.Equal(got.Actions, want) {
		t.Errorf("a summary has the actions %q, want %q", got.Actions, want)
	}
}

func TestADaemonGetsOnlyWhatItCanDo(t *testing.T) {
	s := newScene(t, "body")
	got := s.show(Note{Key: "4F2A", Title: "t", Body: "a < b", Action: "Review", Later: true, Urgency: Low})
	if got.Body != "a < b" || len(got.Actions) != 0 || got.Hints["urgency"].Value() != byte(0) || got.Hints["suppress-sound"].Value() != true {
		t.Errorf("told %+v", got)
	}
}

func TestNothingUnseenOrEndlessReachesTheDaemon(t *testing.T) {
	s := newScene(t, all...)
	got := s.show(Note{Key: "4F2A", Title: "New server: \u202egithub\u2066\n\x1b[31m" + strings.Repeat("x", 100), Body: "a\u200b\U000e0041b\x00\n\n\nc\u00ad\ufe0f" + strings.Repeat(" y", 5000)})
	if want := "New server: github " + strings.Repeat("x", 25) + "…"; got.Title != want {
		t.Errorf("title %q, want %q", got.Title, want)
	}
	if !strings.HasPrefix(got.Body, "ab c y y") || len([]rune(got.Body)) > maxBody {
		t.Errorf("body %q", got.Body)
	}
}

func TestAClickOpensAndALaterDoesNot(t *testing.T) {
	s := newScene(t, all...)
	first := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/4F2A", Action: "Review", Later: true})
	second := s.show(Note{Key: "7CK4", Title: "b", Route: "#/inbox/7CK4", Action: "Review", Later: true})
	s.daemon.click(second.ID, "open")
	if got := next(t, s.opened, "a click"); got != "#/inbox/7CK4" {
		t.Errorf("opened %q", got)
	}
	s.daemon.click(first.ID, "later")
	if got := next(t, s.later, "a later"); got != "4F2A" {
		t.Errorf("put off %q", got)
	}
	if got := next(t, s.daemon.closed, "the note to be closed"); got != first.ID {
		t.Errorf("closed %d, want %d", got, first.ID)
	}
	s.onlyOpened(second.ID, "#/inbox/7CK4")
}

func TestADismissalIsNoClick(t *testing.T) {
	s := newScene(t, all...)
	gone := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/4F2A"})
	stays := s.show(Note{Key: "7CK4", Title: "b", Route: "#/inbox/7CK4"})
	for _, reason := range []uint32{1, 2, 3, 4, 99} {
		broadcast(t, s.daemon.conn, "NotificationClosed", gone.ID, reason)
	}
	s.daemon.click(gone.ID, "default") // a daemon that says it after it said that the note is gone
	s.onlyOpened(stays.ID, "#/inbox/7CK4")
}

func TestAForgedSignalDoesNothing(t *testing.T) {
	s := newScene(t, all...)
	forger := panel.Connect(t, s.address)
	note := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/forged"})
	real := s.show(Note{Key: "7CK4", Title: "b", Route: "#/inbox/7CK4"})
	ours := s.ours(forger)

	// As a broadcast, and addressed to us: the rules we gave the bus keep out only the first.
	for _, action := range []string{"default", "open", "later", "review"} {
		broadcast(t, forger, "ActionInvoked", note.ID, action)
		direct(t, forger, ours, path, service, "ActionInvoked", note.ID, action)
	}
	// To make a note deaf.
	direct(t, forger, ours, path, service, "NotificationClosed", real.ID, uint32(2))
	// To be taken for the daemon.
	direct(t, forger, ours, "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", service, s.daemon.conn.Names()[0], forger.Names()[0])
	direct(t, forger, ours, path, service, "ActionInvoked", note.ID, "default")
	// With a body that is none.
	direct(t, s.daemon.conn, ours, path, service, "ActionInvoked", "7", uint32(3))
	direct(t, s.daemon.conn, ours, path, service, "ActionInvoked")
	direct(t, s.daemon.conn, ours, "/elsewhere", service, "ActionInvoked", note.ID, "default")

	s.onlyOpened(real.ID, "#/inbox/7CK4")
	select {
	case key := <-s.later:
		t.Errorf("a forged signal put %s off", key)
	default:
	}
}

func TestANoteOfAnotherProgramOpensNothing(t *testing.T) {
	s := newScene(t, all...)
	note := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/4F2A"})
	s.daemon.click(note.ID+1, "default")
	s.daemon.click(note.ID, "allow") // no action of ours
	s.onlyOpened(note.ID, "#/inbox/4F2A")
}

func TestALaterNoteTakesThePlaceOfTheOneWithItsKey(t *testing.T) {
	s := newScene(t, all...)
	first := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/old"})
	other := s.show(Note{Key: "7CK4", Title: "b", Route: "#/inbox/7CK4"})
	again := s.show(Note{Key: "4F2A", Title: "c", Route: "#/inbox/new"})
	if again.Replaces != first.ID || other.Replaces != 0 {
		t.Errorf("replaced %d and %d, want %d and 0", again.Replaces, other.Replaces, first.ID)
	}
	s.onlyOpened(again.ID, "#/inbox/new")
	s.daemon.dismiss(again.ID)
	s.onlyOpened(other.ID, "#/inbox/7CK4")
	if fresh := s.show(Note{Key: "4F2A", Title: "d"}); fresh.Replaces != 0 {
		t.Errorf("replaced %d, which was dismissed", fresh.Replaces)
	}
}

func TestWhatIsWithdrawnIsClosedAndNoLongerClicked(t *testing.T) {
	s := newScene(t, all...)
	gone := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/4F2A"})
	stays := s.show(Note{Key: "7CK4", Title: "b", Route: "#/inbox/7CK4"})
	s.notes.Withdraw("never")
	s.notes.Withdraw("4F2A")
	if got := next(t, s.daemon.closed, "the note to be closed"); got != gone.ID {
		t.Errorf("closed %d, want %d", got, gone.ID)
	}
	s.daemon.click(gone.ID, "default")
	s.onlyOpened(stays.ID, "#/inbox/7CK4")
}

func TestClosingTakesBackWhatIsShown(t *testing.T) {
	s := newScene(t, all...)
	note := s.show(Note{Key: "4F2A", Title: "a"})
	if err := s.notes.Close(); err != nil {
		t.Fatal(err)
	}
	if got := next(t, s.daemon.closed, "the note to be closed"); got != note.ID {
		t.Errorf("closed %d, want %d", got, note.ID)
	}
	s.notes.Show(Note{Key: "7CK4"})
	s.notes.Withdraw("7CK4")
	if err := s.notes.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestACallbackMayCloseTheNotifier(t *testing.T) {
	s := newScene(t, all...)
	closed := make(chan error, 1)
	var n Notifier
	opened := make(chan struct{})
	n = New(Options{Open: func(string) { <-opened; closed <- n.Close() }})
	close(opened)
	n.Show(Note{Key: "4F2A", Title: "a", Route: "r"})
	s.daemon.click(s.daemon.next().ID, "default")
	if err := next(t, closed, "Close to return"); err != nil {
		t.Fatal(err)
	}
}

func TestADaemonThatLeavesIsSaidAndTheNextOneIsMet(t *testing.T) {
	s := newScene(t, all...)
	old := s.show(Note{Key: "4F2A", Title: "a", Route: "#/inbox/old"})
	s.daemon.leave()
	until(t, "that notifications are off", func() bool { return s.notes.Why() != "" })

	first := s.daemon
	s.daemon = newDaemon(t, panel.Connect(t, s.address), "body")
	until(t, "that notifications are on", func() bool { return s.notes.Why() == "" })
	again := s.show(Note{Key: "4F2A", Title: "b", Route: "#/inbox/new", Action: "Review", Later: true})
	if again.Title != "b" || again.Replaces != 0 || len(again.Actions) != 0 {
		t.Errorf("the new daemon was told %+v", again)
	}
	fresh := s.show(Note{Key: "7CK4", Title: "c", Route: "#/inbox/7CK4"})
	first.click(old.ID, "default") // who is no longer the daemon
	first.click(again.ID, "default")
	direct(t, first.conn, s.ours(first.conn), path, service, "ActionInvoked", again.ID, "default")
	direct(t, first.conn, s.ours(first.conn), path, service, "ActionInvoked", old.ID, "default")
	s.onlyOpened(fresh.ID, "#/inbox/7CK4")
}

func TestWithoutASessionBusNothingIsShownAndThatIsSaid(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	n := New(Options{})
	if n.Why() == "" {
		t.Error("nobody is told that there are no notifications")
	}
	n.Show(Note{Key: "4F2A"})
	n.Withdraw("4F2A")

	// One that comes later is found by the next note.
	d := newDaemon(t, panel.Connect(t, panel.Bus(t)), all...)
	n.Show(Note{Key: "7CK4", Title: "b"})
	for d.next().Title != "b" { // the first one may have waited for the bus as well
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutADaemonThatIsSaid(t *testing.T) {
	panel.Bus(t)
	n := New(Options{})
	t.Cleanup(func() { _ = n.Close() })
	until(t, "that no daemon runs", func() bool { return n.Why() == "no notification service is running" })
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), enough)
	defer done()
	if err := panel.Until(ctx, func() error {
		if is() {
			return nil
		}
		return context.DeadlineExceeded
	}); err != nil {
		t.Fatalf("waited to hear %s", what)
	}
}

func TestANoteThatReplacesAnotherTakesItsPlaceAndItsClicks(t *testing.T) {
	s := newScene(t, all...)
	first := s.show(Note{Key: "4F2A", Title: "one", Route: "#/inbox/4F2A", Urgency: Critical})
	second := s.show(Note{Key: "7CK4", Title: "two", Route: "#/inbox/7CK4", Urgency: Critical, Replaces: "4F2A"})
	if first.Replaces != 0 || second.Replaces != first.ID {
		t.Fatalf("the second replaces %d, the first was %d", second.Replaces, first.ID)
	}
	s.onlyOpened(second.ID, "#/inbox/7CK4")
	s.notes.Withdraw("4F2A") // decided: what stands now is another's
	third := s.show(Note{Key: "9KQT", Title: "three", Replaces: "4F2A"})
	if third.Replaces != 0 {
		t.Errorf("a note takes the place %d of one that does not stand any more", third.Replaces)
	}
}
