package declared

import (
	"slices"
	"time"
)

// The schedule of checks.
const (
	quietInterval = time.Second      // between two checks caused by list_changed
	maxInterval   = 5 * time.Second  // the longest interval after doubling
	stormWindow   = 10 * time.Second // more than stormCount in this window is a storm
	stormCount    = 10
	retryFirst    = 100 * time.Millisecond // a failing listing is repeated, until the timeout
	retryMax      = 2 * time.Second
	againFirst    = time.Second // after a failed check, doubled each time
	againMax      = time.Minute
	longAgo       = 10 * 365 * 24 * time.Hour // more than any pins.recheck
)

// ListingAge is how old the last check can be for a client's listing without another check.
const ListingAge = time.Second

// Begin requests the first check, as soon as the server can be asked.
func (c *Checker) Begin() {
	if !c.session.Begun() {
		return
	}
	c.mu.Lock()
	first := !c.begun
	c.begun = true
	c.mu.Unlock()
	if first {
		c.Demand(false)
		return
	}
	c.wake() // report what was judged before the client was ready
}

// Demand requests a check now and returns its number. With fresh, one that has already started does not count.
func (c *Checker) Demand(fresh bool) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := c.due.Load()
	waiting := due > c.started
	if !waiting && (fresh || due == c.done.Load()) {
		due++
		c.dueSince = time.Now()
		c.due.Store(due)
	}
	c.urgent = true
	c.wake()
	return due
}

// Beside returns the number of the check that this call's response must wait for, or 0.
func (c *Checker) Beside(v *View, now time.Time) uint64 {
	if v.Policy.RecheckOff || !c.overdueAt(now, v.Policy.Recheck) {
		return 0
	}
	return c.Demand(v.Policy.Recheck == 0)
}

// BesideListing is Beside for a listing of the client.
func (c *Checker) BesideListing() uint64 {
	if !c.overdue(ListingAge) {
		return 0
	}
	return c.Demand(false)
}

// Poke starts the check that a refused request may ask for. However often a client is refused, the server is asked at most once a second.
func (c *Checker) Poke(v *View) {
	if v.Verified && (v.Policy.RecheckOff || !c.overdue(v.Policy.Recheck)) {
		return
	}
	c.pokeSoon()
}

// pokeSoon starts a check, at most one a second.
func (c *Checker) pokeSoon() {
	wait := ListingAge - c.age(time.Now())
	if wait <= 0 {
		c.Demand(false)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.poked == nil {
		c.poked = time.AfterFunc(wait, func() {
			c.mu.Lock()
			c.poked = nil
			c.mu.Unlock()
			c.Demand(false)
		})
	}
}

func (c *Checker) overdue(after time.Duration) bool { return c.overdueAt(time.Now(), after) }

func (c *Checker) overdueAt(now time.Time, after time.Duration) bool {
	return after == 0 || c.age(now) >= after
}

func (c *Checker) age(now time.Time) time.Duration {
	return now.Sub(c.base) - time.Duration(c.lastCheck.Load())
}

// Changed handles a list_changed notification: what comes after it waits for a check, which is not hurried.
func (c *Checker) Changed(notification string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.shifts++
	c.storms = append(c.storms, now)
	for len(c.storms) > 0 && now.Sub(c.storms[0]) > stormWindow || len(c.storms) > 100 {
		c.storms = c.storms[1:]
	}
	if !slices.Contains(c.relay, notification) {
		c.relay = append(c.relay, notification)
	}
	if notification == Resources.Changed {
		c.pages.lookAgain()
	}
	if !c.begun {
		return
	}
	if due := c.due.Load(); due <= c.started {
		c.dueSince = now
		c.due.Store(due + 1)
	}
	c.wake()
}

// Crossed says that the server is asked in the protocol's other era from now on, where it may declare other things.
func (c *Checker) Crossed() {
	c.mu.Lock()
	c.shifts++
	c.mu.Unlock()
}

// Resync reports to the hub again, without anything waiting for it.
func (c *Checker) Resync() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported, c.untold = "", true
	if c.begun {
		c.resyncs, c.urgent = true, true
		c.wake()
	}
}

// Retell sends the next report even if it equals the last one: the hub has learned something else meanwhile.
func (c *Checker) Retell() {
	c.mu.Lock()
	c.reported = ""
	c.mu.Unlock()
}

// Stale tells the client, after the next check, that all its listings changed, because it was shown something else.
func (c *Checker) Stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range lists {
		if !slices.Contains(c.relay, l.Changed) {
			c.relay = append(c.relay, l.Changed)
		}
	}
}

// pauseLocked is how long the schedule delays a check. Only those caused by list_changed are delayed, not calls and first looks.
func (c *Checker) pauseLocked(now time.Time) time.Duration {
	if c.urgent {
		return 0
	}
	for len(c.storms) > 0 && now.Sub(c.storms[0]) > stormWindow {
		c.storms = c.storms[1:]
	}
	if len(c.storms) <= stormCount {
		c.interval = quietInterval
	}
	last := c.base.Add(time.Duration(c.lastCheck.Load()))
	pause := last.Add(c.interval).Sub(now)
	if pause > 0 {
		return pause
	}
	if len(c.storms) > stormCount {
		c.interval = min(2*c.interval, maxInterval)
	}
	return 0
}

// againLocked repeats a failed check, later and later: the client may be waiting for the list_changed that follows. There is one timer for
// all failures: with one each, an hour without a hub would end in a flood of requests to the server.
func (c *Checker) againLocked() {
	if c.again != nil {
		return
	}
	pause := min(againFirst<<min(c.failures, 6), againMax)
	c.failures++
	c.again = time.AfterFunc(pause, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.again = nil
		c.resyncs = true
		c.wake()
	})
}

// Failures is how many checks in a row failed.
func (c *Checker) Failures() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failures
}
