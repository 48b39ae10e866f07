package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/peer"
)

// LinkOptions are the options of NewLink.
type LinkOptions struct {
	Home     Home
	Register Register
	Role     Role // RoleWrapper when empty
	Version  string
	// Executables are further files that count as the hub, see DialOptions.
	Executables []string
	// Exe is the program to start as the hub if none runs; "" starts none.
	Exe string
	// Started gets the pid of a hub that this process started, before that hub does anything, so that it is spared when our
	// descendants are killed. May be nil.
	Started func(pid int)
	Log     *slog.Logger // nil for no log

	maxSpool int64         // maxSpool when 0
	slowAck  time.Duration // slowAck when 0
}

// Link is a wrapper's connection to the hub and implements proxy.Gatekeeper. It connects in the background and reconnects when the hub
// went away. State, Record and Stderr never wait for a hub or a disk.
//
// While the hub is away, State stays as last pushed. A foreign program in the hub's place counts as a hub that is away.
type Link struct {
	options LinkOptions
	log     *slog.Logger
	outbox  *outbox
	values  *valuesLog
	stderr  *stderrBox
	unseen  newest[Unseen]
	eras    newest[Eras]

	shortened newest[Shortened]
	holding   holding
	tasking   tasking
	strange   tally
	stop      context.CancelFunc
	over      chan struct{} // closed when the connecting goroutine has ended

	registering *Register // sent by the connecting goroutine

	state atomic.Pointer[State]
	first chan struct{} // closed with the first state

	tried     chan struct{} // closed once the first connection is up or has failed
	triedOnce sync.Once
	hubPID    atomic.Int64

	mu       sync.Mutex
	client   *Client // registered; nil while the hub is away
	conn     *Client // the connection whose states count: client, or one that is registering
	why      error   // why it is away
	from     *Client // the connection that state came from
	has      bool    // a state has come
	told     []func(connected bool)
	changed  bool // subscribers must hear that State changed
	returned bool // and that the hub is back
	notify   chan struct{}
}

const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// NewLink starts connecting and returns at once. End it with Close.
func NewLink(ctx context.Context, options LinkOptions) *Link {
	if options.Role == "" {
		options.Role = RoleWrapper
	}
	if options.maxSpool == 0 {
		options.maxSpool = maxSpool
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	options.Register.PID, options.Register.Parent = os.Getpid(), parentOf()
	kept := options.Register // what may be written to disk
	kept.Secrets, kept.Surroundings = nil, nil
	ctx, stop := context.WithCancel(ctx)
	l := &Link{
		options: options,
		log:     log,
		stderr:  newStderrBox(),
		values:  newValuesLog(),
		unseen:  newest[Unseen]{ask: askUnseen, empty: func(u Unseen) bool { return u.Items == 0 }},
		eras:    newest[Eras]{ask: askEras, empty: func(e Eras) bool { return e.Unknown() }},

		shortened: newest[Shortened]{ask: askShortened, empty: func(s Shortened) bool { return len(s.Members) == 0 }},
		stop:      stop,
		over:      make(chan struct{}),
		first:     make(chan struct{}),
		tried:     make(chan struct{}),
		why:       ErrNoHub,
		notify:    make(chan struct{}, 1),
	}
	l.outbox = newOutbox(options.Home.Spool, kept, func() *SpoolKey { return l.state.Load().Spool }, options.maxSpool, log)
	l.holding.spool = heldSpool{dir: options.Home.Spool, register: kept}
	l.tasking.spool = taskSpool{dir: options.Home.Spool, register: kept}
	l.tasking.wake = make(chan struct{}, 1)
	if options.slowAck > 0 {
		l.outbox.slow = options.slowAck
	}
	// Without a hub, refusals name the server as the client's configuration does.
	nothing := whole(State{Name: legible.Name(options.Register.Server.Name, "")})
	l.state.Store(&nothing)
	go func() {
		defer close(l.over)
		l.connect(ctx)
	}()
	go l.outbox.run()
	go l.tell(ctx)
	return l
}

// State returns the last state the hub pushed; before the first one, nothing is approved.
func (l *Link) State() *State { return l.state.Load() }

// WaitState waits for the first state, at most as long as ctx lasts.
func (l *Link) WaitState(ctx context.Context) error {
	select {
	case <-l.first:
		return nil
	case <-ctx.Done():
		return l.away(ctx.Err())
	}
}

// Connected reports whether the hub is there now.
func (l *Link) Connected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client != nil
}

