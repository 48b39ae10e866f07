package proxy

import (
	"sync"
	"time"
)

const (
	// crowdSize is how many calls in flight count as many: the next one waits for others anyway.
	crowdSize = 4
	// crowdCalls is how many such calls within crowdWindow make a crowd. Four calls of a second each are not one: their cost is invisible,
	// but their latency is not.
	crowdCalls  = 100
	crowdWindow = 50 * time.Millisecond
)

// crowd detects when so many calls come at once that throughput matters more than latency.
type crowd struct {
	mu      sync.Mutex
	giveWay func(yes bool) bool // transport.GiveWay, nil if nothing yields
	since   time.Time           // start of this window
	calls   int                 // in this window, with crowdSize or more in flight
	on      bool
}

// see records a call and how many are in flight with it.
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
	// Counts from before a pause mean nothing now.
	many := c.calls >= crowdCalls && past < 2*crowdWindow
	c.since, c.calls = now, 0
	if many == c.on {
		return
	}
	if done := c.giveWay(many); many && !done {
		c.giveWay = nil // not permitted, or another policy is set
		return
	}
	c.on = many
}
