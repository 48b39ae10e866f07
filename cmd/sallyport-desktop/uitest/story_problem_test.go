//go:build ui

package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The store is damaged: everything is blocked, the icon, the notification and the window say so and why, and the one item to decide allows
// nothing. After it the store is empty, and servers that were allowed are new.
func TestADamagedStoreBlocksAllAndIsBegunAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	h.allowed("weather", weather)
	store := filepath.Join(h.home, "sallyport.db")
	if err := os.WriteFile(store, []byte(strings.Repeat("no store ", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}

	a := h.open()
	item := h.waits("guard_problem")
	a.tooltip("Sallyport isn't working")
	client := h.wrapped("weather", weather, h.headless())
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	a.trayClick("Sallyport — a problem")
	a.shows()
	a.find(heading, "The store is damaged and was set aside")
	a.says("Everything is blocked until this is fixed", "it is kept at", "If you do nothing, everything stays blocked", "SP-001")
	for _, name := range []string{"Allow", "Keep"} {
		if n, there := a.look(button, name); there {
			t.Errorf("there is a button %q", n.label())
		}
	}
	a.find(link, "guard problem, high") // the list has it, too
	a.press(button, beginAgain)
	a.says("Sallyport forgets everything you allowed")
	a.press(button, "decide nothing")
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)
	a.press(button, beginAgain)
	a.find(button, "decide nothing")
	a.press(button, "Start over")

	a.trayRow("weather — new server") // by then another hub answers in this one's place
	again := h.waits("new_server")
	client.refused("get_forecast", `{"city":"Lisbon"}`, again.Code)
	if weather.ran("get_forecast") {
		t.Error("a call reached the server")
	}
	a.tooltip("1 item needs your review")
	if kept, err := filepath.Glob(store + "*"); err != nil || len(kept) < 2 {
		t.Errorf("the damaged store was not kept: %v, %v", kept, err)
	}
}
