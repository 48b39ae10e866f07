package declared

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// Checker compares what the server declares with what is approved. One goroutine (run) takes snapshots, one at a time; the reading
// goroutines only ask for checks and put responses aside until one has been judged.
//
// Checks are numbered. due is the newest one requested, done the newest one judged: while due is ahead, no response that may depend on it
// is delivered.
type Checker struct {
	Shown  *Shown
	Skills *SkillLook

	session  Connection
	reserved []string     // names that no tool of a server may have
	names    *naming      // used under viewMu
	standing standingRule // used under viewMu
	greeted  greeted

	view   atomic.Pointer[View]
	viewMu sync.Mutex // one rebuild of view at a time

	kick chan struct{}

	due, done atomic.Uint64
	base      time.Time    // start of lastCheck's clock; long ago, so that the first check is overdue
	lastCheck atomic.Int64 // when the last check ended, in nanoseconds since base, by a clock that nobody can set back
	opened    atomic.Bool  // the first check has been judged, and listings are served

	mu       sync.Mutex
	begun    bool
	urgent   bool
	resyncs  bool
	failures int       // how many checks in a row failed and were repeated
	started  uint64    // the current or last check
	dueSince time.Time // when the first check after started was requested
	busy     bool

	storms   []time.Time // list_changed notifications of the last ten seconds
	interval time.Duration

	relay    []string    // list_changed notifications whose check is still to come
	heard    []string    // those that the client may be told about
	again    *time.Timer // timer of the next repeated check
	schemas  schemaLook  // used by Run alone
	calls    callLook    // as well
	pages    pages
	sighting map[string]seen // what each item looked like last, in any listing
	twoFaced map[string]bool // items that showed two definitions in this session
	shifts   uint64          // number of list_changed notifications, and of turns to the other era

	shelf shelf
	// reported is the fingerprint of the last report the hub took, "" to report again.
	reported string
	poked    *time.Timer // timer of the check that a refused request asked for, nil for none
	untold   bool        // the hub was away and does not know that listings can't be read
}

type seen struct {
	digest pin.Digest
	at     time.Time
	since  uint64 // list_changed notifications before it was requested
}

// NewChecker prepares the checks of a session; Run takes them. reserved are the names of our own tools.
func NewChecker(session Connection, reserved []string) *Checker {
	c := &Checker{
		Shown: newShown(session.Unseen), Skills: &SkillLook{session: session}, session: session, reserved: reserved, names: newNaming(reserved), base: time.Now().Add(-longAgo), kick: make(chan struct{}, 1), interval: quietInterval,
		sighting: map[string]seen{}, twoFaced: map[string]bool{},
	}
	c.pages.lookAgain()
	c.view.Store(newView(session.State(), nil, true, false, nil))
	return c
}

// View is what may pass now.
func (c *Checker) View() *View { return c.view.Load() }

