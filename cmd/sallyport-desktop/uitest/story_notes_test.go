//go:build ui

package uitest

import (
	"slices"
	"testing"
)

// A notification offers to look or to be left alone, nothing else, and is withdrawn when its item is decided in the window.
func TestANotificationIsTakenBackWhenItsItemIsDecided(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	client := h.wrapped("weather", newServer(t, first, faces), h.env())
	shown := a.notified("New server: weather")
	if want := []string{"default", "Open", "open", "Review", "later", "Later"}; !slices.Equal(shown.actions, want) {
		t.Errorf("its actions are %q, want %q", shown.actions, want)
	}
	if shown.body != "It's blocked until you check what it can do." || shown.urgency != 1 || shown.app != "Sallyport" {
		t.Errorf("it is %+v", shown)
	}
	if taken := a.notes.takenBack(); taken != 0 {
		t.Fatalf("%d notes were taken back while it waits", taken)
	}
	a.trayClick("weather")
	a.find(heading, "weather")
	a.press(toggle, "get_forecast")
	a.press(button, allowServer)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	a.until("the note is taken back", func() bool { return a.notes.takenBack() == 1 })
}
