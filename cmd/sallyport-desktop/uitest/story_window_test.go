//go:build ui

package uitest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// Closing is not quitting: the window hides, checks continue, the tray or a second start brings it back, and only the tray's last row ends it.
func TestTheWindowComesAndGoesAndTheChecksGoOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	client := h.wrapped("weather", newServer(t, first, faces), h.env())
	item := h.waits("new_server")
	a.hides()
	a.trayTap()
	a.shows()

	a.close()
	a.hides()
	client.refused("get_forecast", `{}`, item.Code)

	second := h.start()
	<-second.ended
	if second.code != 0 {
		t.Errorf("the second start ended with %d: %s", second.code, second.said)
	}
	a.shows()
	if left := h.inbox(); len(left) != 1 {
		t.Errorf("what waited is gone: %+v", left)
	}
	a.close()
	a.hides()

	a.trayClick("Quit")
	a.leaves() // something waits, so it asks
	if answer := client.call("get_forecast", `{}`); !strings.Contains(answer, `"isError":true`) {
		t.Errorf("without a hub a call runs: %.300s", answer)
	}
}

// The tray lists pending items and opens them. Pressing all of its rows allows nothing.
func TestTheTrayLeadsToWhatWaitsAndAllowsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	h.wrapped("weather", newServer(t, first, faces), h.env())
	h.wrapped("notes", newServer(t, notesFace(), nil), h.env())
	a.trayRow("weather")
	a.trayRow("notes")
	rows := a.trayRows()
	if menu := slices.DeleteFunc(slices.Clone(rows), func(r panel.Row) bool { return r.Under != 0 }); len(menu) > 9 {
		t.Errorf("the menu has %d rows: %+v", len(menu), menu)
	}
	before := fmt.Sprint(h.inbox())
	for _, row := range rows {
		for _, word := range []string{"allow", "approve", "trust", "release", "remove", "pause"} {
			if strings.Contains(strings.ToLower(row.Label), word) {
				t.Errorf("the tray has a row %q", row.Label)
			}
		}
		if strings.Contains(row.Label, "Quit") {
			continue
		}
		if err := a.tray().Event(row.ID); err != nil {
			t.Fatal(err)
		}
	}
	a.shows()
	if after := fmt.Sprint(h.inbox()); after != before {
		t.Errorf("the inbox was %s and is %s", before, after)
	}
	a.trayClick("notes")
	a.find(heading, "notes")
}

// hubNow is the hub that answers on the socket.
func (h *house) hubNow() (pid int, window bool, wrappers int) {
	h.t.Helper()
	out, _ := h.command("status", "--json")
	var status struct {
		Hub struct {
			PID    int  `json:"pid"`
			Window bool `json:"window"`
		} `json:"hub"`
		Wrappers []json.RawMessage `json:"wrappers"`
	}
	if json.Unmarshal([]byte(out), &status) != nil {
		return 0, false, 0
	}
	return status.Hub.PID, status.Hub.Window, len(status.Wrappers)
}

// logs is what programs without a terminal have logged.
func (h *house) logs() (text string) {
	paths, _ := filepath.Glob(filepath.Join(h.home, "logs", "*"))
	for _, path := range paths {
		raw, _ := os.ReadFile(path)
		text += fmt.Sprintf("%s:\n%s\n", filepath.Base(path), raw)
	}
	return text
}

// alive reports whether a process runs. A zombie doesn't.
func alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(raw), ") ")
	return err == nil && found && !strings.HasPrefix(state, "Z")
}

// A hub that a wrapper started steps down for the window, and the open session continues with it.
func TestTheWindowTakesOverWithoutLosingAWrapper(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	h.allowed("weather", weather)
	client := h.wrapped("weather", weather, h.headless())
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	before, window, _ := h.hubNow()
	if window || before == 0 {
		t.Fatalf("the hub before is %d, with a window: %v", before, window)
	}

	a := h.open()
	a.until("the hub with the window, and the wrapper on it", func() bool {
		pid, window, wrappers := h.hubNow()
		return pid == a.pid() && window && wrappers == 1
	})
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	wait(t, "the hub before is gone", func() bool { return !alive(before) })
	weather.put("reworded")
	client.refused("get_forecast", `{"city":"Lisbon"}`, h.waits("changed").Code)
	a.trayRow("weather")
}

// On a desktop the first wrapper starts the program with its window hidden.
func TestAWrapperStartsItHidden(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, faces := weatherFaces()
	client := h.wrapped("weather", newServer(t, first, faces), h.env())
	item := h.waits("new_server")
	client.refused("get_forecast", `{}`, item.Code)
	var hub int
	wait(t, "a hub with a window answers", func() bool {
		pid, window, _ := h.hubNow()
		hub = pid
		return window
	})
	t.Cleanup(func() {
		client.close() // first: a wrapper that loses its hub starts another
		_ = syscall.Kill(hub, syscall.SIGTERM)
		for deadline := time.Now().Add(patience); alive(hub); time.Sleep(25 * time.Millisecond) {
			if time.Now().After(deadline) {
				_ = syscall.Kill(hub, syscall.SIGQUIT) // says where it hangs, and ends
				wait(t, "it ends at all", func() bool { return !alive(hub) })
				t.Errorf("the program that the wrapper started did not end when it was told to: %s", h.logs())
			}
		}
	})
	h.tray()
	// The toolkit shows and hides it during its start; from then on it stays hidden.
	wait(t, "the window is hidden", func() bool { _, shown := h.window(); return !shown })
}
