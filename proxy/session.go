package proxy

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Config is what a session stands between, and what it needs beside that.
type Config struct {
	FromClient io.Reader
	ToClient   io.Writer
	FromServer io.Reader
	ToServer   io.WriteCloser

	Gate Gatekeeper
	// Launch knows whether the server may run what it runs; nil where that is not looked at.
	Launch *Launcher
	// Start starts a server that was held back, once it may; FromServer and ToServer are nil then.
	Start func(ctx context.Context) (io.Reader, io.WriteCloser, error)
	// Client is the value of --client, "" where the client's own name from initialize is to be used.
	Client string
	// Session is this wrapper's id in the activity timeline.
	Session string
	// Stray takes each line of the server that is no message, for its log. It must not block and not keep line.
	Stray func(line []byte)
	// GiveWay is told when many calls come at a time, and when they do no longer, and says whether it was done
	// (transport.GiveWay). Nil where nobody gives way.
	GiveWay func(yes bool) bool
	// StateWait is how long the answer to initialize waits for the hub's first word. 0 means five seconds.
	StateWait time.Duration
}

// Ended says how a session came to its end.
type Ended uint8

const (
	ClientGone Ended = iota // end of the client's input, or the client no longer reads
	ServerGone              // end of the server's output
)

// Session is one client, one server and what stands between. New makes it, Run drives it once.
type Session struct {
	cfg    Config
	client *lineWriter
	server *lineWriter

	calls inFlight // requests on their way to the server: the client's and our own
	own   ownListing
	asks  inFlight // requests of the server on their way to the client

	view   atomic.Pointer[view]
	viewMu sync.Mutex // one rebuild of view at a time

	crowd    crowd
	gate     entrance
	checks   *checker
	life     life
	journal  journal
	tasks    taskSet
	watch    inspect.Watch // what the server answers is looked at through it
	rules    ownRules
	aside    *aside
	askTurns chan struct{} // one token for each refused request of the server that the hub is being told of
	releases releases
	shown    *shown
	park     *park // nil where the server was started at once

	cm, sm       frame.Message // scratch of the two reading goroutines
	serving      *request      // what the server's line that is being read answers, nil for nothing of the client
	clientReader *frame.Reader
	serverReader *frame.Reader
}

// New prepares a session; nothing runs yet.
func New(cfg Config) *Session {
	if cfg.StateWait == 0 {
		cfg.StateWait = 5 * time.Second
	}
	if cfg.Stray == nil {
		cfg.Stray = func([]byte) {}
	}
	var held *park
	if cfg.Start != nil {
		held = newPark(cfg.Start)
		cfg.ToServer = held.late
	}
	s := &Session{cfg: cfg, park: held, aside: newAside(), askTurns: make(chan struct{}, askTurns), client: newLineWriter(cfg.ToClient), server: newLineWriter(cfg.ToServer)}
	s.view.Store(newView(s.state(), nil, true, false))
	s.shown = newShown(cfg.Gate.Unseen)
	s.clientReader = frame.NewReader(cfg.FromClient, 0)
	if held == nil {
		s.serverReader = frame.NewReader(cfg.FromServer, 0)
	}
	s.crowd.giveWay = cfg.GiveWay
	s.journal.init(cfg)
	s.useRules(cfg.Gate.State().Rules)
	s.checks = newChecker(s)
	cfg.Gate.Subscribe(s.onState)
	return s
}

// Run relays until the client is gone or the server's output ends. When the client's input ends the server's input is
// closed, and answers that are still on their way are delivered until the server's output ends too; whoever started the
// server bounds that (transport: two seconds, then TERM).
func (s *Session) Run(ctx context.Context) Ended {
	defer s.journal.end()
	defer s.shown.end()
	ctx, cancel := context.WithCancel(ctx)
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		s.checks.run(ctx)
	}()
	// What a check has taken off the shelf is delivered before the rest is answered for.
	defer func() {
		cancel()
		select {
		case <-checked:
		case <-time.After(lastWrites):
		}
	}()

	clientDone := make(chan struct{})
	serverDone := make(chan struct{})
	clientBroken := make(chan struct{})
	go func() {
		defer close(clientDone)
		s.readClient()
		s.gate.settle(ctx, s)
		s.server.flushWithin(lastWrites)
		s.cfg.ToServer.Close()
	}()
	go func() {
		defer close(serverDone)
		if s.park != nil && !s.awaitStart(ctx) {
			return
		}
		err := s.readServer()
		// Nothing that was held is lost because the server, or the client, is gone.
		s.aside.wait()
		if err == errClientGone {
			close(clientBroken)
		}
	}()

	ended := ClientGone
	select {
	case <-clientBroken:
		s.cfg.ToServer.Close()
	case <-ctx.Done():
		s.cfg.ToServer.Close()
	case <-serverDone:
		ended = ServerGone
		select {
		case <-clientDone: // it ended because we closed its input
			ended = ClientGone
		default:
		}
	case <-clientDone:
		select {
		case <-serverDone:
		case <-clientBroken:
		case <-ctx.Done():
		}
	}
	if ended == ClientGone {
		s.leftOver()
	}
	for _, asked := range s.asks.takeAll() {
		s.journal.askEnded(asked, outcome{status: "error", action: askUnanswered})
	}
	return ended
}

// lastWrites is how long a client that ended, or no longer reads, may hold up the end of its session.
const lastWrites = time.Second

