package guardrail

import (
	"context"
	"sync"
	"time"
)

const (
	// failuresInRow is after how many failures in a row a provider is not asked.
	failuresInRow = 3
	// pause is for how long.
	pause = 30 * time.Second
)

// A Breaker is a Provider that stops asking another that keeps failing, so that nobody waits for one that is broken. After the pause, one
// request tries it; if that fails, the pause begins again.
type Breaker struct {
	provider Provider
	changed  func(State)

	mu       sync.Mutex
	failed   int    // in a row
	answered uint64 // ever
	paused   State
	trying   bool // a request is out that tries whether the pause is over
}

// State is whether a provider is asked.
type State struct {
	Paused bool
	Reason string    // the last failure
	Until  time.Time // when it is tried again
}

// NewBreaker guards p. changed is called when asking stops and when p is back, once each, without a lock.
func NewBreaker(p Provider, changed func(State)) *Breaker {
	return &Breaker{provider: p, changed: changed}
}

// Ask asks the provider, or fails with ErrPaused.
func (b *Breaker) Ask(ctx context.Context, r Request) (Answer, error) {
	before, trial, err := b.enter()
	if err != nil {
		return Answer{}, err
	}
	answer, err := b.provider.Ask(ctx, r)
	var now *State
	switch {
	case err == nil:
		now = b.worked()
	case ctx.Err() == context.Canceled: // the provider can't help it
		b.givenUp(trial)
	default:
		now = b.didNot(err.Error(), before, trial)
	}
	if now != nil && b.changed != nil {
		b.changed(*now)
	}
	return answer, err
}

func (b *Breaker) Close() { b.provider.Close() }

// width is 1 after a pause: one piece of a text tries the provider, and the others would fail beside it.
func (b *Breaker) width() int {
	if p, is := b.provider.(wide); is && !b.State().Paused {
		return p.width()
	}
	return 1
}

// State is the breaker's state now.
func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paused
}

// enter says how many requests were answered before this one, and whether this one is the trial.
func (b *Breaker) enter() (before uint64, trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.paused.Paused {
		return b.answered, false, nil
	}
	if b.trying || time.Now().Before(b.paused.Until) {
		return 0, false, ErrPaused
	}
	b.trying = true
	return b.answered, true, nil
}

func (b *Breaker) worked() *State {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered++
	b.failed = 0
	if !b.paused.Paused {
		return nil
	}
	b.paused, b.trying = State{}, false
	return &State{}
}

func (b *Breaker) givenUp(trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
}

// didNot counts a failure. One does not count if another request was answered meanwhile: then the provider was busy or could not cope with
// this text, and works.
func (b *Breaker) didNot(reason string, before uint64, trial bool) *State {
	b.mu.Lock()
	defer b.mu.Unlock()
	paused := State{Paused: true, Reason: reason, Until: time.Now().Add(pause)}
	if trial && b.paused.Paused {
		b.paused, b.trying = paused, false
		return nil
	}
	if b.answered != before {
		return nil
	}
	b.failed++
	if b.paused.Paused || b.failed < failuresInRow {
		return nil
	}
	b.paused = paused
	return &paused
}