// HubPID is the pid of the hub that this process started last, 0 if it started none.
func (l *Link) HubPID() int { return int(l.hubPID.Load()) }

// Subscribe calls f after each change of State, one call at a time. connected means that a hub has just connected, also for the first
// time, and must hear what the server declares.
func (l *Link) Subscribe(f func(connected bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, f)
	if l.client != nil { // it came before f
		l.changed, l.returned = true, true
		l.poke()
	}
}

func (l *Link) poke() {
	select {
	case l.notify <- struct{}{}:
	default:
	}
}

// tell is the goroutine that calls subscribers. Changes during a call are reported together afterwards.
func (l *Link) tell(ctx context.Context) {
	for {
		select {
		case <-l.notify:
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		changed, returned, told := l.changed, l.returned, l.told
		l.changed, l.returned = false, false
		l.mu.Unlock()
		if !changed {
			continue
		}
		for _, f := range told {
			f(returned)
		}
	}
}

// Report tells the hub what the server declares. It fails at once while the hub is away.
func (l *Link) Report(ctx context.Context, report Report) (*State, error) {
	c, err := l.hub()
	if err != nil {
		return nil, err
	}
	state, err := askReport(ctx, c, report)
	return l.took(c, state, err)
}

// Launch tells the hub what the server's command runs. It fails at once while the hub is away.
func (l *Link) Launch(ctx context.Context, report LaunchReport) (*State, error) {
	c, err := l.speaking()
	if err != nil {
		return nil, err
	}
	state, err := askLaunch(ctx, c, report)
	return l.took(c, state, err)
}

// took installs the state that a report was answered with.
func (l *Link) took(c *Client, state State, err error) (*State, error) {
	if err != nil {
		return nil, l.explain(err)
	}
	l.install(c, state, false)
	return &state, nil
}

// Attention asks what is pending for client, and moves it to the top of the inbox.
func (l *Link) Attention(ctx context.Context, client string) (Waiting, error) {
	return asked(ctx, l, AskAttention, Attention{Client: client})
}

// asked returns the hub's answer. It fails at once while the hub is away.
func asked[Takes, Answer any](ctx context.Context, l *Link, ask asking[Takes, Answer], takes Takes) (answer Answer, err error) {
	c, err := l.hub()
	if err != nil {
		return answer, err
	}
	answer, err = ask(ctx, c, takes)
	return answer, l.explain(err)
}

// Record takes one activity record, in nanoseconds. If it has no time or ID, it gets them.
func (l *Link) Record(r Record) {
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	l.outbox.add(r)
}

// Stderr takes a piece of the server's stderr. While the hub is away, the newest pieces wait and older ones are dropped.
func (l *Link) Stderr(chunk []byte) { l.stderr.add(chunk) }

// Close delivers what is left, or spools it if that takes longer than ctx lasts, and ends the link. The error says how much was lost.
func (l *Link) Close(ctx context.Context) error {
	// A server that dies at once is gone before the first connection is up, and its stderr explains why. What it died of may be the
	// question which eras it speaks.
	if l.stderr.waits() || l.eras.waits() {
		select {
		case <-l.tried:
		case <-ctx.Done():
		}
	}
	l.stderr.flush(ctx)
	l.eras.flush(ctx)
	l.shortened.flush(ctx)
	left := l.outbox.end(ctx)
	l.stop()
	<-l.over
	l.holding.mu.Lock()
	defer l.holding.mu.Unlock()
	l.holding.spool.close() // a hub finds what is left
	l.tasking.mu.Lock()
	defer l.tasking.mu.Unlock()
	l.tasking.spool.close()
	if left > 0 {
		return fmt.Errorf("%d records of what was done here are lost: neither the hub nor the disk took them", left)
	}
	return nil
}

func (l *Link) hub() (*Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		return nil, fmt.Errorf("the hub is away: %w", l.why)
	}
	return l.client, nil
}

