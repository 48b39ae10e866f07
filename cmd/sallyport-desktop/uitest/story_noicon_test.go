//go:build ui

package uitest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/app/tray/panel"
)

const noIcons = "Your desktop hides tray icons, so Sallyport opens its window instead."

// On a desktop without icons a hidden start opens the window and says why, once. Closed, it can still be found; when a panel comes, it shows
// the icon, and closing hides the window again.
func TestAHiddenStartOpensTheWindowWhereIconsAreHidden(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.panel.Close(); err != nil {
		t.Fatal(err)
	}
	a := h.start("--hidden")
	a.says(noIcons) // first: the toolkit shows a window that starts hidden for a moment, before its page is there
	a.shows()
	a.press(button, "Got it")
	a.until("it is said once", func() bool { return !strings.Contains(a.reads(), noIcons) })
	a.close()
	a.hides()
	h.activate() // from where minimised windows are
	a.shows()

	later, err := panel.New(h.connect(h.value("DBUS_SESSION_BUS_ADDRESS")))
	if err != nil {
		t.Fatal(err)
	}
	h.panel = later
	a.tray()
	a.close()
	a.hides()
	a.trayTap()
	a.shows()
}

// Without an icon, the settings have the button to quit, with the same question.
func TestWithoutAnIconItIsQuitInTheSettings(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.panel.Close(); err != nil {
		t.Fatal(err)
	}
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	h.allowed("weather", weather)
	a := h.start("#/settings")
	a.shows()
	client := h.wrapped("weather", weather, h.env())
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	a.press(button, "Quit Sallyport…")
	a.find(alert, quitQuestion) // nothing waits, and a server is running
	a.press(button, stay)
	a.gone(alert, quitQuestion)
	a.press(button, "Quit Sallyport…")
	a.find(alert, quitQuestion)
	a.leaves()
}

// A wrapper that starts the program brings its window up once in a home, and later leaves it among the minimised windows: a server that ends
// the hub can't decide when the window appears.
func TestAWrapperBringsTheWindowUpOnceWhereIconsAreHidden(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.panel.Close(); err != nil {
		t.Fatal(err)
	}
	first, faces := weatherFaces()
	client := h.wrapped("weather", newServer(t, first, faces), h.env())
	item := h.waits("new_server")
	client.refused("get_forecast", `{}`, item.Code)
	hub := func(not int) (pid int) {
		wait(t, "a hub with a window answers", func() bool {
			now, window, _ := h.hubNow()
			pid = now
			return window && now != not
		})
		return pid
	}
	before := hub(0)
	up := h.met(before)
	up.says(noIcons)
	up.shows()

	if err := syscall.Kill(before, syscall.SIGTERM); err != nil { // as a program inside the server could
		t.Fatal(err)
	}
	wait(t, "it is gone", func() bool { return !alive(before) })
	after := hub(before)
	t.Cleanup(func() {
		client.close() // first: a wrapper that loses its hub starts another
		_ = syscall.Kill(after, syscall.SIGTERM)
		wait(t, "the program ends", func() bool { return !alive(after) })
	})
	wait(t, "it stands among the minimised windows", func() bool {
		state, err := h.tool("xprop", "-id", h.itsWindow(), "WM_STATE")
		return err == nil && strings.Contains(state, "Iconic")
	})
	if _, shown := h.window(); shown {
		t.Error("the second start of a wrapper put the window on the screen")
	}
	h.activate()
	wait(t, "a person brings it back", func() bool { _, shown := h.window(); return shown })
}

// met is a program that somebody else started.
func (h *house) met(pid int) *app {
	h.t.Helper()
	process, err := os.FindProcess(pid)
	if err != nil {
		h.t.Fatal(err)
	}
	return &app{house: h, cmd: &exec.Cmd{Process: process}, said: new(tail), ended: make(chan struct{})}
}

// itsWindow is the program's one window, on the screen or not; "" if there is none.
func (d *desk) itsWindow() string {
	out, err := d.tool("xdotool", "search", "--name", "^Sallyport$")
	if err != nil {
		return ""
	}
	id, _, _ := strings.Cut(out, "\n")
	return id
}

// activate brings a minimised window back, as a click in a list of windows does.
func (d *desk) activate() {
	d.t.Helper()
	if out, err := d.tool("xdotool", "windowactivate", d.itsWindow()); err != nil {
		d.t.Fatalf("bring the window back: %v: %s", err, out)
	}
}
