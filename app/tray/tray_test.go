//go:build linux

package tray

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// enough is far more than anything here takes; only a test that fails waits for it.
const enough = 30 * time.Second

// scene is a bus, a tray on it, and what a person did with it.
type scene struct {
	t       *testing.T
	address string
	tray    Tray
	item    *panel.Item
	opened  chan string
	quit    chan string
	snoozed chan Snooze
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, address: panel.Bus(t), opened: make(chan string, 16), quit: make(chan string, 16), snoozed: make(chan Snooze, 16)}
	s.tray = New(Options{Open: func(route string) { s.opened <- route }, Quit: func() { s.quit <- "quit" }, Snooze: func(f Snooze) { s.snoozed <- f }})
	t.Cleanup(s.tray.Close)
	return s
}

// panel puts a panel on the bus, and finds our icon on it.
func (s *scene) panel() *panel.Panel {
	s.t.Helper()
	p, err := panel.New(panel.Connect(s.t, s.address))
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, done := context.WithTimeout(s.t.Context(), enough)
	defer done()
	if s.item, err = p.Item(ctx); err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *scene) click(part, want string) {
	s.t.Helper()
	if err := s.item.Click(part); err != nil {
		s.t.Fatal(err)
	}
	s.opens(want)
}

func (s *scene) opens(want string) {
	s.t.Helper()
	if got := next(s.t, s.opened, "something to be opened"); got != want {
		s.t.Fatalf("opened %q, want %q", got, want)
	}
}

func (s *scene) labels(want ...string) {
	s.t.Helper()
	got, err := s.item.Labels()
	if err != nil || !slices.Equal(got, want) {
		s.t.Fatalf("menu %q (%v), want %q", got, err, want)
	}
}

func (s *scene) tooltip(want string) {
	s.t.Helper()
	got, err := s.item.Tooltip()
	title, err2 := s.item.Property("Title")
	if err != nil || err2 != nil || got != want || title != want {
		s.t.Fatalf("tooltip %q (%v), title %q (%v), want %q", got, err, title, err2, want)
	}
}

func next[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(enough):
		t.Fatalf("waited for %s", what)
		panic("unreachable")
	}
}

func TestTheMenuSaysWhatWaitsAndOpensIt(t *testing.T) {
	s := newScene(t)
	s.panel()
	if why := s.tray.Why(); why != "" {
		t.Errorf("no icon is shown: %s", why)
	}
	if id, err := s.item.Property("Id"); id != "Sallyport" {
		t.Errorf("the icon is named %v (%v)", id, err)
	}
	if menu, err := s.item.Property("ItemIsMenu"); menu != false {
		t.Errorf("a click on the icon only opens the menu: %v (%v)", menu, err)
	}
	s.labels("Sallyport is starting", "Open Inbox", "Open Sallyport", "Snooze notifications", "Quit Sallyport…")

	s.tray.Set(State{Mood: Guarding, Coverage: "Guarding 4 of 4 servers", Tooltip: "Sallyport — 4 servers guarded"})
	s.labels("Sallyport — 4 servers guarded", "Open Inbox", "Guarding 4 of 4 servers", "Open Sallyport", "Snooze notifications", "Quit Sallyport…")
	s.tooltip("Sallyport — 4 servers guarded")
	if err := s.item.Activate(); err != nil {
		t.Fatal(err)
	}
	s.opens("") // nothing waits

	s.tray.Set(two)
	s.labels("Sallyport — 2 things waiting", "Open Inbox (2)", "⚠ weather — tool changed", "⚠ my_notes — new server", "Guarding 3 of 4 servers", "Open Sallyport", "Snooze notifications", "Quit Sallyport…")
	s.tooltip("Sallyport — 2 things waiting")
	s.click("my_notes", "#/inbox/7CK4")
	s.click("weather", "#/inbox/4F2A")
	s.click("Open Inbox", "#/inbox")
	s.click("Open Sallyport", "")
	if err := s.item.Activate(); err != nil {
		t.Fatal(err)
	}
	s.opens("#/inbox")

	// A row opens what it says, after the items moved up as well.
	s.tray.Set(State{Mood: Attention, Waiting: two.Waiting[1:], Tooltip: "Sallyport — 1 thing waiting"})
	s.labels("Sallyport — 1 thing waiting", "Open Inbox (1)", "⚠ my_notes — new server", "Open Sallyport", "Snooze notifications", "Quit Sallyport…")
	s.click("my_notes", "#/inbox/7CK4")

	if err := s.item.Click("Quit Sallyport…"); err != nil {
		t.Fatal(err)
	}
	next(t, s.quit, "Quit")
}

