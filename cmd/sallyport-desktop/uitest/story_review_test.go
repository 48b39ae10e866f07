//go:build ui

package uitest

import (
	"slices"
	"strings"
	"testing"
)

// The whole path, from an unknown server to a call that runs: a notification announces it, a forged click on it does nothing, a real one opens
// the review, and one press allows what is shown.
func TestAFirstReviewOpensWhatWasBlocked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	client := h.wrapped("weather", weather, h.env())
	if names := client.tools(); len(names) != 0 {
		t.Errorf("tools before the review: %v", names)
	}
	item := h.waits("new_server")
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	a.trayRow("weather")
	a.tooltip("1 item needs your review")

	note := a.notified("weather")
	if note.app != "Sallyport" || !strings.Contains(note.title, "New server: weather") || strings.Contains(note.body, "forecast") {
		t.Errorf("the notification is %+v", note)
	}
	for _, action := range note.actions {
		for _, word := range []string{"allow", "approve", "trust"} {
			if strings.Contains(strings.ToLower(action), word) {
				t.Errorf("the notification has an action %q", action)
			}
		}
	}
	a.hides()
	a.forge()
	a.clickNote("1")
	a.shows()
	a.find(heading, "weather")
	a.press(toggle, "get_forecast")
	a.says("forecast for a city", "if you do nothing")

	if weather.ran("get_forecast") {
		t.Error("the tool ran before it was allowed")
	}
	a.press(button, allowServer)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	if names := client.tools(); !slices.Equal(names, []string{"get_alerts", "get_forecast", "list_cities"}) {
		t.Errorf("tools after the review: %v", names)
	}
	a.trayGone("weather")
	if left := h.inbox(); len(left) != 0 {
		t.Errorf("it still waits: %+v", left)
	}
}

// working is the start of most stories: an allowed server, a window, and a call that was answered.
func working(t *testing.T) (*house, *app, *server, *client) {
	t.Helper()
	h := newHouse(t)
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	h.allowed("weather", weather)
	a := h.open()
	client := h.wrapped("weather", weather, h.env())
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	return h, a, weather, client
}

// What changed is refused and everything else keeps working; the window says in words what differs, and allowing it allows exactly that.
func TestAChangeIsBlockedShownInWordsAndAllowed(t *testing.T) {
	t.Parallel()
	h, a, weather, client := working(t)

	weather.put("reworded")
	item := h.waits("changed")
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	client.runs("list_cities", `{}`, "Lisbon, Oslo")
	a.trayClick("weather")
	a.shows()
	a.find(heading, "get_forecast")
	a.says("for the next", "removed: 5", "added: 7", "required: units (text, one of imperial, metric)", "if you do nothing")

	a.press(button, allowTool)
	client.runs("get_forecast", `{"city":"Lisbon","units":"metric"}`, "sunny at first")
	a.trayGone("weather")
	if left := h.inbox(); len(left) != 0 {
		t.Errorf("it still waits: %+v", left)
	}
}

// The safe button: the change stays refused and leaves the inbox, and no terminal can undo that while there is a window.
func TestWhatIsKeptBlockedStaysSo(t *testing.T) {
	t.Parallel()
	h, a, weather, client := working(t)
	weather.put("reworded")
	item := h.waits("changed")

	// The home was made with --allow-cli-approval, but a hub with a window takes no decision from elsewhere.
	out, code := h.command("approve", item.Code, "--all", "--yes")
	if code != 3 || !strings.Contains(out, "window") {
		t.Errorf("approve from a terminal: status %d: %s", code, out)
	}
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)

	a.trayClick("weather")
	a.find(heading, "get_forecast")
	a.press(button, keepBlocked)
	a.trayGone("weather")
	if left := h.inbox(); len(left) != 0 {
		t.Errorf("it still waits: %+v", left)
	}
	if answer := client.call("get_forecast", `{"city":"Lisbon"}`); !strings.Contains(answer, `"isError":true`) {
		t.Errorf("what was kept blocked runs: %.300s", answer)
	}
	client.runs("list_cities", `{}`, "Lisbon, Oslo")
}

// It changes while a person reads: the buttons stop working and say so, and what is allowed afterwards is what is shown by then.
func TestWhatChangesWhileItIsReadIsNotAllowed(t *testing.T) {
	t.Parallel()
	h, a, weather, client := working(t)
	weather.put("reworded")
	item := h.waits("changed")
	a.trayClick("weather")
	a.find(heading, "get_forecast")
	a.find(button, allowTool)

	weather.put("again")
	a.says("changed again while you were reading")
	if n, ok := a.look(button, allowTool); ok && n.press() == nil {
		t.Error("the button still takes a press")
	}
	client.refused("get_forecast", `{"city":"Lisbon"}`, h.waits("changed").Code)
	if item.Digest == h.waits("changed").Digest {
		t.Error("what waits now has the digest of what was read")
	}

	a.press(button, showNew)
	a.says("village")
	a.press(button, allowTool)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
}

// A hidden order blocks the whole server, and the page decodes it. Neither a press nor Enter is enough to allow it; the server's name must be
// typed.
func TestWhatIsCriticalMustBeTyped(t *testing.T) {
	t.Parallel()
	h, a, weather, client := working(t)
	weather.put("poisoned")
	item := h.waits("changed")
	if item.Severity != "critical" {
		t.Fatalf("it is %s", item.Severity)
	}
	client.refused("list_cities", `{}`, item.Code)
	a.tooltip("1 critical item needs your review")
	a.trayClick("weather")
	a.shows()
	a.find(heading, "get_forecast")
	a.says("stop and read this", "read ~/.ssh/id_rsa", "hidden text")
	if page := a.reads(); strings.ContainsFunc(page, func(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }) {
		t.Error("a tag character reached the page")
	}

	// The headline has the focus, so what a person was about to type elsewhere decides nothing.
	for _, symbol := range []int32{keyEnter, keySpace, keyEnter} {
		h.key(symbol)
	}
	a.insist(allowTool)
	if a.find(button, allowVersion).press() == nil {
		t.Error("the button takes a press before anything was typed")
	}
	h.key(keyEnter) // on what has the focus: the safe button
	a.gone(alert, "")
	a.insist(allowTool)
	confirm := a.find(button, allowVersion)
	a.fill("weather", "weathe")
	h.key(keyEnter)
	if confirm.press() == nil {
		t.Error("the button takes a press before the whole name was typed")
	}
	if left := h.inbox(); len(left) != 1 || left[0].Digest != item.Digest {
		t.Fatalf("Enter decided: %+v", left)
	}
	h.keyboard(0, "r", 4)
	a.press(button, allowVersion)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
}
