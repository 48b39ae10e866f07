//go:build ui

package uitest

import "testing"

// Notifications are snoozed at the icon. It shows that, even after a restart; what is blocked stays blocked, and what came meanwhile is notified
// when the snooze ends.
func TestASnoozeIsSeenAndKeptAndWhatCameIsToldAfterIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	a.trayClick("30 minutes")
	a.tooltip("snoozed until")
	first, faces := weatherFaces()
	client := h.wrapped("weather", newServer(t, first, faces), h.env())
	item := h.waits("new_server")
	client.refused("get_forecast", `{}`, item.Code)
	a.tooltip("1 item needs your review, snoozed until")
	if notes := a.notes.all(); len(notes) != 0 {
		t.Errorf("notified %+v", notes)
	}

	client.close() // first: a wrapper that loses its hub starts another
	a.end()
	again := h.open()
	h.trayRow("Notifications snoozed until")
	h.wrapped("notes", newServer(t, notesFace(), nil), h.env())
	again.tooltip("2 items need your review, snoozed until")
	again.trayClick("End snooze")
	h.trayGone("End snooze")
	h.trayRow("Snooze notifications")
	again.notified("New server: notes")
}
