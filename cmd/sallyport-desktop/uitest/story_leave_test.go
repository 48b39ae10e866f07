//go:build ui

package uitest

import (
	"strings"
	"testing"
	"time"
)

const (
	quitQuestion = "Quit Sallyport?"
	stay         = "Stay"
	quit         = "Quit"
)

// Quitting at the icon asks if anything is pending. Staying has the focus, so neither Enter nor Escape quits; closing the window means staying,
// too, and only the other button ends the program.
func TestQuittingIsAskedAndNoStrayKeyAnswersIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	h.wrapped("weather", newServer(t, first, faces), h.env())
	h.waits("new_server")
	a.hides()

	asked := func() {
		a.trayClick("Quit Sallyport…")
		a.shows()
		a.find(alert, quitQuestion)
	}
	asked()
	a.says("Sallyport's checks keep running.", "you can't review them until you open Sallyport again")
	a.until("the focus on Stay", func() bool { n, ok := a.look(button, stay); return ok && n.is(stateFocused) })
	if a.find(button, quit).is(stateFocused) {
		t.Error("Quit has the focus")
	}
	h.key(keyEnter)
	a.gone(alert, quitQuestion)

	asked()
	a.until("the focus on Stay", func() bool { n, ok := a.look(button, stay); return ok && n.is(stateFocused) })
	h.key(keyEscape)
	a.gone(alert, quitQuestion)

	asked()
	a.close()
	a.hides()
	a.trayTap()
	a.shows()
	a.gone(alert, quitQuestion)
	if left := h.inbox(); len(left) != 1 {
		t.Fatalf("after staying there waits %+v", left)
	}

	asked()
	a.leaves()
}

// leaves answers the question. A press before anybody could read it is refused, with a message.
func (a *app) leaves() {
	a.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if n, ok := a.look(button, quit); ok {
			_ = n.press()
		}
		select {
		case <-a.ended:
			if a.code != 0 {
				a.t.Errorf("it ended with %d: %s", a.code, a.said)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			a.shoot()
			a.t.Fatalf("the program does not quit. The page:\n%s", a.outline())
		}
	}
}

// If nothing is pending and nothing runs, nothing is asked.
func TestQuittingIsNotAskedWhereNothingIsLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	a.trayClick("Quit Sallyport…")
	<-a.ended
	if a.code != 0 {
		t.Errorf("it ended with %d: %s", a.code, a.said)
	}
	if out, _ := h.command("status"); !strings.Contains(strings.ToLower(out), "hub") {
		t.Errorf("afterwards status says %s", out)
	}
}