func TestNoRowDoesMoreThanOpen(t *testing.T) {
	s := newScene(t)
	s.panel()
	s.tray.Set(two)
	rows, err := s.item.Rows()
	if err != nil {
		t.Fatal(err)
	}
	if shown := slices.DeleteFunc(slices.Clone(rows), func(r panel.Row) bool { return r.Separator || r.Under != 0 }); len(shown) > 9 {
		t.Errorf("%d rows", len(shown))
	}
	// Whatever can be sent to any row: a hidden one, one that is not enabled, one that is none.
	for _, r := range rows {
		for _, barred := range []string{"llow", "pprove", "ause", "emove", "elease", "eject", "nprotect", "isable"} {
			if strings.Contains(r.Label, barred) {
				t.Errorf("the tray has a row %q", r.Label)
			}
		}
		if strings.HasPrefix(r.Label, "Quit") {
			continue
		}
		if err := s.item.Event(r.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, none := range []int32{-1, 1 << 20} {
		if err := s.item.Event(none); err == nil {
			t.Errorf("there is a row %d", none)
		}
	}
	if err := s.item.Click("Quit"); err != nil {
		t.Fatal(err)
	}
	next(t, s.quit, "Quit")
	for want := range EndSnooze { // to end what was not begun is hidden
		if got := next(t, s.snoozed, "a snooze"); got != want {
			t.Errorf("snoozed %d, want %d", got, want)
		}
	}
	if len(s.snoozed) > 0 {
		t.Error("snoozed more than there are rows for it")
	}
	var opened []string
	for range 4 {
		opened = append(opened, next(t, s.opened, "what was clicked"))
	}
	slices.Sort(opened)
	if want := []string{"", "#/inbox", "#/inbox/4F2A", "#/inbox/7CK4"}; !slices.Equal(opened, want) || len(s.opened) > 0 {
		t.Errorf("opened %q and %d more, want %q", opened, len(s.opened), want)
	}
}

func TestNotificationsAreSnoozedInASubmenuAndBlockingStaysOn(t *testing.T) {
	s := newScene(t)
	s.panel()
	sub := func() (rows []string) {
		t.Helper()
		all, err := s.item.Rows()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if r.Under != 0 && r.Visible {
				rows = append(rows, r.Label)
			}
		}
		return rows
	}
	awake := State{Mood: Guarding, Tooltip: "Sallyport — 4 servers guarded"}
	s.tray.Set(awake)
	if got, want := sub(), []string{"30 minutes", "2 hours", "Until tomorrow", "Blocking stays on"}; !slices.Equal(got, want) {
		t.Errorf("the submenu is %q, want %q", got, want)
	}
	if err := s.item.Click("Blocking stays on"); err == nil {
		t.Error("what is only said can be clicked")
	}
	if err := s.item.Click("2 hours"); err != nil {
		t.Fatal(err)
	}
	if got := next(t, s.snoozed, "a snooze"); got != TwoHours {
		t.Errorf("snoozed %d", got)
	}

	s.tray.Set(State{Mood: Snoozed, Snoozed: "15:30", Tooltip: "Sallyport — 4 servers guarded, snoozed until 15:30"})
	s.labels("Sallyport — 4 servers guarded, snoozed until 15:30", "Open Inbox", "Open Sallyport", "Notifications snoozed until 15:30", "Quit Sallyport…")
	if got, want := sub(), []string{"30 minutes", "2 hours", "Until tomorrow", "End snooze", "Blocking stays on"}; !slices.Equal(got, want) {
		t.Errorf("the submenu is %q, want %q", got, want)
	}
	if err := s.item.Click("End snooze"); err != nil {
		t.Fatal(err)
	}
	if got := next(t, s.snoozed, "the end"); got != EndSnooze {
		t.Errorf("snoozed %d", got)
	}
	s.tray.Set(awake)
	if got := sub(); slices.Contains(got, "End snooze") {
		t.Errorf("the submenu is %q", got)
	}
}

func TestNoRowComesOrGoesWhileTheMenuIsLookedAt(t *testing.T) {
	s := newScene(t)
	s.panel()
	look := func(open bool) {
		t.Helper()
		if err := s.item.Look(open); err != nil {
			t.Fatal(err)
		}
	}
	s.tray.Set(two)
	look(true)
	s.tray.Set(State{Mood: Attention, Waiting: []Row{{ID: "9KQT", Title: "files — new server"}}, Coverage: two.Coverage, Snoozed: "15:30", Tooltip: "Sallyport — 1 thing waiting"})
	s.labels("Sallyport — 1 thing waiting", "Open Inbox (1)", "⚠ files — new server", "⚠ my_notes — new server", "Guarding 3 of 4 servers",
		"Open Sallyport", "Notifications snoozed until 15:30", "Quit Sallyport…")
	s.tooltip("Sallyport — 1 thing waiting") // the icon waits for nobody
	s.click("my_notes", "#/inbox/7CK4")      // a row leads where it says
	s.click("files", "#/inbox/9KQT")
	if err := s.item.Click("End snooze"); err == nil {
		t.Error("a row came under the pointer")
	}

	look(false)
	s.labels("Sallyport — 1 thing waiting", "Open Inbox (1)", "⚠ files — new server", "Guarding 3 of 4 servers", "Open Sallyport", "Notifications snoozed until 15:30", "Quit Sallyport…")
	if err := s.item.Click("End snooze"); err != nil {
		t.Error(err)
	}
	look(true) // a panel that is gone without a word is believed for a minute, and the next that opens it begins anew
	look(true)
	s.tray.Set(two)
	look(false)
	s.labels("Sallyport — 2 things waiting", "Open Inbox (2)", "⚠ weather — tool changed", "⚠ my_notes — new server", "Guarding 3 of 4 servers", "Open Sallyport", "Snooze notifications", "Quit Sallyport…")
}

func TestNobodyElseWritesWhatTheIconSays(t *testing.T) {
	s := newScene(t)
	s.panel()
	s.tray.Set(two)
	forger := panel.Connect(t, s.address)
	var names []string
	if err := forger.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		t.Fatal(err)
	}
	before, err := s.item.Icon()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for property, value := range map[string]any{
			"Title": "Sallyport — 4 servers guarded", "ToolTip": tip{Image: []pixmap{}, Title: "Sallyport — 4 servers guarded"},
			"IconPixmap": []pixmap{{W: 1, H: 1, ARGB: make([]byte, 4)}}, "Menu": dbus.ObjectPath("/elsewhere"),
		} {
			if err := forger.Object(name, itemPath).Call(propsFace+".Set", 0, itemFace, property, dbus.MakeVariant(value)).Err; err == nil {
				t.Errorf("%s took another %s", name, property)
			}
		}
	}
	s.tooltip("Sallyport — 2 things waiting")
	if after, err := s.item.Icon(); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("another picture (%v)", err)
	}
	s.click("weather", "#/inbox/4F2A")
	var whole map[string]dbus.Variant
	if err := forger.Object("org.kde.StatusNotifierItem-"+fmt.Sprint(os.Getpid())+"-1", itemPath).Call(propsFace+".GetAll", 0, itemFace).Store(&whole); err != nil || len(whole) != 10 {
		t.Errorf("%d properties (%v): %v", len(whole), err, whole)
	}
}

