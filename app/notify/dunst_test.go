//go:build ui && linux

package notify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

const onDesktop = "SALLYPORT_NOTIFY_DESKTOP"

// A click on the left is the note's action, one on the right a dismissal.
// No note goes by itself.
const dunstrc = "[global]\nmouse_left_click = do_action, close_current\nmouse_right_click = close_current\n" +
	"[urgency_low]\ntimeout = 0\n[urgency_normal]\ntimeout = 0\n[urgency_critical]\ntimeout = 0\n"

// TestARealDaemonIsClickedAsAPersonWould needs Xvfb, dbus, dunst, openbox and xdotool: build/with-desktop has a desktop of them.
func TestARealDaemonIsClickedAsAPersonWould(t *testing.T) {
	if os.Getenv(onDesktop) == "" {
		file := filepath.Join(t.TempDir(), "dunstrc")
		if err := os.WriteFile(file, []byte(dunstrc), 0o600); err != nil {
			t.Fatal(err)
		}
		again := exec.Command("../../build/with-desktop", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=3m", "-test.v")
		again.Env = append(os.Environ(), onDesktop+"=1", "WM=1", "DUNST=1", "DUNSTRC="+file)
		out, err := again.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	opened := make(chan string, 8)
	n := New(Options{Open: func(route string) { opened <- route }})
	t.Cleanup(func() { _ = n.Close() })
	until(t, "that notifications are on", func() bool { return n.Why() == "" })
	p := person{t: t, notes: n.(*desk), opened: opened, bus: panel.Connect(t, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))}

	n.Show(Note{Key: "4F2A", Title: "New server: github", Body: "It's blocked until you check what it can do.", Route: "#/inbox/4F2A", Action: "Review", Later: true})
	p.dismisses()
	n.Show(Note{Key: "7CK4", Title: "A tool changed and is blocked", Body: "A tool from weather changed.", Route: "#/inbox/7CK4", Action: "Review", Later: true, Urgency: Critical})
	if got := p.opens(); got != "#/inbox/7CK4" {
		t.Errorf("opened %q: the dismissal was taken for a click", got)
	}

	n.Show(Note{Key: "AAAA", Title: "Blocked: a dangerous change", Route: "#/inbox/AAAA", Urgency: Critical})
	n.Show(Note{Key: "BBBB", Title: "Blocked: hidden instructions in a tool", Route: "#/inbox/BBBB", Urgency: Critical, Replaces: "AAAA"})
	if got := p.opens(); got != "#/inbox/BBBB" { // one place, one click
		t.Errorf("opened %q: the first of two Critical notes was still there", got)
	}

	n.Show(Note{Key: "9QRT", Title: "weather changed", Route: "#/inbox/9QRT"})
	p.sees(1)
	for id := range uint32(20) {
		for _, name := range names(t, p.bus) {
			direct(t, p.bus, name, path, service, "ActionInvoked", id, "default")
		}
		broadcast(t, p.bus, "ActionInvoked", id, "default")
	}
	n.Show(Note{Key: "7CK4", Title: "another", Route: "#/inbox/7CK4"})
	n.Withdraw("9QRT")
	n.Withdraw("7CK4")
	p.sees(0)
	n.Show(Note{Key: "LAST", Title: "the last one", Route: "#/inbox/LAST"})
	if got := p.opens(); got != "#/inbox/LAST" {
		t.Errorf("opened %q: a forged signal was taken for a click", got)
	}
	if n := len(opened); n != 0 {
		t.Errorf("%d more clicks than notes, the first one opens %q", n, <-opened)
	}
}

// person has a mouse, looks at the screen, and clicks again where nothing happened: a window can be there before it is drawn where
// it stays, and then a click meets nothing.
type person struct {
	t      *testing.T
	notes  *desk
	opened chan string
	bus    *dbus.Conn
}

// opens clicks the one note there is with the left button, and waits until it is gone.
func (p person) opens() string {
	p.t.Helper()
	p.sees(1)
	p.click("1", "a click", func() bool { return len(p.opened) > 0 })
	p.sees(0)
	return <-p.opened
}

func (p person) dismisses() {
	p.t.Helper()
	p.sees(1)
	p.click("3", "that the note is gone", func() bool { return p.stands() == 0 })
	p.sees(0)
}

// sees waits until the daemon was told of all that the notifier was, and has so many notes, on the screen if any.
func (p person) sees(notes uint32) {
	p.t.Helper()
	told := make(chan struct{})
	p.notes.do("ask", func() { close(told) })
	next(p.t, told, "the daemon to be told")
	until(p.t, fmt.Sprintf("that the notes are %d", notes), func() bool {
		return p.stands() == notes && (p.tool("search", "--onlyvisible", "--class", "dunst") == nil) == (notes > 0)
	})
}

// stands is how many notes the daemon shows or will show.
func (p person) stands() (notes uint32) {
	p.t.Helper()
	for _, which := range []string{"displayedLength", "waitingLength"} {
		var n uint32
		if err := p.bus.Object(service, path).StoreProperty("org.dunstproject.cmd0."+which, &n); err != nil {
			p.t.Fatal(err)
		}
		notes += n
	}
	return notes
}

// click waits a second for what it does before it is repeated.
func (p person) click(button, what string, done func() bool) {
	p.t.Helper()
	var clicked time.Time // the last time
	until(p.t, what, func() bool {
		if done() {
			return true
		}
		if time.Since(clicked) > time.Second {
			if !clicked.IsZero() {
				p.t.Logf("click %s met nothing", button)
			}
			clicked = time.Now()
			if err := p.tool("search", "--onlyvisible", "--class", "dunst", "mousemove", "--window", "%1", "40", "20", "click", button); err != nil {
				p.t.Logf("clicked %s on nothing: %v", button, err)
			}
		}
		return false
	})
}

func (p person) tool(args ...string) error {
	if out, err := exec.CommandContext(p.t.Context(), "xdotool", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}