// AnswerAll gives every request that is still in flight an error, because the server is gone. what is ours, such as
// "exit status 3".
func (s *Session) AnswerAll(what string) {
	for _, r := range s.gate.takeAll() {
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server exited before it responded: "+what, nil))
		s.journal.answered(r, "error", 0)
	}
	for _, w := range s.own.takeAll() {
		s.client.Enqueue(errorLine(w.r.id, -32000, "[Sallyport] the server exited before it responded: "+what, nil))
	}
	for _, r := range s.checks.takeHeld() {
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server exited before its response could be checked: "+what, nil))
		s.journal.answered(r, "error", 0)
	}
	for _, r := range s.calls.takeAll() {
		if r.own != nil {
			continue
		}
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server exited before it responded: "+what, nil))
		s.journal.answered(r, "error", 0)
	}
	s.client.flushWithin(lastWrites)
}

var errClientGone = errors.New("the client no longer reads")

// readClient reads the client's lines until its input ends.
func (s *Session) readClient() {
	corked := false
	defer s.server.Uncork()
	for {
		s.clientReader.SetMax(s.view.Load().policy.MaxMessage)
		line, err := s.clientReader.Next()
		if err == nil {
			err = s.overLimit(line)
		}
		if err != nil {
			long := tooLong(err)
			if long == nil {
				return
			}
			s.clientTooLong(long)
			s.server.Uncork()
			corked = false
			continue
		}
		more := s.clientReader.More()
		if more && !corked {
			s.server.Cork()
		}
		s.guardedClient(line)
		if !more && corked {
			s.server.Uncork()
		}
		corked = more
	}
}

// readServer reads the server's lines until its output ends, or until the client no longer reads what they become.
func (s *Session) readServer() error {
	corked := false
	defer s.client.Uncork()
	for {
		s.serverReader.SetMax(s.view.Load().policy.MaxMessage)
		line, err := s.serverReader.Next()
		if err == nil {
			err = s.overLimit(line)
		}
		if err != nil {
			long := tooLong(err)
			if long == nil {
				return err
			}
			s.serverTooLong(long)
			s.client.Uncork()
			corked = false
			continue
		}
		more := s.serverReader.More()
		if more && !corked {
			s.client.Cork()
		}
		err = s.guardedServer(line)
		if !more && corked && err == nil {
			err = s.client.Uncork()
		}
		if err != nil {
			return errClientGone
		}
		corked = more
	}
}

const whyTooLong = "it is longer than the limit (setting limits.message)"

// clientTooLong answers a line of the client that was over the limit: a request gets an error, and so does the server's
// request that it would have answered.
func (s *Session) clientTooLong(long *frame.TooLong) {
	if !long.HasMethod && long.ID != nil {
		if asked := s.asks.take(long.ID); asked != nil {
			s.journal.askEnded(asked, outcome{status: "error", action: askUnreadable})
			s.server.Enqueue(errorLine(asked.id, -32603, "[Sallyport] the client's response was blocked: "+whyTooLong, nil))
			return
		}
	}
	s.journal.refusedLine("client", whyTooLong)
	s.client.Enqueue(errorLine(long.ID, -32600, "[Sallyport] the message was blocked: "+whyTooLong, nil))
}

// serverTooLong is the same for the server's side.
func (s *Session) serverTooLong(long *frame.TooLong) {
	if !long.HasMethod {
		s.unreadable(long.ID, nil, whyTooLong)
		s.unansweredBatch(long.Batch, whyTooLong)
		return
	}
	s.journal.refusedLine("server", whyTooLong)
	if long.ID != nil {
		s.server.Enqueue(errorLine(long.ID, -32600, "[Sallyport] the message was blocked: "+whyTooLong, nil))
	}
}

// overLimit is the error for a line that was read while the limit came down.
func (s *Session) overLimit(line []byte) error {
	if most := s.view.Load().policy.MaxMessage; most > 0 && len(line)-1 > most {
		return frame.Oversize(line[:len(line)-1])
	}
	return nil
}

// tooLong is the error of a line over the limit, nil for the end of the source.
func tooLong(err error) *frame.TooLong {
	var long *frame.TooLong
	errors.As(err, &long)
	return long
}

// onState takes a state the hub pushed: what was taken back is blocked at once, what was approved is announced.
func (s *Session) onState(connected bool) {
	s.useRules(s.cfg.Gate.State().Rules) // before what was approved under them is served
	before, after := s.rebuild(nil, nil)
	s.life.stateCame()
	s.park.wake()
	s.checks.announce(s.changed(before, after))
	if after.state.OwnTools != control.OwnToolsLater && s.own.pending() {
		s.aside.run(s.ownChosen)
	}
	if connected {
		s.checks.resync()
	}
}

// state is the hub's last state, with the word on the launch that holds: a hub that came back and has not been told takes
// none back.
func (s *Session) state() *control.State {
	state := s.cfg.Gate.State()
	if s.cfg.Launch == nil {
		return state
	}
	verdict := s.cfg.Launch.verdict(state)
	if state.Launch != nil && state.Launch.Verdict == verdict {
		return state
	}
	with, launch := *state, control.LaunchState{Verdict: verdict}
	with.Launch = &launch
	return &with
}

// rebuild replaces the view: with the hub's newest state, and with what was seen and whether that could be verified where
// these are given.
func (s *Session) rebuild(seen *observation, verified *bool) (before, after *view) {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	before = s.view.Load()
	if seen == nil {
		seen = before.seen
	}
	ok := before.verified
	if verified != nil {
		ok = *verified
	}
	after = newView(s.state(), seen, ok, s.life.apart.Load())
	s.view.Store(after)
	s.shown.follow(after)
	return before, after
}
