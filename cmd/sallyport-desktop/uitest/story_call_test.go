//go:build ui

package uitest

import (
	"strings"
	"testing"
)

const (
	groceries = `{"title":"Groceries","text":"Milk and <b>bread</b>\n\u001b[31mand butter"}`
	ideas     = `{"title":"Ideas","text":"None"}`
)

// A person has each call of one tool put before them: the call isn't made, the window shows whose it is and what it would do, and what was allowed is
// made once, when the client calls again, or as often as it likes, if a person says so. What was refused is not asked about again.
func TestACallIsAllowedOnceOrRefusedInTheWindow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	notes := newServer(t, notesFace(), nil)
	h.allowed("notes", notes)
	a := h.open()
	client := h.wrapped("notes", notes, h.env())
	client.runs("read_note", `{"id":1}`, "Buy bread")
	if out, code := h.command("settings", "set", "tools.mode", "ask", "--server", "notes", "--tool", "write_note"); code != 0 {
		t.Fatalf("settings: %d: %s", code, out)
	}
	wait(t, "calls are asked about", func() bool {
		return strings.Contains(client.call("write_note", groceries), "decides on each of its calls")
	})
	code := h.waits("call_waiting").Code
	client.refused("write_note", groceries, code)
	client.runs("read_note", `{"id":1}`, "Buy bread")

	a.trayClick("notes — a call to review")
	a.shows()
	a.find(heading, "Claude wants to call")
	a.says("write_note", "You decide on each call of this tool", "What it would run", "Groceries", "Milk and <b>bread</b>", "If you do nothing, it is never run")
	a.press(button, allowOnce)
	a.trayGone("a call to review")
	client.runs("write_note", groceries, "done")

	// Another is allowed for good, until that is taken back on the settings page.
	const list = `{"title":"List","text":"Soap"}`
	client.refused("write_note", list, "inbox item")
	a.trayClick("notes — a call to review")
	a.says("Claude wants to call", "Soap")
	a.press(button, "More actions for this tool")
	a.press(button, alwaysCall)
	a.says("with exactly these arguments passes as often as Claude likes")
	a.press(button, "Always allow")
	a.trayGone("a call to review")
	client.runs("write_note", list, "done")
	client.runs("write_note", list, "done")
	a.press(link, "Settings")
	a.says("Calls you always allow", "Soap", "made 2 times")
	a.press(button, "End now: a call of")
	a.says("Sallyport asks you about it again")
	if out, _ := h.command("flow"); !strings.Contains(out, "No call is allowed for good") {
		t.Errorf("still allowed: %s", out)
	}

	next := client.call("write_note", groceries)
	if !strings.Contains(next, "[Sallyport]") || strings.Contains(next, code) {
		t.Errorf("a second time: %.400s", next)
	}

	client.refused("write_note", ideas, "inbox item")
	a.until("both are asked about", func() bool { return len(h.inbox()) == 2 })
	for range 2 {
		a.trayClick("notes — a call to review")
		a.find(heading, "Claude wants to call")
		a.refusesCall()
	}
	a.trayGone("a call to review")
	for _, call := range []string{groceries, ideas} {
		if answer := client.call("write_note", call); !strings.Contains(answer, "the user refused this call") {
			t.Errorf("a refused call: %.400s", answer)
		}
	}
	if items := h.inbox(); len(items) != 0 {
		t.Errorf("refused calls are asked about again: %+v", items)
	}
}

// refusesCall refuses the call on the screen.
func (a *app) refusesCall() {
	a.t.Helper()
	before := len(a.inbox())
	a.until("the call is refused", func() bool {
		if n, ok := a.look(button, refuseCall); ok {
			_ = n.press() // refused while it is disabled
		}
		return len(a.inbox()) < before
	})
}
