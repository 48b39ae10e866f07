//go:build ui

package uitest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// behindScript is a server started by a script, and allowed under this value of pins.launch.
func behindScript(t *testing.T, launch string) (*house, *server) {
	t.Helper()
	h := newHouse(t)
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	weather.behind("# as it was")
	end := h.headlessHub("--allow-cli-approval")
	if out, code := h.command("settings", "set", "pins.launch", launch); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	h.allow("weather", h.wrapped("weather", weather, h.headless()))
	end()
	return h, weather
}

// Same command, different script: with pins.launch at block the server is not started. The window shows what would run, and allowing it
// starts the server in the waiting session.
func TestAChangedScriptIsHeldUntilItIsAllowed(t *testing.T) {
	t.Parallel()
	h, weather := behindScript(t, "block")
	a := h.open()
	started := filepath.Join(weather.dir, "started")
	weather.behind("touch " + started)
	client := h.wrapped("weather", weather, h.headless())
	item := h.waits("launch")
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	if names := client.tools(); len(names) != 0 {
		t.Errorf("tools of a server that is not started: %v", names)
	}
	note := a.notified("weather starts differently")
	if !strings.Contains(note.body, "It would start a different program than the one you allowed. Blocked until you review it.") {
		t.Errorf("the notification is %+v", note)
	}

	a.trayClick("weather")
	a.shows()
	a.find(heading, "Same command, another program: weather")
	a.says("It would start a different program than the one you allowed", "Blocked since", "script", weather.starts, "If you do nothing, weather stays blocked")
	a.press(button, allowProgram)
	a.says("with all your permissions on this computer")
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	if _, err := os.Stat(started); err == nil {
		t.Error("the script ran before it was allowed")
	}
	a.press(button, allowVersion)
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	h.empty()
	a.trayGone("weather")
	if names := client.tools(); !slices.Contains(names, "get_forecast") {
		t.Errorf("tools after it was allowed: %v", names)
	}
}

// A variable that loads code into the program appears in the entry: nothing is started, whatever pins.launch says, and if it is kept blocked,
// no later session starts it either.
func TestAVariableThatLoadsCodeIsKeptOut(t *testing.T) {
	t.Parallel()
	h, weather := behindScript(t, "notify")
	a := h.open()
	client := h.wrapped("weather", weather, append(h.headless(), "NODE_OPTIONS=--require=/tmp/PLANTED-VALUE.js"))
	item := h.waits("launch")
	if item.Severity != "high" {
		t.Errorf("it is %s", item.Severity)
	}
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	a.trayClick("weather")
	a.shows()
	a.find(heading, "A variable that loads code: weather")
	a.says("Blocked since", "NODE_OPTIONS", "If you do nothing, weather stays blocked")
	if page := a.reads(); strings.Contains(page, "PLANTED-VALUE") {
		t.Errorf("the page has the variable's value:\n%s", page)
	}
	a.press(button, keepBlocked)
	h.empty()
	a.trayGone("weather")
	if answer := client.call("get_forecast", `{"city":"Lisbon"}`); !strings.Contains(answer, `"isError":true`) {
		t.Errorf("what was kept blocked runs: %.300s", answer)
	}
	client.close()

	again := h.wrapped("weather", weather, append(h.headless(), "NODE_OPTIONS=--require=/tmp/PLANTED-VALUE.js"))
	if answer := again.call("get_forecast", `{"city":"Lisbon"}`); !strings.Contains(answer, `"isError":true`) {
		t.Errorf("what was kept blocked runs in the next session: %.300s", answer)
	}
	again.close()
	without := h.wrapped("weather", weather, h.headless())
	without.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
}

// With pins.launch at notify a changed script runs at once. The window says so and doesn't call it blocked, and blocking it stops even the
// session that is open.
func TestAChangedScriptThatRunsIsNotCalledBlocked(t *testing.T) {
	t.Parallel()
	h, weather := behindScript(t, "notify")
	a := h.open()
	weather.behind("# otherwise")
	client := h.wrapped("weather", weather, h.headless())
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	h.waits("launch")
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	a.trayClick("weather")
	a.shows()
	a.find(heading, "Same command, another program: weather")
	a.says("It is still running", "still running", "If you do nothing, weather keeps running as it is", weather.starts)
	if page := strings.ToLower(a.reads()); strings.Contains(page, "blocked since") || strings.Contains(page, "stays blocked") || strings.Contains(page, "keep blocked") {
		t.Errorf("the page calls blocked what runs:\n%s", page)
	}
	a.press(button, blockIt)
	h.empty()
	wait(t, "what was blocked is refused", func() bool {
		return strings.Contains(client.call("get_forecast", `{"city":"Lisbon"}`), `"isError":true`)
	})
	a.trayGone("weather")
}