func (c *Checker) wake() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// Announce queues list_changed notifications for the client. Before the first check it can't have seen anything.
func (c *Checker) Announce(notifications []string) {
	if len(notifications) == 0 || !c.opened.Load() {
		return
	}
	said := slices.DeleteFunc(slices.Clone(notifications), func(n string) bool { return !c.speaksOf(n) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sayLocked(said)
	c.wake()
}

func (c *Checker) sayLocked(notifications []string) {
	for _, n := range notifications {
		if !slices.Contains(c.heard, n) {
			c.heard = append(c.heard, n)
		}
	}
}

func (c *Checker) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy || c.due.Load() > c.done.Load()
}

// Run takes checks until ctx ends.
func (c *Checker) Run(ctx context.Context) {
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
func (c *Checker) round(ctx context.Context) bool {
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
		select {
		case <-ctx.Done():
			return false
		case <-c.kick:
		case <-time.After(pause):
		}
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
	deadline := since.Add(v.Policy.RecheckTimeout)
	if least := time.Now().Add(v.Policy.RecheckTimeout / 2); deadline.Before(least) {
		deadline = least
	}
	c.take(ctx, deadline)
	c.lastCheck.Store(int64(time.Since(c.base)))

	c.mu.Lock()
	c.busy = false
	c.sayLocked(relay)
	c.mu.Unlock()
	c.opened.Store(true)
	c.session.Judged(number)
	c.flush(number)
	c.tellClient() // now, not at the end of a storm: it never ends if a server notifies at every listing
	return true
}

// take makes a snapshot of what the server declares, reports what is not approved to the hub, and replaces the view. A failing listing is
// repeated until the deadline; after that nothing is verified.
func (c *Checker) take(ctx context.Context, deadline time.Time) {
	session := ctx
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for pause := retryFirst; ; pause = min(2*pause, retryMax) {
		shot, err := c.snapshot(ctx)
		if err == nil {
			c.judge(ctx, shot)
			return
		}
		select {
		case <-ctx.Done():
			c.unverified(err, session.Err() == nil)
			return
		case <-time.After(pause):
		}
	}
}

// unverified blocks everything until a check succeeds. A check cut short by the end of the session is no problem to record. The hub is told
// once; the next report tells it that listings can be read again.
func (c *Checker) unverified(err error, problem bool) {
	no := false
	before, after := c.Rebuild(nil, &no)
	c.mu.Lock()
	tell := problem && (before.Verified || c.untold)
	c.reported, c.untold = "", false
	c.againLocked()
	c.mu.Unlock()
	if tell {
		c.session.Unverified(err)
	}
	c.Announce(c.Differs(before, after))
}

// judge compares: afterwards only what the hub has approved of this snapshot is served.
func (c *Checker) judge(ctx context.Context, shot *snapshot) {
	c.compareSightings(shot)
	if !c.schemas.look(shot.items) {
		defer c.lookFurther()
	}
	fingerprint := shot.fingerprint()
	c.mu.Lock()
	told := c.reported == fingerprint
	c.mu.Unlock()
	if !told {
		err := c.session.Report(ctx, control.Report{Protocol: shot.protocol, ServerInfo: shot.serverInfo, Items: shot.items, Findings: shot.findings})
		c.mu.Lock()
		if told = err == nil; told {
			c.reported = fingerprint
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
	before, after := c.Rebuild(shot.observation(), &yes)
	if before.Seen != nil {
		c.Announce(c.Differs(before, after))
	}
}

// tellClient tells the client, after a check has been judged, that listings changed: once, in our own line.
func (c *Checker) tellClient() {
	if !c.session.Ready() {
		return
	}
	c.mu.Lock()
	heard := c.heard
	c.heard = nil
	c.mu.Unlock()
	c.Shown.notice(heard)
	for _, notification := range heard {
		c.session.Tell(notification)
	}
}

// Rebuild replaces the view with the hub's newest state and, if given, with what was seen and whether it could be verified.
func (c *Checker) Rebuild(seen *Observation, verified *bool) (before, after *View) {
	c.viewMu.Lock()
	defer c.viewMu.Unlock()
	before = c.view.Load()
	if seen == nil {
		seen = before.Seen
	}
	ok := before.Verified
	if verified != nil {
		ok = *verified
	}
	c.standing.use(c.session.Rules())
	after = newView(c.session.State(), seen, ok, c.session.Apart(), &c.standing)
	c.names.apply(after)
	c.view.Store(after)
	c.Shown.follow(after)
	return before, after
}

// Differs returns the list_changed notifications that a client needs to see this view.
func (c *Checker) Differs(before, after *View) []string {
	names := after.differs(before)
	tools := Tools.Changed
	if c.session.OwnToolsTurned(after) && !slices.Contains(names, tools) {
		names = append(names, tools)
	}
	return names
}

// Connection is what a Checker needs from its connection.
type Connection interface {
	// State is the hub's last state, with the valid verdict on the launch.
	State() *control.State
	// Report stores what the server declares in the hub. The session fills in who it is.
	Report(ctx context.Context, report control.Report) error
	// Ask asks the server for one page of a listing. The response is a readable message with result or error; unread are definitions cut out
	// to make it readable.
	Ask(ctx context.Context, l *List, cursor string) (answer []byte, unread [][]byte, err error)
	// Read asks the server for the contents of one resource. The response is a readable message with result or error, without the members
	// that only we may write.
	Read(ctx context.Context, uri string) (answer []byte, err error)
	// Skill asks the server for the entry of one skill. The response is like one of Read.
	Skill(ctx context.Context, uri string) (answer []byte, err error)

	// Begun reports whether the server can be asked and somebody waits for a first check.
	Begun() bool
	// Ready reports whether the client can be told that listings changed; Tell does so.
	Ready() bool
	Tell(notification string)
	// Rules are those in addition to the catalogue, nil for none.
	Rules() *inspect.RuleFile
	// Uncallable says why the tool of a definition can't be called on the way to the server, "" if it can; nil if every tool can.
	Uncallable() func(definition []byte) string
	// Apart reports whether the server speaks a protocol version that we don't.
	Apart() bool
	// OwnToolsTurned reports, once, that the client's last listing no longer matches whether our own tools are listed.
	OwnToolsTurned(v *View) bool

	// Judged is called after each check, with its number (Demand), before Deliver is called for responses that waited for it, and Admit for
	// requests.
	Judged(check uint64)
	Deliver(r Request, line []byte)
	Admit(r Request, line []byte)
	// Refuse answers a request whose response cannot wait for a check.
	Refuse(r Request)

	// Events for the timeline and the hub: a failed check, an item with two definitions, what the client has not listed since it was told
	// that listings changed.
	Unverified(err error)
	Equivocated(key string)
	Unseen(unseen control.Unseen)
}

// Request is a client's request whose response may have to wait.
type Request interface {
	ID() []byte   // as the client wrote it
	Need() uint64 // the check that must be judged first, 0 for none
}
