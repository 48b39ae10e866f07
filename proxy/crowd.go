package proxy

import (
	"sync"
	"time"
)

const (
	// crowdSize is how many calls in flight are many: the next one waits for others anyway.
	crowdSize = 4
	// crowdCalls is how many such calls in a crowdWindow make a crowd. Four calls that each take a second are none: what they
	// cost nobody sees, and how soon they are answered everybody does.
	crowdCalls  = 100
	crowdWindow = 50 * time.Millisecond
)

// crowd knows whether calls come so many at a time that throughput counts for more than how soon one of them is woken for.
type crowd struct {
	mu      sync.Mutex
	giveWay func(yes bool) bool // transport.GiveWay, nil where nobody gives way
	since   time.Time           // of this window
	calls   int                 // in this window, with crowdSize or more in flight
	on      bool
}

// see is told of a call that was made at this moment, and of how many are in flight with it.
func (c *crowd) see(inFlight int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.giveWay == nil {
		return
	}
	if inFlight >= crowdSize {
		c.calls++
	}
	past := now.Sub(c.since)
	if past < crowdWindow {
		return
	}
	// What was counted before a pause says nothing of now.
	many := c.calls >= crowdCalls && past < 2*crowdWindow
	c.since, c.calls = now, 0
	if many == c.on {
		return
	}
	if done := c.giveWay(many); many && !done {
		c.giveWay = nil // it may not, or was given another policy
		return
	}
	c.on = many
}
