//go:build ui

package uitest

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// A program removes the guard from Claude's file. Nobody can stop that server, and the window says so instead of calling it blocked. One
// press restores the guard and leaves everything else that was written.
func TestAGuardThatWasTakenOutIsPutBack(t *testing.T) {
	t.Parallel()
	c, weather := protected(t)
	a := c.open()
	a.trayRow("Guarding 1 of 1 server")
	guarded := c.text()
	shortcut := func(raw []byte) []byte {
		return bytes.Replace(raw, []byte(`"globalShortcut": ""`), []byte(`"globalShortcut": "Ctrl+Space"`), 1)
	}
	taken := shortcut(c.bare)
	c.write(taken)

	item := c.waits("unguarded")
	if item.Severity != "high" {
		t.Errorf("it is %s", item.Severity)
	}
	c.covers(0)
	a.tooltip("weather is not guarded")
	note := a.notified("weather is not guarded")
	if !strings.Contains(note.body, "Claude can use it unchecked") || strings.Contains(note.body, "blocked") {
		t.Errorf("the notification is %+v", note)
	}
	unchecked := c.starts("weather", c.headless())
	unchecked.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first") // indeed: nothing guards it
	unchecked.close()

	a.trayClick("weather")
	a.shows()
	a.find(heading, "“weather” is no longer guarded")
	a.says("Claude may be using it without checks right now", "Sallyport can't stop that", "its guard was removed, so the client starts the server directly",
		"If you do nothing, Claude can keep using it without checks", "removed:", "added:", "wrap")
	a.find(link, "weather is not guarded")
	page := a.reads()
	for _, word := range []string{"PLANTED-SECRET", "Blocked since"} {
		if strings.Contains(page, word) {
			t.Errorf("the page says %q:\n%s", word, page)
		}
	}
	if !bytes.Equal(c.text(), taken) {
		t.Error("the file changed before anybody pressed")
	}
	a.press(button, putBack)
	c.becomes(shortcut(guarded))
	c.empty()
	c.covers(1)
	a.find(link, "1 server guarded, none started yet") // what Claude runs was started without the guard
	a.says("The guard is back in the file. Restart Claude to finish.")
	a.trayGone("weather")
	a.tooltip("1 server guarded")

	checked := c.starts("weather", c.headless())
	checked.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	weather.put("reworded")
	checked.refused("get_forecast", `{"city":"Lisbon"}`, c.waits("changed").Code)
}

// The guarded command is edited, and the change of the file is an item of its own. Put back, everything is as before; left, the edited
// command is a server that nobody has allowed.
func TestAnEntryThatWasEditedIsPutBackOrLeft(t *testing.T) {
	t.Parallel()
	c, weather := protected(t)
	other := newServer(t, notesFace(), nil)
	a := c.open()
	guarded := c.edit(quote(weather.script()), quote(other.script()))
	item := c.waits("config_changed")
	if item.Severity != "high" {
		t.Errorf("it is %s", item.Severity)
	}
	c.covers(1) // it runs behind the port whatever it is
	a.trayClick("settings changed")
	a.shows()
	a.find(heading, "“weather” changed in the settings of Claude Desktop")
	a.says("args changed", "removed:", "added:", weather.script(), other.script(), "If you do nothing, the file stays as it is")
	a.press(button, restore)
	c.becomes(guarded)
	c.empty()
	a.says("The settings are back as they were")
	a.trayGone("settings changed") // the icon follows the hub a moment later, and the next item has a row of the same words
	again := c.starts("weather", c.headless())
	again.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	again.close()

	c.edit(quote(weather.script()), quote(other.script()))
	edited := c.text()
	if code := c.waits("config_changed").Code; code == item.Code {
		t.Error("what came back has the code of what was decided")
	}
	a.trayClick("settings changed")
	a.find(heading, "“weather” changed in the settings of Claude Desktop")
	a.press(button, leaveSettings)
	a.says("Sallyport treats the file as you want it to be")
	if len(c.inbox()) != 1 {
		t.Error("the first of two presses decided")
	}
	a.press(button, leaveIt)
	c.empty()
	if !bytes.Equal(c.text(), edited) {
		t.Errorf("what was left is not as it was: %s", c.text())
	}
	c.covers(1)
	another := c.starts("weather", c.headless())
	another.refused("read_note", `{"id":1}`, c.waits("new_server").Code)
	if other.ran("read_note") {
		t.Error("a server that nobody allowed was called")
	}
}

// An entry that only looks guarded was made on purpose: it is Critical, and leaving it takes four digits read off the page, whatever the
// entry is called.
func TestAFalseGuardIsLeftOnlyWithTheTypedWord(t *testing.T) {
	t.Parallel()
	c, _ := protected(t)
	a := c.open()
	c.edit(`"--name",`, `"--transport","http","--name",`)
	fake := c.text()
	if item := c.waits("unguarded"); item.Severity != "critical" {
		t.Fatalf("it is %s", item.Severity)
	}
	a.trayClick("weather")
	a.shows()
	a.find(heading, "“weather” only looks guarded")
	a.says("stop and read this", "its arguments are not the ones Sallyport wrote", "If you do nothing, Claude can keep using it without checks")

	a.press(button, leaveOpen)
	a.find(alert, "Leave it without a guard?")
	a.says("Claude uses these servers without checks")
	word := regexp.MustCompile(`Type\s+(\d{4})\s+to continue anyway`).FindStringSubmatch(a.reads())
	if word == nil {
		t.Fatalf("the page names no word to type:\n%s", a.reads())
	}
	confirm := a.find(button, leaveIt)
	a.fill(word[1], word[1][:3])
	c.key(keyEnter)
	if confirm.press() == nil {
		t.Error("the button takes a press before all four digits were typed")
	}
	if left := c.inbox(); len(left) != 1 {
		t.Fatalf("Enter decided: %+v", left)
	}
	c.keyboard(0, word[1][3:], 4)
	a.press(button, leaveIt)
	c.empty()
	if !bytes.Equal(c.text(), fake) {
		t.Errorf("what was left is not as it was: %s", c.text())
	}
	c.covers(0)
	a.find(link, "1 server not guarded") // left is not guarded, and is never called so
	a.tooltip("1 server not guarded")
}
