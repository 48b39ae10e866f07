package guardrail

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// A broken is a breaker around a provider that can be told to fail, and what it said about itself.
type broken struct {
	*Breaker
	mu     sync.Mutex
	fails  bool
	asked  int
	told   []bool // paused or not, in order
	during func() // runs while the provider is asked
}

func newBroken() *broken {
	b := &broken{}
	b.Breaker = NewBreaker(provided(func(_ context.Context, r Request) (Answer, error) {
		b.mu.Lock()
		b.asked++
		fails, during := b.fails, b.during
		b.mu.Unlock()
		if during != nil {
			during()
		}
		if fails {
			return Answer{}, &Failure{"is broken"}
		}
		return judged(&r), nil
	}), func(s State) { b.told = append(b.told, s.Paused) })
	return b
}

func (b *broken) try(t *testing.T, fails bool) error {
	t.Helper()
	b.mu.Lock()
	b.fails = fails
	b.mu.Unlock()
	_, err := b.Ask(context.Background(), request("hello"))
	return err
}

// pausedAfter makes a provider fail until it is not asked, which must be after so many times.
func (b *broken) pausedAfter(t *testing.T, times int) {
	t.Helper()
	for range times {
		failed(t, b.try(t, true), "is broken")
	}
	before := b.asked
	if err := b.try(t, true); !errors.Is(err, ErrPaused) || b.asked != before {
		t.Errorf("%v, asked %d times", err, b.asked-before)
	}
}

func TestThreeFailuresInARowPauseAProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		for range 5 {
			failed(t, b.try(t, true), "is broken")
			failed(t, b.try(t, true), "is broken")
			if err := b.try(t, false); err != nil { // no longer in a row
				t.Fatal(err)
			}
		}
		if len(b.told) > 0 || b.State().Paused {
			t.Errorf("told %v", b.told)
		}
		b.pausedAfter(t, 3)
		if s := b.State(); !s.Paused || s.Reason != "is broken" || !s.Until.Equal(time.Now().Add(30*time.Second)) {
			t.Errorf("%+v", s)
		}
		time.Sleep(30*time.Second - time.Nanosecond)
		if err := b.try(t, false); !errors.Is(err, ErrPaused) {
			t.Errorf("asked in the pause: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := b.try(t, false); err != nil {
			t.Errorf("after the pause: %v", err)
		}
		if !slices.Equal(b.told, []bool{true, false}) || b.State() != (State{}) {
			t.Errorf("told %v, %+v", b.told, b.State())
		}
		b.pausedAfter(t, 3) // and it counts anew
	})
}

func TestAProviderThatStaysBrokenIsTriedOnceAPauseAndToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		b.pausedAfter(t, 3)
		for range 10 {
			time.Sleep(30 * time.Second)
			b.pausedAfter(t, 1)
		}
		if b.asked != 13 || !slices.Equal(b.told, []bool{true}) {
			t.Errorf("asked %d times, told %v", b.asked, b.told)
		}
	})
}

func TestOnlyOneTriesAfterThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		b.pausedAfter(t, 3)
		time.Sleep(30 * time.Second)
		b.during = func() { time.Sleep(2 * time.Second) }
		var all sync.WaitGroup
		all.Go(func() {
			if err := b.try(t, false); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 5 {
			if err := b.try(t, false); !errors.Is(err, ErrPaused) {
				t.Errorf("beside the trial: %v", err)
			}
		}
		all.Wait()
		if err := b.try(t, false); err != nil || b.asked != 5 {
			t.Errorf("%v, asked %d times", err, b.asked)
		}
	})
}

// A trial whose asker goes away says nothing about the provider, and must not be the last one for ever.
func TestATrialThatIsGivenUpLeavesRoomForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		b.pausedAfter(t, 3)
		time.Sleep(30 * time.Second)
		ctx, cancel := context.WithCancel(context.Background())
		b.during = cancel
		if _, err := b.Ask(ctx, request("hello")); err == nil {
			t.Fatal("it did not fail")
		}
		b.during = nil
		if err := b.try(t, false); err != nil {
			t.Error(err)
		}
	})
}

func TestWhoGivesUpIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		b.fails = true
		for range 10 {
			ctx, cancel := context.WithCancel(context.Background())
			b.during = cancel
			_, err := b.Ask(ctx, request("hello"))
			failed(t, err, "is broken")
		}
		b.during = nil
		b.pausedAfter(t, 3)
	})
}

// Ten requests wait for a provider that answers one of them and is late for nine: it is busy, and pausing it would help those who flood it.
func TestFailuresBesideAnAnswerAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		var told []State
		var mu sync.Mutex
		b := NewBreaker(provided(func(ctx context.Context, r Request) (Answer, error) {
			mu.Lock()
			asked++
			n := asked
			mu.Unlock()
			if n%10 == 1 {
				time.Sleep(time.Second)
				return judged(&r), nil
			}
			<-ctx.Done()
			return Answer{}, errBusy
		}), func(s State) { told = append(told, s) })
		for range 3 {
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
					defer cancel()
					_, _ = b.Ask(ctx, request("hello"))
				})
			}
			all.Wait()
		}
		if asked != 30 || len(told) > 0 {
			t.Errorf("asked %d times, told %v", asked, told)
		}
	})
}

// A request from before the pause may be answered in it. Then the provider is back, and a trial that fails later is one failure.
func TestALateAnswerEndsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		var all sync.WaitGroup
		b.during = func() { time.Sleep(31 * time.Second) }
		all.Go(func() {
			if err := b.try(t, false); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		b.during = nil
		b.pausedAfter(t, 3)
		time.Sleep(30 * time.Second)
		b.during = func() { time.Sleep(2 * time.Second) }
		all.Go(func() { failed(t, b.try(t, true), "is broken") }) // the trial
		all.Wait()
		b.during = nil
		if b.State().Paused || !slices.Equal(b.told, []bool{true, false}) {
			t.Errorf("%+v, told %v", b.State(), b.told)
		}
	})
}

// four is a provider that judges four pieces at once.
type four struct{ Provider }

func (four) width() int { return 4 }

func TestALongTextAfterThePauseIsJudgedByAProviderThatIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroken()
		b.pausedAfter(t, failuresInRow)
		time.Sleep(pause)
		b.fails, b.during = false, func() { time.Sleep(time.Second) }
		b.Breaker.provider = four{b.Breaker.provider}
		asked := b.asked
		answer, err := Judge(context.Background(), b, request(""), []string{"one", "two", "three", "four"})
		if err != nil || answer.Verdict != vocab.VoteAllow || b.asked-asked != 4 {
			t.Errorf("%+v, %v, %d pieces asked about", answer, err, b.asked-asked)
		}
	})
}
