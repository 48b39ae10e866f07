//go:build ui

package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Somebody writes a looser value into the settings file. It has no effect until a person allows it in the window: kept safe, the file has the
// old value again; allowed, it does what the review said.
func TestALoosenedSettingIsNotInForceUntilItIsAllowed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	path := filepath.Join(h.home, "settings.json")
	loosen := func() {
		t.Helper()
		if err := os.WriteFile(path+".tmp", []byte(`{"pins.first_use": "trust-clean"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".tmp", path); err != nil {
			t.Fatal(err)
		}
		h.waits("settings_changed")
	}
	inForce := func(want string) {
		t.Helper()
		if out, _ := h.command("settings", "get", "pins.first_use"); strings.TrimSpace(out) != want {
			t.Errorf("pins.first_use is %s, not %s", out, want)
		}
	}
	loosen()
	inForce("review")
	first := h.wrapped("notes", newServer(t, notesFace(), nil), h.headless())
	first.refused("read_note", `{"id":1}`, h.waits("new_server").Code)
	a.trayClick("Sallyport — a riskier setting")
	a.shows()
	a.find(heading, "made less safe")
	a.says("It has no effect until you allow it", "If you do nothing, the safer setting stays", "Now, and still", "Block it until I review it",
		"What the file asks for", "Less safe", "Allow what has no warnings")
	a.press(button, keepSafer)
	wait(t, "the file has the safer value again", func() bool {
		raw, err := os.ReadFile(path)
		return err == nil && !strings.Contains(string(raw), "trust-clean")
	})
	a.trayGone("a setting made less safe")
	inForce("review")
	first.refused("read_note", `{"id":1}`, h.waits("new_server").Code)

	loosen()
	a.trayClick("Sallyport — a riskier setting")
	a.find(heading, "made less safe")
	a.press(button, allowSetting)
	a.says("If you allow this: Claude can use it before you read it", "Was that you?")
	inForce("review")
	a.press(button, allowIt)
	a.trayGone("a setting made less safe")
	inForce("trust-clean")
	second := h.wrapped("second", newServer(t, notesFace(), nil), h.headless())
	second.runs("read_note", `{"id":1}`, "Buy bread")
}
