package proxy

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// The schedule of checks.
const (
	quietInterval = time.Second      // between two checks that list_changed asks for
	maxInterval   = 5 * time.Second  // what the interval doubles to
	stormWindow   = 10 * time.Second // more than stormCount in this window is a storm
	stormCount    = 10
	retryFirst    = 100 * time.Millisecond // a listing that fails is asked again, until the timeout
	retryMax      = 2 * time.Second
	againFirst    = time.Second // after a check that came to nothing, doubled each time
	againMax      = time.Minute
	longAgo       = 10 * 365 * 24 * time.Hour // more than any pins.recheck
)

// checker keeps what the server declares compared with what is approved. One goroutine (run) takes snapshots, one at a
// time; the reading goroutines only ask for checks and lay answers aside until one has been judged.
//
// Checks are numbered. due is the number of the newest one asked for, done of the newest one judged: while due is ahead,
// no answer that may depend on it is delivered.
type checker struct {
	s       *exchange
	pending func() bool                   // requests wait for the first check
	judged  func()                        // a check has been judged
	deliver func(r *request, line []byte) // an answer that waited for one
	turned  func(v *view) bool            // what the client was listed of our own tools is not what it would be now

	view   atomic.Pointer[view]
	viewMu sync.Mutex // one rebuild of view at a time
	shown  *shown

	kick chan struct{}

	due, done atomic.Uint64
	base      time.Time    // what lastCheck counts from; long ago, so that before the first check one is overdue
	lastCheck atomic.Int64 // when the last check ended, in nanoseconds since base: of a clock that nobody can set back
	opened    atomic.Bool  // the first check has been judged, and listings go out

	mu       sync.Mutex
	begun    bool
	urgent   bool
	resyncs  bool
	failures int       // how often in a row a check was taken again by itself, because the one before came to nothing
	started  uint64    // number of the check that runs or ran last
	dueSince time.Time // when the first check after started was asked for
	busy     bool

	storms   []time.Time // list_changed notifications of the last ten seconds
	interval time.Duration

	relay    []string        // list_changed notifications whose check is still to come
	heard    []string        // those the client may hear
	again    *time.Timer     // the check that is taken again by itself
	sighting map[string]seen // what each item looked like last, whoever asked
	twoFaced map[string]bool // items that equivocated in this session
	shifts   uint64          // how many list_changed notifications there were

	shelf shelf
	// reported is the fingerprint of the last report the hub took, "" when it must be told again.
	reported string
	poked    *time.Timer // of the check that a refused request waits for, nil where none does
	untold   bool        // the hub was away: it has not heard that listings cannot be read
}

type seen struct {
	digest pin.Digest
	at     time.Time
	since  uint64 // list_changed notifications before it was asked for
}

func newChecker(s *exchange) *checker {
	c := &checker{s: s, shown: newShown(s.cfg.Gate.Unseen), base: time.Now().Add(-longAgo), kick: make(chan struct{}, 1), interval: quietInterval, sighting: map[string]seen{}, twoFaced: map[string]bool{}}
	c.view.Store(newView(s.state(), nil, true, false))
	return c
}