// speaking is hub for a wrapper that is starting. The first State may arrive before the answer to the registration, and the start
// waits only for the State.
func (l *Link) speaking() (*Client, error) {
	l.mu.Lock()
	if c := l.conn; c != nil && l.from == c {
		l.mu.Unlock()
		return c, nil
	}
	l.mu.Unlock()
	return l.hub()
}

func (l *Link) away(err error) error {
	if _, why := l.hub(); why != nil {
		return why
	}
	return err
}

func (l *Link) explain(err error) error {
	if errors.Is(err, ErrClosed) || errors.Is(err, peer.ErrForeign) {
		return fmt.Errorf("the hub is away: %w", err)
	}
	return err
}

// connect keeps a connection until ctx ends.
func (l *Link) connect(ctx context.Context) {
	backoff := minBackoff
	for began := false; ctx.Err() == nil; began = true {
		l.registering = l.registration()
		c, err := l.dial(ctx, began)
		if err == nil {
			since := time.Now()
			if err = l.serve(ctx, c); time.Since(since) > maxBackoff {
				backoff = minBackoff
			}
		}
		l.mu.Lock()
		l.why = err
		if strange := errors.Is(err, peer.ErrForeign) || errors.Is(err, ErrProtocol); !l.has && strange != l.state.Load().Strange {
			state := *l.state.Load()
			state.Strange = strange
			l.state.Store(&state)
			l.changed = true
			l.poke()
		}
		l.mu.Unlock()
		l.triedOnce.Do(func() { close(l.tried) })
		// Pause even after a hub left: its successor may appear meanwhile, and none has to be started.
		select {
		case <-time.After(backoff):
		case <-ctx.Done():
		}
		backoff = min(backoff*2, maxBackoff)
	}
}

func (l *Link) dial(ctx context.Context, again bool) (*Client, error) {
	options := DialOptions{Role: l.options.Role, Version: l.options.Version, Executables: l.options.Executables, Register: l.registering}
	c, err := DialWith(ctx, l.options.Home, options)
	l.foreign(err)
	if l.options.Exe == "" || !l.options.Home.vacant(err) {
		return c, err
	}
	if _, err := os.Lstat(l.options.Home.Dir); again && errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s was removed", ErrNoHub, l.options.Home.Dir) // removed on purpose: don't create it again
	}
	c, _, err = ensureHub(ctx, l.options.Home, l.options.Exe, options, func(pid int) {
		l.hubPID.Store(int64(pid))
		if l.options.Started != nil {
			l.options.Started(pid)
		}
	})
	return c, err
}

// serve runs one connection; the error says why it ended.
func (l *Link) serve(ctx context.Context, c *Client) error {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	l.mu.Lock()
	l.conn = c
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.client, l.conn = nil, nil
		l.mu.Unlock()
	}()
	state, err := c.Register(ctx, *l.registering, func(s State) { l.install(c, s, false) })
	if err != nil {
		l.log.Warn("register", "error", err)
		l.foreign(err)
		return fmt.Errorf("register: %w", err)
	}
	l.values.restart()
	if err := l.values.flush(ctx, c, l.values.all()); err != nil { // before any question
		return fmt.Errorf("register: %w", err)
	}
	l.install(c, state, true)
	go l.values.flush(ctx, c, l.values.all()) // what came since
	l.outbox.connected(c)
	l.stderr.connected(c)
	l.unseen.connected(c)
	l.eras.connected(c)
	l.shortened.connected(c)
	l.tasking.connected()
	l.triedOnce.Do(func() { close(l.tried) })
	<-c.Done()
	l.outbox.connected(nil)
	l.stderr.connected(nil)
	l.unseen.connected(nil)
	l.eras.connected(nil)
	l.shortened.connected(nil)
	l.foreign(c.why())
	return c.why()
}

// install adopts a state unless a newer one from the same connection came first: an answer and a push may overtake each
// other. Another connection may lead to another hub, whose revisions start over.
func (l *Link) install(c *Client, state State, returned bool) { // returned: just registered
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		return
	}
	if held := l.state.Load(); l.from != c || state.Revision >= held.Revision {
		l.state.Store(&state)
		l.from = c
		l.changed = true
	}
	if !l.has {
		l.has = true
		close(l.first)
	}
	if returned {
		l.client, l.why = c, nil
		l.changed, l.returned = true, true
	}
	l.poke()
}
