//go:build ui && linux

package notify

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sallyport/sallyport/app/tray/panel"
)

const onDesktop = "SALLYPORT_NOTIFY_DESKTOP"

// A click on the left is the note's action, one on the right a dismissal.
const dunstrc = "[global]\nmouse_left_click = do_action, close_current\nmouse_right_click = close_current\n"

// TestARealDaemonIsClickedAsAPersonWould needs Xvfb, dbus, dunst, openbox and xdotool: build/with-desktop has a desktop of them.
func TestARealDaemonIsClickedAsAPersonWould(t *testing.T) {
	if os.Getenv(onDesktop) == "" {
		file := filepath.Join(t.TempDir(), "dunstrc")
		if err := os.WriteFile(file, []byte(dunstrc), 0o600); err != nil {
			t.Fatal(err)
		}
		again := exec.Command("../../build/with-desktop", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=1m", "-test.v")
		again.Env = append(os.Environ(), onDesktop+"=1", "WM=1", "DUNST=1", "DUNSTRC="+file)
		out, err := again.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	opened := make(chan string, 8)
	n := New(Options{Open: func(route string) { opened <- route }})
	t.Cleanup(func() { _ = n.Close() })
	until(t, "that notifications are on", func() bool { return n.Why() == "" })
	tool := func(args ...string) error {
		out, err := exec.CommandContext(t.Context(), "xdotool", args...).CombinedOutput()
		if err != nil {
			return errors.New(string(out) + err.Error())
		}
		return nil
	}
	click := func(button string) {
		t.Helper()
		if err := tool("search", "--sync", "--onlyvisible", "--class", "dunst", "mousemove", "--window", "%1", "40", "20", "click", button); err != nil {
			t.Fatal(err)
		}
	}
	gone := func() {
		t.Helper()
		until(t, "that the note is gone", func() bool { return tool("search", "--onlyvisible", "--class", "dunst") != nil })
	}

	n.Show(Note{Key: "4F2A", Title: "New server: github", Body: "It's blocked until you check what it can do.", Route: "#/inbox/4F2A", Action: "Review", Later: true})
	click("3")
	gone()
	n.Show(Note{Key: "7CK4", Title: "A tool changed and is blocked", Body: "A tool from weather changed.", Route: "#/inbox/7CK4", Action: "Review", Later: true, Urgency: Critical})
	click("1")
	if got := next(t, opened, "a click"); got != "#/inbox/7CK4" {
		t.Errorf("opened %q: the dismissal was taken for a click", got)
	}
	gone()

	n.Show(Note{Key: "AAAA", Title: "Blocked: a change that may harm you", Route: "#/inbox/AAAA", Urgency: Critical})
	n.Show(Note{Key: "BBBB", Title: "Blocked: hidden instructions in a tool", Route: "#/inbox/BBBB", Urgency: Critical, Replaces: "AAAA"})
	click("1")
	if got := next(t, opened, "a click"); got != "#/inbox/BBBB" {
		t.Errorf("opened %q: the first of two Critical notes was still there", got)
	}
	gone() // one place, one click

	n.Show(Note{Key: "9QRT", Title: "weather changed", Route: "#/inbox/9QRT"})
	if err := tool("search", "--sync", "--onlyvisible", "--class", "dunst"); err != nil {
		t.Fatal(err)
	}
	forger := panel.Connect(t, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	for id := range uint32(20) {
		for _, name := range names(t, forger) {
			direct(t, forger, name, path, service, "ActionInvoked", id, "default")
		}
		broadcast(t, forger, "ActionInvoked", id, "default")
	}
	n.Show(Note{Key: "7CK4", Title: "another", Route: "#/inbox/7CK4"})
	n.Withdraw("9QRT")
	n.Withdraw("7CK4")
	gone()
	n.Show(Note{Key: "LAST", Title: "the last one", Route: "#/inbox/LAST"})
	click("1")
	if got := next(t, opened, "a click"); got != "#/inbox/LAST" {
		t.Errorf("opened %q: a forged signal was taken for a click", got)
	}
}