func (c *checker) wake() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// begin asks for the first check, as soon as the server can be asked.
func (c *checker) begin() {
	if !c.s.life.answered.Load() || c.s.life.apart.Load() || !c.s.life.initialized.Load() && !c.pending() {
		return
	}
	c.mu.Lock()
	first := !c.begun
	c.begun = true
	c.mu.Unlock()
	if first {
		c.demand(false)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake() // what was judged before the client was ready is still to be said
}

// demand asks for a check now and returns its number. With fresh, a check that has already started does not count.
func (c *checker) demand(fresh bool) uint64 {
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

// beside is asked by each call that goes out: the number of the check its answer must wait for, 0 for none.
func (c *checker) beside(v *view, now time.Time) uint64 {
	if v.policy.RecheckOff || !c.overdueAt(now, v.policy.Recheck) {
		return 0
	}
	return c.demand(v.policy.Recheck == 0)
}

// besideListing is beside for a listing of the client.
func (c *checker) besideListing() uint64 {
	if !c.overdue(listingAge) {
		return 0
	}
	return c.demand(false)
}

// poke starts the check that a refused request may ask for. However often a client is refused, the server is asked once a second: what is
// sooner waits until that second is over.
func (c *checker) poke(v *view) {
	if v.verified && (v.policy.RecheckOff || !c.overdue(v.policy.Recheck)) {
		return
	}
	wait := listingAge - c.age(time.Now())
	if wait <= 0 {
		c.demand(false)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.poked == nil {
		c.poked = time.AfterFunc(wait, func() {
			c.mu.Lock()
			c.poked = nil
			c.mu.Unlock()
			c.demand(false)
		})
	}
}

func (c *checker) overdue(after time.Duration) bool { return c.overdueAt(time.Now(), after) }

func (c *checker) overdueAt(now time.Time, after time.Duration) bool {
	return after == 0 || c.age(now) >= after
}

// age is how long ago the last check was.
func (c *checker) age(now time.Time) time.Duration {
	return now.Sub(c.base) - time.Duration(c.lastCheck.Load())
}

// changed takes a list_changed notification: what comes after it waits for a check, which is not hurried.
func (c *checker) changed(notification string) {
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
	if !c.begun {
		return
	}
	if due := c.due.Load(); due <= c.started {
		c.dueSince = now
		c.due.Store(due + 1)
	}
	c.wake()
}

// resync has the hub told again, without anybody waiting for it.
func (c *checker) resync() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported, c.untold = "", true
	if c.begun {
		c.resyncs, c.urgent = true, true
		c.wake()
	}
}

// retell has the next report go out, whatever the last one was: what the hub knows of the server has become otherwise.
func (c *checker) retell() {
	c.mu.Lock()
	c.reported = ""
	c.mu.Unlock()
}

// announce has the client hear that listings changed. Before the first check there is nothing it could have seen.
func (c *checker) announce(notifications []string) {
	if len(notifications) == 0 || !c.opened.Load() {
		return
	}
	said := slices.DeleteFunc(slices.Clone(notifications), func(n string) bool { return !c.s.life.speaksOf(n) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sayLocked(said)
	c.wake()
}

func (c *checker) sayLocked(notifications []string) {
	for _, n := range notifications {
		if !slices.Contains(c.heard, n) {
			c.heard = append(c.heard, n)
		}
	}
}

func (c *checker) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy || c.due.Load() > c.done.Load()
}

// run takes checks until ctx ends.
func (c *checker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.kick:
		}
		for c.round(ctx) {
		}
		c.tellClient()
	}
}

// round waits for the schedule and takes one check, if one is due.
func (c *checker) round(ctx context.Context) bool {
	for {
		c.mu.Lock()
		due := c.due.Load() > c.done.Load()
		if !due && !c.resyncs {
			c.mu.Unlock()
			return false
		}
		pause := c.pauseLocked(time.Now())
		if pause <= 0 {
			break
		}
		c.mu.Unlock()
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-c.kick:
		case <-timer.C:
		}
		timer.Stop()
	}
	number := c.due.Load()
	since := c.dueSince
	if number <= c.started {
		since = time.Now() // a resync: nobody waits
	}
	c.started, c.urgent, c.resyncs, c.busy = number, false, false, true
	relay := c.relay
	c.relay = nil
	c.mu.Unlock()

	v := c.view.Load()
	deadline := since.Add(v.policy.RecheckTimeout)
	if least := time.Now().Add(v.policy.RecheckTimeout / 2); deadline.Before(least) {
		deadline = least
	}
	c.take(ctx, deadline)
	c.lastCheck.Store(int64(time.Since(c.base)))

	c.mu.Lock()
	c.busy = false
	c.sayLocked(relay)
	c.mu.Unlock()
	c.opened.Store(true)
	c.judged()
	c.flush(number)
	c.tellClient() // now, not at the end of a storm: that of a server which speaks up at every listing has none
	return true
}

