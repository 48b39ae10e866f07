//go:build ui

package uitest

import (
	"strings"
	"testing"
)

// reading is the start of stories about held responses: an allowed mail server, a window, and a harmless response.
func reading(t *testing.T) (*house, *app, *client) {
	t.Helper()
	h := newHouse(t)
	mail := newServer(t, mailFace(), nil)
	h.allowed("mail", mail)
	a := h.open()
	client := h.wrapped("mail", mail, h.env())
	client.runs("list_mails", `{}`, "Minutes")
	return h, a, client
}

const letter = `{"id":"7","password":"correct horse"}`

// holds calls a tool whose response is held, and opens it from the icon.
func (a *app) holds(h *house, c *client, tool, order string) waiting {
	a.t.Helper()
	item := a.withholds(h, c, tool, order)
	a.trayClick("mail")
	a.shows()
	a.find(heading, tool)
	return item
}

// withholds calls a tool whose response is held. None of it reaches the client.
func (a *app) withholds(h *house, c *client, tool, order string) waiting {
	a.t.Helper()
	answer := c.call(tool, letter)
	item := h.waits("response_held")
	if !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, item.Code) || strings.Contains(answer, order) {
		a.t.Fatalf("the answer is not held: %.600s", answer)
	}
	return item
}

// twice releases with the second press; the first only shows serious warnings.
func (a *app) twice(part, confirm string) {
	a.t.Helper()
	a.until("a second question before "+part, func() bool {
		if n, ok := a.look(button, confirm); ok && n.press() == nil {
			return true
		}
		if n, ok := a.look(button, part); ok {
			_ = n.press()
		}
		return false
	})
}

// A poisoned mail is held, notified, shown inert with what it would do, released and delivered once, and held again when it comes again.
func TestAHeldResponseIsSeenReleasedOnceAndHandedOver(t *testing.T) {
	t.Parallel()
	h, a, client := reading(t)
	item := a.withholds(h, client, "read_mail", mailOrder)
	note := a.notified("held for review") // before it is opened: what is on the screen is not notified
	if !strings.Contains(note.body, "mail") || strings.Contains(note.title+note.body, "disregard") {
		t.Errorf("the notification is %+v", note)
	}
	a.trayClick("mail")
	a.shows()
	a.find(heading, "read_mail")
	a.says("claude hasn’t seen it", "disregard the above", "it tells claude to ignore earlier instructions", "picture, image/png", "links found (1)", "if you do nothing, claude never sees it")
	if page := a.reads(); strings.Contains(page, "horse") {
		t.Error("the password of the request is on the page")
	}
	a.says("so sallyport didn’t store it")

	a.twice(releaseOnce, "Release it once")
	a.says("released once", "in claude, say")
	a.trayGone("mail")
	client.runs("read_mail", letter, mailOrder)
	a.says("delivered")
	if again := client.call("read_mail", letter); strings.Contains(again, mailOrder) || strings.Contains(again, item.Code) {
		t.Errorf("it was handed over twice: %.400s", again)
	}
	if next := h.waits("response_held"); next.Code == item.Code {
		t.Error("what came again waits under the code of what was handed over")
	}
}

func TestAHeldResponseIsReleasedWithoutItsMarkedParts(t *testing.T) {
	t.Parallel()
	h, a, client := reading(t)
	a.holds(h, client, "read_mail", mailOrder)
	a.twice(releaseRest, "Release it without them")
	a.says("released once, without the marked parts")
	client.runs("read_mail", letter, "[removed by Sallyport]")
	a.says("delivered, without the marked parts")
	if again := client.call("read_mail", letter); strings.Contains(again, "[removed by Sallyport]") {
		t.Errorf("it was handed over twice: %.400s", again)
	}
}

func TestADiscardedResponseIsGone(t *testing.T) {
	t.Parallel()
	h, a, client := reading(t)
	item := a.holds(h, client, "read_mail", mailOrder)
	a.press(button, discard)
	a.trayGone("mail")
	if left := h.inbox(); len(left) != 0 {
		t.Errorf("it still waits: %+v", left)
	}
	answer := client.call("quarantine_release", `{"quarantine_id":"`+item.Code+`"}`)
	if !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, mailOrder) {
		t.Errorf("what was discarded was handed over: %.400s", answer)
	}
	if shown, _ := h.command("show", item.Code, "--json"); strings.Contains(shown, mailOrder) {
		t.Error("its text is still kept")
	}
}

// An exception for an hour releases nothing that is held, lets later responses pass, is listed with its end, and is ended in the settings.
func TestAnExceptionLetsTheNextAnswerPassUntilItIsEnded(t *testing.T) {
	t.Parallel()
	h, a, client := reading(t)
	a.holds(h, client, "read_mail", mailOrder)
	a.press(button, "More actions")
	a.twice(alwaysAllow, "Make the exception")
	a.says("this one is still held")
	if left := h.inbox(); len(left) != 1 || left[0].Kind != "response_held" {
		t.Errorf("the exception decided on what was held: %+v", left)
	}

	client.runs("read_mail", `{"id":"8"}`, mailOrder)
	a.press(link, "Settings")
	a.says("it tells claude to ignore earlier instructions", "1 response passed")
	for _, done := a.look(button, "End now"); done; _, done = a.look(button, "End now") {
		a.press(button, "End now")
		a.says("its responses are held again")
	}
	a.says("no exceptions")
	if answer := client.call("read_mail", `{"id":"9"}`); !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, mailOrder) {
		t.Errorf("after the exception was ended: %.400s", answer)
	}
}

// A response that tells Claude to hide something from the person is released only after the server's name is typed.
func TestACriticalResponseIsReleasedOnlyByTyping(t *testing.T) {
	t.Parallel()
	h, a, client := reading(t)
	item := a.holds(h, client, "read_spam", spamOrder)
	if item.Severity != "critical" {
		t.Fatalf("it is %s", item.Severity)
	}
	a.says("stop and read this", "do not tell the user")
	a.press(button, "More actions")
	a.find(button, "Block this tool")
	if _, ok := a.look(button, alwaysAllow); ok {
		t.Error("an exception is offered")
	}
	a.insist(releaseOnce)
	confirm := a.find(button, "Release it once")
	a.fill("mail", "mai")
	h.key(keyEnter)
	if confirm.press() == nil {
		t.Error("the button takes a press before the whole name was typed")
	}
	if left := h.inbox(); len(left) != 1 {
		t.Fatalf("Enter decided: %+v", left)
	}
	h.keyboard(0, "l", 4)
	a.press(button, "Release it once")
	a.says("released once")
	client.runs("read_spam", letter, spamOrder)
}