func TestASessionThatEndsTakesNothingDown(t *testing.T) {
	address, end := panel.StartBus(t)
	s := &scene{t: t, address: address, tray: New(Options{})}
	t.Cleanup(s.tray.Close)
	s.panel()
	end()
	for _, mood := range []Mood{Guarding, Critical, Failing} {
		s.tray.Set(State{Mood: mood, Tooltip: fmt.Sprint(mood), Waiting: two.Waiting})
	}
	until(t, func() error {
		if s.tray.Why() == "" {
			return fmt.Errorf("nobody is told that the session has gone")
		}
		s.tray.Set(two)
		return nil
	})
}

func until(t *testing.T, is func() error) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), enough)
	defer done()
	if err := panel.Until(ctx, is); err != nil {
		t.Error(err)
	}
}

func TestTheIconShowsTheMood(t *testing.T) {
	s := newScene(t)
	s.panel()
	seen := map[string]Mood{}
	for _, mood := range []Mood{Starting, Guarding, Attention, Critical, Failing} {
		s.tray.Set(State{Mood: mood})
		img, err := s.item.Icon()
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size.X != 44 || size.Y != 44 {
			t.Errorf("an icon of %v", size)
		}
		all := fmt.Sprint(img)
		if other, is := seen[all]; is {
			t.Errorf("moods %d and %d look the same", mood, other)
		}
		seen[all] = mood
	}
	s.tooltip("Sallyport")
	s.tray.Set(State{Mood: 99})
	if img, err := s.item.Icon(); err != nil || seen[fmt.Sprint(img)] != Failing {
		t.Errorf("a mood that is none looks like %d (%v)", seen[fmt.Sprint(img)], err)
	}
}

