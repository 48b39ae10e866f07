//go:build ui

package uitest

import (
	"strings"
	"testing"
)

// The window comes back in the size that a person gave it.
func TestTheWindowKeepsItsSize(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.start()
	a.ready()
	if out, err := h.tool("xdotool", "windowsize", a.shows(), "960", "640"); err != nil {
		t.Fatalf("resize: %v: %s", err, out)
	}
	a.measures("960x640")
	a.end()

	again := h.start()
	again.ready()
	again.shows()
	again.measures("960x640")
}

// measures waits until the window is that large.
func (a *app) measures(want string) {
	a.t.Helper()
	var last string
	a.until("a window of "+want, func() bool {
		id, shown := a.window()
		if !shown {
			return false
		}
		last, _ = a.tool("xdotool", "getwindowgeometry", id)
		return strings.Contains(last, "Geometry: "+want)
	})
}

// In the smallest window, on a desktop with text half as large again, every button of a decision is on the screen, for a new server and for a
// change that takes typing.
func TestInASmallWindowWithLargeTextEveryDecisionIsOnTheScreen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.inWindow = append(h.inWindow, "GDK_DPI_SCALE=1.5")
	a := h.start()
	a.ready()
	id := a.shows()
	if out, err := h.tool("xdotool", "windowsize", id, "800", "600"); err != nil {
		t.Fatalf("resize: %v: %s", err, out)
	}
	a.measures("800x600")
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	client := h.wrapped("weather", weather, h.env())
	client.tools()
	item := h.waits("new_server")
	a.press(link, "Inbox")
	a.press(link, item.Code)
	a.find(heading, "weather")
	for _, name := range []string{keepBlocked, allowServer} {
		a.onScreen(name, 800, 600)
	}
	a.press(button, allowServer)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")

	// Undone, it is the same item again, in the window too.
	a.press(button, "Undo this decision")
	if again := h.waits("new_server"); again.Code != item.Code {
		t.Errorf("%s waits again as %s", item.Code, again.Code)
	}
	a.says(item.Code, "new server")
	for _, name := range []string{keepBlocked, allowServer} {
		a.onScreen(name, 800, 600)
	}

	// In a dialog about two servers the list scrolls and the buttons stay.
	h.wrapped("notes", newServer(t, notesFace(), nil), h.env()).tools()
	a.press(link, "Back to the Inbox")
	a.press(button, "Allow the 2 servers without warnings")
	a.find(button, "Allow 2 servers")
	for _, name := range []string{"Keep them blocked", "Allow 2 servers"} {
		a.onScreen(name, 800, 600)
	}
}

// onScreen waits until the whole button is inside a window of that size.
func (a *app) onScreen(name string, width, height int32) {
	a.t.Helper()
	type extents struct{ X, Y, Width, Height int32 }
	var last extents
	a.until("the button "+name+" on the screen", func() bool {
		n, found := a.look(button, name)
		if !found {
			return false
		}
		var e extents
		if err := n.object().Call("org.a11y.atspi.Component.GetExtents", 0, uint32(1)).Store(&e); err != nil {
			return false
		}
		last = e
		return e.Width > 0 && e.Height > 0 && e.X >= 0 && e.Y >= 0 && e.X+e.Width <= width && e.Y+e.Height <= height
	})
	a.t.Logf("%s at %+v", name, last)
}
