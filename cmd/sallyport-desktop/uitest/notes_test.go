//go:build ui

package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

const notifications = "org.freedesktop.Notifications"

// notes is all that programs on a desktop asked its notification daemon for, overheard on the bus.
type notes struct {
	mu    sync.Mutex
	shown []note
	taken int // calls of CloseNotification
}

// note is one call of Notify.
type note struct {
	app, title, body string
	replaces         uint32
	actions          []string // key, label, key, label…
	urgency          byte
}

// listen makes a connection a monitor of the bus; it is good for nothing else from then on.
func listen(bus *dbus.Conn) (*notes, error) {
	n := &notes{}
	messages := make(chan *dbus.Message, 64)
	rules := []string{"type='method_call',interface='" + notifications + "'"}
	if err := bus.BusObject().Call("org.freedesktop.DBus.Monitoring.BecomeMonitor", 0, rules, uint32(0)).Err; err != nil {
		return nil, err
	}
	bus.Eavesdrop(messages)
	go func() {
		for m := range messages {
			n.take(m)
		}
	}()
	return n, nil
}

func (n *notes) take(m *dbus.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m.Headers[dbus.FieldMember].Value() == "CloseNotification" {
		n.taken++
	}
	if m.Headers[dbus.FieldMember].Value() == "Notify" {
		var it note
		var icon string
		var hints map[string]dbus.Variant
		var timeout int32
		if dbus.Store(m.Body, &it.app, &it.replaces, &icon, &it.title, &it.body, &it.actions, &hints, &timeout) != nil {
			return
		}
		it.urgency, _ = hints["urgency"].Value().(byte)
		n.shown = append(n.shown, it)
	}
}

// all are the notes so far.
func (n *notes) all() []note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]note(nil), n.shown...)
}

// takenBack is how many notes were taken back so far.
func (n *notes) takenBack() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.taken
}

// dunstrc makes a click on a note its action, which is what other daemons do.
func dunstrc(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dunstrc")
	text := "[global]\n\torigin = top-right\n\tmouse_left_click = do_action, close_current\n\tmouse_right_click = close_current\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// notified waits for a note whose title holds part.
func (a *app) notified(part string) (found note) {
	a.t.Helper()
	a.until(fmt.Sprintf("a notification %q among %+v", part, a.notes.all()), func() bool {
		for _, n := range a.notes.all() {
			if strings.Contains(strings.ToLower(n.title), strings.ToLower(part)) {
				found = n
				return true
			}
		}
		return false
	})
	return found
}

// clickNote clicks what the daemon shows, with this button of the mouse.
func (a *app) clickNote(mouse string) {
	a.t.Helper()
	var window string
	a.until("a notification on the screen", func() bool {
		out, err := a.tool("xdotool", "search", "--onlyvisible", "--class", "Dunst")
		window, _, _ = strings.Cut(out, "\n")
		return err == nil && window != ""
	})
	if out, err := a.tool("xdotool", "mousemove", "--window", window, "20", "15", "click", mouse); err != nil {
		a.t.Fatalf("click the notification: %v: %s", err, out)
	}
}

// forge says on the bus, as any process can, that what is shown was clicked: to everybody, and to each of the program's
// connections. The daemon alone may say that. Afterwards the window is still hidden, when the hub and the tray, on whose bus
// the signals came, have both answered.
func (a *app) forge() {
	a.t.Helper()
	var names []string
	if err := a.session.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		a.t.Fatal(err)
	}
	targets := []string{""}
	for _, name := range names {
		var pid uint32
		if strings.HasPrefix(name, ":") && a.session.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, name).Store(&pid) == nil &&
			int(pid) == a.pid() {
			targets = append(targets, name)
		}
	}
	if len(targets) < 2 {
		a.t.Fatalf("the program has no connection on the bus: %v", names)
	}
	for _, target := range targets {
		for id := uint32(1); id <= 5; id++ {
			for _, action := range []string{"default", "review", "open"} {
				a.emit(target, "ActionInvoked", id, action)
			}
		}
	}
	a.trayRows()
	a.inbox()
	a.trayRows()
	if _, shown := a.window(); shown {
		a.t.Error("a forged click opened the window")
	}
}

// emit sends a signal in the daemon's words, to one connection where one is named.
func (a *app) emit(target, member string, body ...any) {
	a.t.Helper()
	m := &dbus.Message{
		Type: dbus.TypeSignal,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath:      dbus.MakeVariant(dbus.ObjectPath("/org/freedesktop/Notifications")),
			dbus.FieldInterface: dbus.MakeVariant(notifications),
			dbus.FieldMember:    dbus.MakeVariant(member),
			dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(body...)),
		},
		Body: body,
	}
	if target != "" {
		m.Headers[dbus.FieldDestination] = dbus.MakeVariant(target)
	}
	if call := a.session.Send(m, nil); call != nil && call.Err != nil {
		a.t.Fatalf("forge a signal: %v", call.Err)
	}
}
