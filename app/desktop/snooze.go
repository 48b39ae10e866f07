package desktop

import (
	"cmp"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/tray"
)

// snooze is until when a person wants no notifications. Blocking continues, the icon shows the snooze, and Critical items are still
// notified: any process on the session bus can click a row of the menu.
type snooze struct {
	now     func() time.Time
	after   func(time.Duration, func()) *time.Timer
	changed func(until time.Time) // called for each choice and for the end, one at a time

	mu    sync.Mutex
	until time.Time
	ends  *time.Timer
}

// longest is more than any row asks for: a saved time further ahead comes from a different clock.
const longest = 48 * time.Hour

// morning is the hour at which "until tomorrow" ends.
const morning = 8

// choose handles a click on a row.
func (s *snooze) choose(row tray.Snooze) {
	now := s.now().Round(0) // wall clock: it continues while a computer sleeps
	var until time.Time
	switch row {
	case tray.HalfAnHour:
		until = now.Add(30 * time.Minute)
	case tray.TwoHours:
		until = now.Add(2 * time.Hour)
	case tray.UntilTomorrow:
		year, month, day := now.Date()
		until = time.Date(year, month, day+1, morning, 0, 0, 0, now.Location())
	case tray.EndSnooze: // the zero time has passed
	}
	s.set(until)
}

// set snoozes until a time; a past one ends it.
func (s *snooze) set(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(until)
}

// end ends the snooze until then, unless another was chosen at the same moment.
func (s *snooze) end(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until.Equal(until) {
		s.replace(time.Time{})
	}
}

// replace needs s.mu held.
func (s *snooze) replace(until time.Time) {
	now := s.now()
	if !until.After(now) || until.Sub(now) > longest {
		until = time.Time{}
	}
	if s.ends != nil {
		s.ends.Stop()
		s.ends = nil
	}
	s.until = until
	if !until.IsZero() {
		s.ends = s.after(until.Sub(now), func() { s.end(until) })
	}
	s.changed(until)
}

// words say until when it lasts, "15:30"; "" if nothing is snoozed.
func (s *snooze) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, until := s.now(), s.until
	switch {
	case !until.After(now):
		return ""
	case until.YearDay() != now.YearDay():
		return "tomorrow, " + until.Format("15:04")
	}
	return until.Format("15:04")
}

func (s *snooze) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends != nil {
		s.ends.Stop()
	}
}

// says adds the snooze to the icon's state. A mood that needs a person wins over the crescent.
func (s *snooze) says(state tray.State) tray.State {
	if state.Snoozed = s.words(); state.Snoozed == "" {
		return state
	}
	state.Tooltip = cmp.Or(state.Tooltip, "Sallyport") + ", snoozed until " + state.Snoozed
	if state.Mood == tray.Guarding {
		state.Mood = tray.Snoozed
	}
	return state
}

// keepsSnooze restores the snooze of the last run, and saves and shows what is chosen from now on.
func (p *Page) keepsSnooze(show func()) {
	if h := p.hub(); h != nil {
		p.say.snooze.set(h.Window().Snoozed.Local())
	}
	keep := func(until time.Time) {
		_ = p.remember(func(s *display.WindowState) { s.Snoozed = until.UTC() })
		show()
	}
	p.say.keep.Store(&keep)
}
