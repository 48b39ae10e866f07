//go:build ui

package uitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// notSeen is the one note about a client that has not asked again, notSeenHere the same in the window.
const (
	notSeen     = "Claude Desktop hasn't seen what you allowed"
	notSeenHere = "Claude Desktop hasn’t seen what you allowed"
)

// A client that lists once, as Claude Desktop does, has two new servers. After the first is allowed, the window says at its receipt and at the
// server what the client has not seen and what helps, and no note tells anyone to restart while the second is pending. After that, there is
// one note for both. A listing ends it for its server, and a restart of the client ends it altogether.
//
// The second item is open on the screen meanwhile, so it is not notified; what another client brings is.
func TestAClientThatNeverListsAgainIsNamedInTheWindowAndByOneNote(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	servers := map[string]*server{"weather": newServer(t, first, faces), "notes": newServer(t, notesFace(), nil)}
	opened := h.opensClaude(servers)
	codes := map[string]string{}
	wait(t, "two new servers", func() bool {
		for _, item := range h.inbox() {
			codes[item.Server] = item.Code
		}
		return codes["weather"] != "" && codes["notes"] != ""
	})
	a.trayClick("weather")
	a.focused()
	a.find(heading, "weather")
	a.press(button, allowServer)
	a.find(heading, "notes") // the next item, with the receipt of the one before above it
	clock := newServer(t, clockFace(), nil)
	other := h.client("clock", append([]string{program(t, "sallyport"), "wrap", "--name", "clock", "--client", "cursor", "--"}, clock.command()...), h.env())
	other.tools()
	a.until("the receipt has the keyboard", func() bool { return a.find(button, "Undo this decision").focus() == nil }) // it stays as long
	a.says("You allowed weather.", notSeenHere+" of weather.", "Restart Claude Desktop.", "(SP-220)")
	a.notified("New server: clock") // what came before it would have been shown with it
	if said := a.titles(); !slices.Equal(said, []string{"New server: clock"}) {
		t.Errorf("the notes so far: %q", said)
	}

	a.press(button, allowServer)
	a.notified(notSeen)
	a.says(notSeenHere+" of notes, weather.", "Restart Claude Desktop.")
	a.press(link, "Servers")
	a.press(link, "Open server weather: Allowed, not yet seen by Claude Desktop")
	a.find(heading, "weather")
	a.says(notSeenHere+".", "Restart Claude Desktop.", "Allowed, not yet seen by Claude Desktop")

	opened["weather"].tools()
	a.until("the page of weather has nothing to say", func() bool { return !strings.Contains(a.reads(), "seen what you allowed") })
	a.press(link, "Inbox")
	a.says(notSeenHere + " of notes.")

	for _, c := range opened {
		c.close()
	}
	again := h.opensClaude(servers)
	a.until("nobody is to restart anything", func() bool { return !strings.Contains(a.reads(), notSeenHere) })
	a.until("the note is taken back", func() bool { return a.notes.takenBack() > 0 })
	if names := again["notes"].tools(); !slices.Contains(names, "read_note") {
		t.Errorf("after the restart it lists %q", names)
	}
	a.wait("the daemon has shown it, and no more", func() bool { return slices.Contains(a.shownByDaemon(), notSeen) })
	if said := a.titles(); !slices.Equal(said, []string{"New server: clock", notSeen}) {
		t.Errorf("all notes: %q", said)
	}
}

// opensClaude starts each server through its wrapper, as one process of Claude Desktop, and lists what it has once.
func (h *house) opensClaude(servers map[string]*server) map[string]*client {
	h.t.Helper()
	opened := map[string]*client{}
	for name, s := range servers {
		opened[name] = h.clientOf(name, append([]string{program(h.t, "sallyport"), "wrap", "--name", name, "--client", "claude-desktop", "--"}, s.command()...), h.env())
		opened[name].tools()
	}
	return opened
}

// titles are those of all notes so far.
func (a *app) titles() (titles []string) {
	for _, n := range a.notes.all() {
		titles = append(titles, n.title)
	}
	return titles
}

// shownByDaemon are the titles of the notes that the daemon showed and that are gone.
func (a *app) shownByDaemon() (titles []string) {
	a.t.Helper()
	var history []map[string]dbus.Variant
	daemon := a.session.Object(notifications, "/org/freedesktop/Notifications")
	if err := daemon.Call("org.dunstproject.cmd0.NotificationListHistory", 0).Store(&history); err != nil {
		a.t.Fatalf("the daemon's history: %v", err)
	}
	for _, n := range history {
		title, _ := n["summary"].Value().(string)
		titles = append(titles, title)
	}
	return titles
}

// focused gives the window the keyboard, as a click on it does.
func (a *app) focused() {
	a.t.Helper()
	if out, err := a.tool("xdotool", "windowactivate", "--sync", a.shows()); err != nil {
		a.t.Fatalf("activate the window: %v: %s", err, out)
	}
}
