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
