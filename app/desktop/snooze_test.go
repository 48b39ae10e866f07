package desktop

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/app/tray"
)

func TestASnoozeEndsWhenItWasSaidTo(t *testing.T) {
	zone := time.FixedZone("far", -5*3600)
	ten := time.Date(2026, 11, 21, 10, 0, 0, 0, zone)
	for name, c := range map[string]struct {
		now   time.Time
		row   tray.Snooze
		until time.Time
		words string
	}{
		"half an hour":             {ten, tray.HalfAnHour, ten.Add(30 * time.Minute), "10:30"},
		"two hours":                {ten, tray.TwoHours, ten.Add(2 * time.Hour), "12:00"},
		"two hours over midnight":  {ten.Add(13 * time.Hour), tray.TwoHours, ten.Add(15 * time.Hour), "tomorrow, 01:00"},
		"until tomorrow":           {ten, tray.UntilTomorrow, time.Date(2026, 11, 22, 8, 0, 0, 0, zone), "tomorrow, 08:00"},
		"over the end of the year": {time.Date(2026, 12, 31, 20, 0, 0, 0, zone), tray.UntilTomorrow, time.Date(2027, 1, 1, 8, 0, 0, 0, zone), "tomorrow, 08:00"},
		"the end":                  {ten, tray.EndSnooze, time.Time{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var told time.Time
			var in time.Duration
			s := snooze{now: func() time.Time { return c.now }, changed: func(until time.Time) { told = until },
				after: func(d time.Duration, f func()) *time.Timer { in = d; return time.NewTimer(time.Hour) }}
			defer s.close()
			s.choose(c.row)
			if !told.Equal(c.until) || s.words() != c.words {
				t.Errorf("until %v, %q; want %v, %q", told, s.words(), c.until, c.words)
			}
			if !c.until.IsZero() && in != c.until.Sub(c.now) {
				t.Errorf("it ends in %v", in)
			}
		})
	}
}

func TestASnoozeOfAnotherClockIsNone(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, until := range []time.Time{now, now.Add(-time.Second), now.Add(longest + time.Second), {}} {
		s := snooze{now: func() time.Time { return now }, after: time.AfterFunc, changed: func(time.Time) {}}
		if s.set(until); s.words() != "" {
			t.Errorf("until %v: %q", until, s.words())
		}
	}
}

func TestASnoozeIsSaidUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []bool
		s := snooze{now: time.Now, after: time.AfterFunc, changed: func(until time.Time) { told = append(told, !until.IsZero()) }}
		s.choose(tray.TwoHours)
		s.choose(tray.HalfAnHour) // the later choice counts
		<-time.After(31 * time.Minute)
		synctest.Wait()
		if want := []bool{true, true, false}; !slices.Equal(told, want) || s.words() != "" {
			t.Errorf("told %v, says %q", told, s.words())
		}
		<-time.After(3 * time.Hour)
		synctest.Wait()
		if len(told) != 3 {
			t.Errorf("it ended twice: %v", told)
		}
	})
}

// What needs a person is seen through a snooze.
func TestACrescentHidesNothingThatWeighsMore(t *testing.T) {
	now := time.Date(2026, 11, 21, 13, 30, 0, 0, time.UTC)
	s := snooze{now: func() time.Time { return now }, after: time.AfterFunc, changed: func(time.Time) {}}
	defer s.close()
	four := tray.State{Mood: tray.Guarding, Tooltip: "Sallyport — 4 servers guarded"}
	if got := s.says(four); got.Mood != four.Mood || got.Tooltip != four.Tooltip || got.Snoozed != "" {
		t.Errorf("awake it says %+v", got)
	}
	s.choose(tray.TwoHours)
	for mood, want := range map[tray.Mood]tray.Mood{
		tray.Guarding: tray.Snoozed, tray.Attention: tray.Attention, tray.Critical: tray.Critical, tray.Failing: tray.Failing, tray.Starting: tray.Starting,
	} {
		got := s.says(tray.State{Mood: mood, Tooltip: "Sallyport — as it is"})
		if got.Mood != want || got.Tooltip != "Sallyport — as it is, snoozed until 15:30" || got.Snoozed != "15:30" {
			t.Errorf("mood %d says %+v", mood, got)
		}
	}
}

// It outlives the program: a login, or a hub that ends, is no reason to be loud.
func TestASnoozeIsKeptOverTheProgramsEnd(t *testing.T) {
	d := newDesk(t)
	started := func() *attention {
		a := &attention{}
		a.snooze = snooze{now: time.Now, after: time.AfterFunc, changed: func(until time.Time) {
			if keep := a.keep.Load(); keep != nil {
				(*keep)(until)
			}
		}}
		t.Cleanup(a.snooze.close)
		d.say = a
		d.keepsSnooze(func() {})
		return a
	}
	if a := started(); a.snooze.words() != "" {
		t.Fatalf("snoozed from the start: %q", a.snooze.words())
	}
	d.say.snooze.choose(tray.UntilTomorrow)
	want := d.say.snooze.words()
	if a := started(); a.snooze.words() != want || want == "" {
		t.Errorf("after a start it says %q, want %q", a.snooze.words(), want)
	}
	d.say.snooze.choose(tray.EndSnooze)
	if a := started(); a.snooze.words() != "" {
		t.Errorf("after its end it says %q", a.snooze.words())
	}
}
