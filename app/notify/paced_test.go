package notify

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// board is a Notifier that keeps what stands on it.
type board struct {
	mu       sync.Mutex
	all, now []string
	closed   bool
}

// shown is every note that was shown, in order; stands is what was not taken back.
func (b *board) shown() []string  { b.mu.Lock(); defer b.mu.Unlock(); return slices.Clone(b.all) }
func (b *board) stands() []string { b.mu.Lock(); defer b.mu.Unlock(); return slices.Clone(b.now) }

func (b *board) Show(n Note) {
	b.Withdraw(n.Key)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all, b.now = append(b.all, n.Key), append(b.now, n.Key)
}

func (b *board) Withdraw(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = slices.DeleteFunc(b.now, func(k string) bool { return k == key })
}

func (b *board) Why() string { return "" }

func (b *board) Close() error {
	b.closed = true
	return nil
}

// wait lets the time pass; in a synctest bubble that takes none.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func event(server, key string) Event {
	return Event{Server: server, Kind: "changed", Note: Note{Key: key, Title: key}}
}

func TestWhatIsOfferedIsShownWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		p.Offer(event("weather", "A"))
		wait(11 * time.Second)
		if len(b.shown()) != 0 {
			t.Fatalf("shown within the burst: %v", b.shown())
		}
		p.Offer(event("weather", "B"))
		wait(time.Second)
		if !slices.Equal(b.shown(), []string{"B"}) {
			t.Fatalf("shown %v", b.shown())
		}
		p.Offer(event("weather", "C"))
		wait(299 * time.Second)
		if !slices.Equal(b.shown(), []string{"B"}) {
			t.Fatalf("shown within five minutes: %v", b.shown())
		}
		wait(time.Second)
		if !slices.Equal(b.shown(), []string{"B", "C"}) {
			t.Fatalf("shown %v", b.shown())
		}
	})
}

func TestWhatIsDecidedIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		for _, key := range []string{"A", "B", "C"} {
			p.Offer(event("server of "+key, key))
		}
		p.Withdraw("C") // before it was shown
		wait(time.Minute)
		p.Offer(event("another", "D"))
		p.Keep(func() []string { return []string{"B"} })
		if !slices.Equal(b.stands(), []string{"B"}) {
			t.Fatalf("stand %v", b.stands())
		}
		wait(time.Hour)
		if !slices.Equal(b.shown(), []string{"A", "B"}) {
			t.Fatalf("shown %v", b.shown())
		}
	})
}

func TestWhatIsOfferedWhileTheInboxIsReadIsNotTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		p.Keep(func() []string {
			p.Offer(event("weather", "A")) // made after the list was
			return nil
		})
		wait(time.Minute)
		if !slices.Equal(b.stands(), []string{"A"}) {
			t.Fatalf("stand %v", b.stands())
		}
	})
}

func TestTheSummaryGoesWhenNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{Many: 1}), func() int { return 2 })
		defer p.Close()
		p.Offer(event("weather", "A"))
		p.Offer(event("notes", "B"))
		wait(time.Minute)
		p.Keep(func() []string { return []string{"B"} })
		if !slices.Equal(b.stands(), []string{Summary}) {
			t.Fatalf("stand %v", b.stands())
		}
		p.Keep(func() []string { return nil })
		if len(b.stands()) != 0 {
			t.Fatalf("stand %v", b.stands())
		}
	})
}

func TestWhatIsPutOffIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		p.Offer(event("weather", "A"))
		p.Later(Note{Key: "A"})
		p.Offer(event("weather", "A"))
		wait(time.Hour)
		if len(b.shown()) != 0 {
			t.Fatalf("shown %v", b.shown())
		}
	})
}

func TestASnoozeThatIsEndedShowsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		p.Snooze(time.Now().Add(2 * time.Hour))
		p.Offer(event("weather", "A"))
		wait(time.Hour)
		if len(b.shown()) != 0 {
			t.Fatalf("shown %v", b.shown())
		}
		p.Snooze(time.Time{})
		wait(time.Second)
		if !slices.Equal(b.shown(), []string{"A"}) {
			t.Fatalf("shown %v", b.shown())
		}
	})
}

func TestAfterCloseNothingIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		p.Offer(event("weather", "A"))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		p.Offer(event("notes", "B"))
		p.Withdraw("A")
		wait(time.Hour)
		if len(b.shown()) != 0 || !b.closed {
			t.Fatalf("shown %v, closed %v", b.shown(), b.closed)
		}
	})
}

func TestACriticalNoteDoesNotWaitAndTheNextTakesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		grave := func(server, key string) Event {
			e := event(server, key)
			e.Note.Urgency = Critical
			return e
		}
		begun := time.Now()
		p.Offer(event("calm", "C"))
		p.Offer(grave("weather", "A"))
		synctest.Wait()
		wait(0)
		if !slices.Equal(b.shown(), []string{"A"}) || time.Since(begun) != 0 {
			t.Fatalf("shown %v after %v", b.shown(), time.Since(begun))
		}
		wait(5 * time.Second)
		p.Offer(grave("notes", "B"))
		wait(0)
		if !slices.Equal(b.shown(), []string{"A", "B"}) {
			t.Fatalf("shown %v", b.shown())
		}
		wait(7 * time.Second)
		if !slices.Equal(b.shown(), []string{"A", "B", "C"}) {
			t.Fatalf("shown %v", b.shown())
		}
	})
}

func TestWhatIsOnTheScreenIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &board{}
		p := NewPaced(b, NewPace(Rules{}), nil)
		defer p.Close()
		on := map[string]bool{"A": true}
		var mu sync.Mutex
		p.Seen = func(e Event) bool { mu.Lock(); defer mu.Unlock(); return on[e.Note.Key] }
		p.Offer(event("weather", "A")) // open when it came
		p.Offer(event("notes", "B"))   // opened before it is due
		p.Offer(event("files", "C"))
		wait(6 * time.Second)
		mu.Lock()
		on = map[string]bool{"B": true}
		mu.Unlock()
		wait(time.Hour)
		if !slices.Equal(b.shown(), []string{"C"}) {
			t.Fatalf("shown %v", b.shown())
		}
	})
}
