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

// LinkOptions make a Link.
type LinkOptions struct {
	Home     Home
	Register Register
	Role     Role // RoleWrapper when empty
	Version  string
	// Executables are further files that may be the hub, see DialOptions.
	Executables []string
	// Exe is the program that becomes the hub where none runs; "" starts none.
	Exe string
	// Started hears of the pid of a hub that this process started, before that hub does anything: whoever ends our
	// descendants has to spare it. May be nil.
	Started func(pid int)
	Log     *slog.Logger // nil: nowhere

	maxSpool int64         // maxSpool when 0
	slowAck  time.Duration // slowAck when 0
}

// Link is a wrapper's tie to the hub, and what proxy.Gatekeeper asks for. It connects in the background, comes back when the
// hub went away, and holds nobody up: State, Record and Stderr never wait for a hub or a disk.
//
// While the hub is away, State stays what was pushed last. Another program at the hub's place counts as a hub that is away.
type Link struct {
	options LinkOptions
	log     *slog.Logger
	outbox  *outbox
	stderr  *stderrBox
	unseen  unseenBox
	holding holding
	strange tally
	stop    context.CancelFunc
	over    chan struct{} // the connecting goroutine has ended

	registering *Register // what the connecting goroutine says of this wrapper

	state atomic.Pointer[State]
	first chan struct{} // closed with the first state

	tried     chan struct{} // closed once the first connection stands, or did not come about
	triedOnce sync.Once
	hubPID    atomic.Int64

	mu       sync.Mutex
	client   *Client // registered; nil while the hub is away
	conn     *Client // the connection whose states count: client, or the one that registers now
	why      error   // why it is away
	from     *Client // whose state it is
	has      bool    // a state has come
	told     []func(connected bool)
	changed  bool // subscribers are to be told that State changed
	returned bool // and that the hub is back
	notify   chan struct{}
}

const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// NewLink begins to connect and returns at once. End it with Close.
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
	kept := options.Register // on a disk
	kept.Secrets, kept.Surroundings = nil, nil
	ctx, stop := context.WithCancel(ctx)
	l := &Link{
		options: options,
		log:     log,
		stderr:  newStderrBox(),
		stop:    stop,
		over:    make(chan struct{}),
		first:   make(chan struct{}),
		tried:   make(chan struct{}),
		why:     ErrNoHub,
		notify:  make(chan struct{}, 1),
	}
	l.outbox = newOutbox(options.Home.Spool, kept, func() *SpoolKey { return l.state.Load().Spool }, options.maxSpool, log)
	l.holding.spool = heldSpool{dir: options.Home.Spool, register: kept}
	if options.slowAck > 0 {
		l.outbox.slow = options.slowAck
	}
	// The refusals of a wrapper that found no hub name the server as the client's configuration does.
	nothing := whole(State{Name: legible.Name(options.Register.Server.Name, "")})
	l.state.Store(&nothing)
	go l.outbox.run()
	go l.tell(ctx)
	go func() {
		defer close(l.over)
		l.connect(ctx)
	}()
	return l
}

// State is the last state that the hub pushed; before the first one, nothing is approved.
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

// Connected says whether the hub is there now.
func (l *Link) Connected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client != nil
}

// HubPID is the hub that this process started last, 0 if it started none.
func (l *Link) HubPID() int { return int(l.hubPID.Load()) }

// Subscribe has f called after State changed, one call at a time; connected says that a hub is there that was not, the first
// one included, and must be told what the server declares.
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

// tell is the goroutine in which subscribers are called. Changes that come while one is at it are told once.
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

// Attention asks what waits for client, and has it on top of the inbox.
func (l *Link) Attention(ctx context.Context, client string) (Waiting, error) {
	return asked(ctx, l, AskAttention, Attention{Client: client})
}

// asked is what the hub answers. It fails at once while the hub is away.
func asked[Takes, Answer any](ctx context.Context, l *Link, ask asking[Takes, Answer], takes Takes) (answer Answer, err error) {
	c, err := l.hub()
	if err != nil {
		return answer, err
	}
	answer, err = ask(ctx, c, takes)
	return answer, l.explain(err)
}

// Record takes one activity record, in nanoseconds. One without an ID or time gets them.
func (l *Link) Record(r Record) {
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	l.outbox.add(r)
}

// Stderr takes a piece of the server's stderr. The newest pieces wait for a hub that is away, older ones go.
func (l *Link) Stderr(chunk []byte) { l.stderr.add(chunk) }

// Close delivers what is left, or writes it to the spool where that takes longer than ctx lasts, and ends the link. The error says how much neither came to.
func (l *Link) Close(ctx context.Context) error {
	// A server that dies at once is over before the first connection stands, and what it said is what explains its end.
	if l.stderr.waits() {
		select {
		case <-l.tried:
		case <-ctx.Done():
		}
	}
	l.stderr.flush(ctx)
	left := l.outbox.end(ctx)
	l.stop()
	<-l.over
	l.holding.mu.Lock()
	defer l.holding.mu.Unlock()
	l.holding.spool.close() // a hub finds what is left
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

// speaking is hub for a wrapper that begins: a first State may come before the answer to the registration does, and no start
// waits for the second of them.
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

// connect keeps a connection, for as long as ctx lasts.
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
		// After a hub went, too: one that takes its place is there before this is over, and none need be started.
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
		return nil, fmt.Errorf("%w: %s was removed", ErrNoHub, l.options.Home.Dir) // who removed it does not want it back
	}
	c, _, err = ensureHub(ctx, l.options.Home, l.options.Exe, options, func(pid int) {
		l.hubPID.Store(int64(pid))
		if l.options.Started != nil {
			l.options.Started(pid)
		}
	})
	return c, err
}

// serve is the life of one connection; the error says why it ended.
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
	l.install(c, state, true)
	l.outbox.connected(c)
	l.stderr.connected(c)
	l.unseen.connected(c)
	l.triedOnce.Do(func() { close(l.tried) })
	<-c.Done()
	l.outbox.connected(nil)
	l.stderr.connected(nil)
	l.unseen.connected(nil)
	l.foreign(c.why())
	return c.why()
}

// install takes a state over, unless a newer one of the same connection came first: an answer and a push may overtake each
// other. Another connection may be to another hub, whose numbers begin anew.
func (l *Link) install(c *Client, state State, returned bool) { // returned: registered just now
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
