//go:build linux

package desktop

import (
	"log/slog"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/tray/panel"
)

// bare is a hidden window on a session bus without a panel, whose timers the test runs.
func bare(t *testing.T) (d *desk, address string, timers *[]func()) {
	t.Helper()
	d, timers = newDesk(t), new([]func())
	address = panel.Bus(t)
	d.say = newAttention(d.shell, func() {}, slog.New(slog.DiscardHandler))
	t.Cleanup(d.say.close)
	d.shell.after = func(_ time.Duration, f func()) { *timers = append(*timers, f) }
	d.shell.Closing() // as it starts hidden: with an icon, as far as anybody knows
	d.shell.Loaded()
	d.shell.Ready()
	d.window.took()
	*timers = nil
	return d, address, timers
}

// elapse runs what waits for its time.
func elapse(timers *[]func()) {
	due := *timers
	*timers = nil
	for _, f := range due {
		f()
	}
}

func TestAHiddenStartWithoutAnIconComesUpOnce(t *testing.T) {
	d, _, timers := bare(t)
	d.withoutIcon(true)
	did(t, d.window)
	elapse(timers)
	did(t, d.window, "show")
	d.shell.Closing()
	d.window.took()

	// The next start of a wrapper, as one that a server forces by ending the hub.
	d.shell.visible = false
	d.shell.Changed()
	d.withoutIcon(true)
	elapse(timers)
	did(t, d.window, "stand", "changed")
	if d.shell.Visible() {
		t.Error("a minimised window is seen")
	}
	d.withoutIcon(true) // there it is
	elapse(timers)
	did(t, d.window)

	// A login is a person's start.
	d.shell.visible = false
	d.withoutIcon(false)
	elapse(timers)
	did(t, d.window, "show")
	if len(*timers) != 0 {
		t.Error("it goes on")
	}
}

func TestAHiddenStartStaysHiddenWhereThereIsAnIcon(t *testing.T) {
	d, address, timers := bare(t)
	d.withoutIcon(false)
	if _, err := panel.New(panel.Connect(t, address)); err != nil { // the panel starts a little later
		t.Fatal(err)
	}
	elapse(timers)
	did(t, d.window)
}

func TestAHiddenStartWaitsForItsHub(t *testing.T) {
	d, _, timers := bare(t)
	stands := d.Page.hub
	d.Page.hub = func() *app.Hub { return nil }
	d.withoutIcon(false)
	elapse(timers)
	did(t, d.window)
	d.Page.hub = stands
	elapse(timers)
	did(t, d.window, "show")
}

// The message is remembered for each kind of desktop: a person who moves to one without icons gets that message, too.
func TestWhereTheProgramLivesOnIsToldOncePerKindOfDesktop(t *testing.T) {
	d, address, _ := bare(t)
	told := func() (why string, told bool) {
		t.Helper()
		o, err := d.Overview()
		if err != nil {
			t.Fatal(err)
		}
		return o.Tray, o.TrayTold
	}
	if why, told := told(); why == "" || told {
		t.Errorf("without a panel: %q, told: %v", why, told)
	}
	if err := d.TrayTold(); err != nil {
		t.Fatal(err)
	}
	if _, told := told(); !told {
		t.Error("it is told twice")
	}
	if _, err := panel.New(panel.Connect(t, address)); err != nil {
		t.Fatal(err)
	}
	if why, told := told(); why != "" || told {
		t.Errorf("with a panel: %q, told: %v", why, told)
	}
	if err := d.TrayTold(); err != nil {
		t.Fatal(err)
	}
	if _, told := told(); !told {
		t.Error("the tray is told twice")
	}
}