func TestAPanelThatComesLateShowsTheIconAsItIs(t *testing.T) {
	s := newScene(t)
	if want := "this desktop hides tray icons"; s.tray.Why() != want {
		t.Errorf("why %q, want %q", s.tray.Why(), want)
	}
	s.tray.Set(two)
	p := s.panel()
	if why := s.tray.Why(); why != "" {
		t.Errorf("no icon is shown: %s", why)
	}
	s.tooltip("Sallyport — 2 things waiting")
	s.click("weather", "#/inbox/4F2A")

	// And one that ends, and another.
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if s.tray.Why() == "" {
		t.Error("nobody is told that the panel has gone")
	}
	s.panel()
	s.click("my_notes", "#/inbox/7CK4")
}

func TestAWatcherWithoutAPanelShowsNothing(t *testing.T) {
	s := newScene(t)
	p := s.panel()
	p.Draws(false)
	if want := "this desktop hides tray icons"; s.tray.Why() != want {
		t.Errorf("why %q, want %q", s.tray.Why(), want)
	}
}

func TestCloseTakesTheIconAway(t *testing.T) {
	s := newScene(t)
	s.panel()
	s.tray.Close()
	s.tray.Set(two)
	s.tray.Close()
	until(t, func() error {
		if _, err := s.item.Property("Id"); err == nil {
			return fmt.Errorf("the icon is still there")
		}
		return nil
	})
	if s.tray.Why() == "" {
		t.Error("a closed tray says that it shows an icon")
	}
}

func TestACallbackMaySetAndClose(t *testing.T) {
	address := panel.Bus(t)
	closed := make(chan bool, 1)
	ready := make(chan struct{})
	var tray Tray
	tray = New(Options{Quit: func() { <-ready; tray.Set(two); tray.Close(); closed <- true }})
	close(ready)
	s := &scene{t: t, address: address, tray: tray}
	s.panel()
	if err := s.item.Click("Quit"); err != nil {
		t.Fatal(err)
	}
	next(t, closed, "Close to return")
}

func TestWithoutASessionBusThereIsNoTray(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	tray := New(Options{})
	tray.Set(two)
	if want := "no session bus found"; tray.Why() != want {
		t.Errorf("why %q, want %q", tray.Why(), want)
	}
	tray.Close()
	tray.Close()
}