// pauseLocked is how long the schedule has a check wait. Only list_changed waits: a call and a first look do not.
func (c *checker) pauseLocked(now time.Time) time.Duration {
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

// take snapshots what the server declares, tells the hub what is not approved as it stands, and replaces the view. A
// listing that fails is asked again until the deadline; then nothing is verified.
func (c *checker) take(ctx context.Context, deadline time.Time) {
	session := ctx
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for pause := retryFirst; ; pause = min(2*pause, retryMax) {
		shot, err := c.snapshot(ctx)
		if err == nil {
			c.judge(ctx, shot)
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			c.unverified(err, session.Err() == nil)
			return
		case <-timer.C:
		}
	}
}

// unverified has nothing pass from now on. A check that only the end of the session cut short is no problem to record. The hub hears of it
// once, and when listings can be read again, by a report.
func (c *checker) unverified(err error, problem bool) {
	no := false
	before, after := c.rebuild(nil, &no)
	c.mu.Lock()
	tell := problem && (before.verified || c.untold)
	c.reported, c.untold = "", false
	c.mu.Unlock()
	if tell {
		c.s.journal.unverified(err)
	}
	c.announce(c.differs(before, after))
	c.mu.Lock()
	c.againLocked()
	c.mu.Unlock()
}

// againLocked has a check that came to nothing taken again by itself, later and later: the client may be waiting for the
// list_changed that follows. One that nobody waits for is never urgent enough to crowd a server.
// One timer, however many checks fail: each of them having its own, a hub that is away for an hour would have the server
// asked without a pause.
func (c *checker) againLocked() {
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

// judge compares: what is served afterwards is what the hub has approved of what was seen just now.
func (c *checker) judge(ctx context.Context, shot *snapshot) {
	c.compareSightings(shot)
	fingerprint := shot.fingerprint()
	c.mu.Lock()
	told := c.reported == fingerprint
	c.mu.Unlock()
	if !told {
		if c.s.cfg.Launch != nil {
			c.s.cfg.Launch.Settle(ctx)
		}
		report := control.Report{
			Era: "legacy", Client: c.s.clientName(), Protocol: shot.protocol, ServerInfo: shot.serverInfo,
			Items: shot.items, Findings: shot.findings,
		}
		_, err := c.s.cfg.Gate.Report(ctx, report)
		c.mu.Lock()
		if err == nil {
			c.reported, told = fingerprint, true
		} else {
			c.againLocked()
		}
		c.mu.Unlock()
	}
	if told {
		c.mu.Lock()
		c.failures = 0
		c.mu.Unlock()
	}
	yes := true
	before, after := c.rebuild(shot.observation(), &yes)
	if before.seen != nil {
		c.announce(c.differs(before, after))
	}
}

// tellClient passes on, after a check has been judged, that listings changed: once, in our own line.
func (c *checker) tellClient() {
	if !c.s.life.ready() {
		return
	}
	c.mu.Lock()
	heard := c.heard
	c.heard = nil
	c.mu.Unlock()
	c.shown.notice(heard)
	for _, notification := range heard {
		c.s.client.Enqueue([]byte(`{"jsonrpc":"2.0","method":"` + notification + "\"}\n"))
	}
}

// rebuild replaces the view: with the hub's newest state, and with what was seen and whether that could be verified where
// these are given.
func (c *checker) rebuild(seen *observation, verified *bool) (before, after *view) {
	c.viewMu.Lock()
	defer c.viewMu.Unlock()
	before = c.view.Load()
	if seen == nil {
		seen = before.seen
	}
	ok := before.verified
	if verified != nil {
		ok = *verified
	}
	after = newView(c.s.state(), seen, ok, c.s.life.apart.Load())
	c.view.Store(after)
	c.shown.follow(after)
	return before, after
}

// changed names the list_changed notifications that a client must hear to see this view.
func (c *checker) differs(before, after *view) []string {
	names := after.differs(before)
	tools := lists[methodListTools].changed
	if c.turned(after) && !slices.Contains(names, tools) {
		names = append(names, tools)
	}
	return names
}
