package proxy

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Config is what a session connects, and what else it needs.
type Config struct {
	FromClient io.Reader
	ToClient   io.Writer
	FromServer io.Reader
	ToServer   io.WriteCloser
	// Server gives the server's messages in place of FromServer, if it is no stream of lines.
	Server frame.Source

	Gate Gatekeeper
	// Launch decides whether the server's program may run; nil if that is not checked.
	Launch *Launcher
	// Uncallable says why a client of the modern era can't call the tool of a definition on the way to this server, "" if it can. nil: it can call every tool.
	Uncallable func(definition []byte) string
	// Start starts a server that was held back, once it may run; FromServer and ToServer are nil then.
	Start func(ctx context.Context) (io.Reader, io.WriteCloser, error)
	// Client is the value of --client; "" to use the client's own name from initialize.
	Client string
	// Session is this wrapper's id in the activity timeline.
	Session string
	// Stray receives each line of the server that is not a message, for its log. It must neither block nor keep line.
	Stray func(line []byte)
	// Notice receives a sentence for whoever reads our stderr, each once. It must not block.
	Notice func(sentence string)
	// GiveWay is called when many calls come at once, and when that is over; it reports whether it did anything (transport.GiveWay). Nil if
	// nothing yields.
	GiveWay func(yes bool) bool
	// StateWait is how long the response to initialize waits for the hub's first state. 0 means five seconds.
	StateWait time.Duration
}

// Ended says why a session ended.
type Ended uint8

const (
	ClientGone Ended = iota // end of the client's input, or the client no longer reads
	ServerGone              // end of the server's output
)

// Session is one client, one server and everything in between. New makes it, Run drives it once.
type Session struct {
	*exchange
	entrance     *entrance
	quarantine   *quarantine
	interactions *interactions
	asked        *askedCalls
	responses    *responses
	listings     *listings
	skills       *skills
	skillReads   *skillReads
	tools        *ownTools
	tasks        *taskKeeper
	notices      *taskNotices
	handshake    *handshake
	discovery    *discovery
	listens      *listens
	late         late
	park         *park // nil if the server was started at once and can want no sign-in

	ctx          context.Context // of Run
	cm, sm       frame.Message   // reused by the two reading goroutines
	serving      *request        // the request that the server's current line answers, nil for none of the client's
	strangers    *strangers
	clientReader frame.Source
	serverReader frame.Source
}

// New prepares a session; nothing runs yet.
func New(cfg Config) *Session {
	if cfg.StateWait == 0 {
		cfg.StateWait = 5 * time.Second
	}
	if cfg.Stray == nil {
		cfg.Stray = func([]byte) {}
	}
	if cfg.Notice == nil {
		cfg.Notice = func(string) {}
	}
	x := &exchange{cfg: cfg, aside: newAside(), client: newLineWriter(cfg.ToClient), server: newLineWriter(cfg.ToServer)}
	s := &Session{exchange: x, clientReader: frame.NewReader(cfg.FromClient, 0)}
	s.strangers = &strangers{exchange: x}
	s.quarantine = &quarantine{exchange: x, turns: make(chan struct{}, maxHolding)}
	s.interactions = &interactions{exchange: x, turns: make(chan struct{}, askTurns)}
	s.responses = &responses{exchange: x, quarantine: s.quarantine, interactions: s.interactions, guards: newGuards(cfg.Gate), validation: newValidation()}
	x.came = &cameOut{gate: cfg.Gate, client: x.clientName}
	x.order = newDeliveries(x.aside, x.came.tell)
	s.asked = &askedCalls{exchange: x}
	s.tools = &ownTools{exchange: x, quarantine: s.quarantine}
	s.tasks = &taskKeeper{exchange: x}
	s.notices = &taskNotices{exchange: x, responses: s.responses, keeper: s.tasks}
	s.listings = &listings{exchange: x}
	s.skills = &skills{s.listings}
	s.entrance = &entrance{exchange: x, admit: s.admit}
	s.handshake = &handshake{exchange: x, entrance: s.entrance, listings: s.listings, tools: s.tools}
	s.entrance.apart = s.handshake.refuseApart
	s.listens = &listens{exchange: x, entrance: s.entrance}
	s.discovery = newDiscovery(s.handshake, s.listens)
	s.late = late{x}
	switch {
	case cfg.Server != nil:
		s.serverReader = cfg.Server
		s.park = newStandby(s.handshake)
		s.discovery.wantsSignIn = s.parkUnsigned
	case cfg.Start == nil:
		s.serverReader = frame.NewReader(cfg.FromServer, 0)
	default:
		s.park = newPark(s.handshake, cfg.Start)
		x.cfg.ToServer = s.park.late
		x.server = newLineWriter(s.park.late)
	}
	x.checks = declared.NewChecker(checked{s}, OwnToolNames)
	s.skillReads = &skillReads{x.checks}
	x.crowd.giveWay = cfg.GiveWay
	x.life.state = make(chan struct{})
	x.journal.init(cfg)
	x.useRules(cfg.Gate.State().Rules)
	cfg.Gate.Subscribe(s.onState)
	if s.view().State.Revision > 0 {
		x.life.stateCame()
	}
	return s
}

// Run relays until the client is gone or the server's output ends. When the client's input ends, the server's input is closed, and
// responses still on their way are delivered until the server's output ends too; package transport limits that (two seconds, then
// TERM).
func (s *Session) Run(ctx context.Context) Ended {
	defer s.journal.end()
	defer s.listens.end()
	defer s.checks.Shown.End()
	ctx, cancel := context.WithCancel(ctx)
	s.ctx = ctx
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		s.checks.Run(ctx)
	}()
	// Responses that a check has released are delivered before the rest are answered with errors.
	defer func() {
		cancel()
		select {
		case <-checked:
		case <-time.After(lastWrites):
		}
	}()

	clientLeft := make(chan struct{}) // closed before the server's input: a server that exits later exits because of that
	clientDone := make(chan struct{})
	serverDone := make(chan struct{})
	clientBroken := make(chan struct{})
	go func() {
		defer close(clientDone)
		s.readClient()
		s.settle(ctx)
		close(clientLeft)
		s.server.flushWithin(lastWrites)
		s.cfg.ToServer.Close()
	}()
	go func() {
		defer close(serverDone)
		if s.cfg.Start != nil {
			from := s.park.awaitStart(ctx)
			if from == nil {
				return
			}
			s.serverReader = frame.NewReader(from, 0)
		}
		err := s.readServer()
		s.discovery.fallSilent()
		// Held responses are not lost when the server or the client is gone.
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
		if isClosed(clientLeft) { // it ended because we closed its input
			ended = ClientGone
		}
	case <-clientDone:
		select {
		case <-serverDone:
		case <-clientBroken:
		case <-ctx.Done():
		}
	}
	if ended == ClientGone {
		s.handshake.leftOver()
	} else {
		s.discovery.deserted()
	}
	for _, asked := range s.asks.takeAll() {
		s.journal.askEnded(asked, outcome{status: vocab.StatusError, action: askUnanswered})
	}
	s.interactions.unanswered()
	return ended
}

// lastWrites is how long a client that ended, or no longer reads, can delay the end of its session.
const lastWrites = time.Second

// AnswerAll gives every request in flight an error, because the server is gone. what is in our words, such as "exit status 3".
func (s *Session) AnswerAll(what string) {
	unanswered := func(r *request) {
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server exited before it responded: "+what, nil))
		s.journal.answered(r, vocab.StatusError, 0)
	}
	for _, w := range slices.Concat(s.entrance.takeAll(), s.listings.own.takeAll()) {
		unanswered(w.r)
	}
	for _, r := range s.listens.takeAll() {
		unanswered(r)
	}
	for _, waited := range s.checks.TakeHeld() {
		r := waited.(*request)
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server exited before its response could be checked: "+what, nil))
		s.journal.answered(r, vocab.StatusError, 0)
	}
	for _, r := range s.calls.takeAll() {
		if r.own == nil {
			unanswered(r)
		}
	}
	s.client.flushWithin(lastWrites)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

var errClientGone = errors.New("the client no longer reads")

// readClient reads the client's lines until its input ends.
func (s *Session) readClient() {
	_ = s.readLines(s.clientReader, s.server, func(err error) bool {
		long, ok := errors.AsType[*frame.TooLong](err)
		if ok {
			s.clientTooLong(long)
		}
		return ok
	}, func(line []byte, last bool) error {
		s.guardedClient(line)
		if last {
			s.server.Uncork()
		}
		return nil
	})
}

// readServer reads the server's lines until its output ends, or the client no longer reads.
func (s *Session) readServer() error {
	return s.readLines(s.serverReader, s.client, s.serverKept, func(line []byte, last bool) error {
		err := s.guardedServer(line)
		if last && err == nil {
			err = s.client.Uncork()
		}
		if err != nil {
			return errClientGone
		}
		return nil
	})
}

// readLines calls take for each line until take fails or the input ends. The output for lines that arrived together is written together;
// last marks the final one. kept handles an error after which there are more lines, and reports whether it is one.
func (s *Session) readLines(from frame.Source, to *lineWriter, kept func(error) bool, take func(line []byte, last bool) error) error {
	corked := false
	defer to.Uncork()
	for {
		from.SetMax(s.view().Policy.MaxMessage)
		line, err := from.Next()
		if most := s.view().Policy.MaxMessage; err == nil && most > 0 && len(line)-1 > most { // the limit was lowered meanwhile
			err = frame.Oversize(line[:len(line)-1])
		}
		if err != nil {
			if !kept(err) {
				return err
			}
			to.Uncork()
			corked = false
			continue
		}
		more := from.More()
		if more && !corked {
			to.Cork()
		}
		if err := take(line, corked && !more); err != nil {
			return err
		}
		corked = more
	}
}

const whyTooLong = "it is longer than the limit (setting limits.message)"

// clientTooLong answers a line of the client over the limit: a request gets an error, and so does the server's request that it would have
// answered.
func (s *Session) clientTooLong(long *frame.TooLong) {
	if !long.HasMethod && long.ID != nil {
		if asked := s.asks.take(long.ID); asked != nil {
			s.journal.askEnded(asked, outcome{status: vocab.StatusError, action: askUnreadable})
			s.server.Enqueue(errorLine(asked.id, -32603, "[Sallyport] the client's response was blocked: "+whyTooLong, nil))
			return
		}
	}
	s.journal.refusedLine(s.messageLimit(), "client", whyTooLong)
	if !s.refusesBatch(long.Batch, -32600, whyTooLong) {
		s.client.Enqueue(errorLine(long.ID, -32600, "[Sallyport] the message was blocked: "+whyTooLong, nil))
	}
}

// serverKept handles an error of the server's source that is not its end.
func (s *Session) serverKept(err error) bool {
	if long, ok := errors.AsType[*frame.TooLong](err); ok {
		s.serverTooLong(long)
		return true
	}
	lost, ok := errors.AsType[*frame.Undelivered](err)
	if ok {
		s.undelivered(lost)
	}
	return ok
}

// serverTooLong is the same for the server's side.
func (s *Session) serverTooLong(long *frame.TooLong) {
	if !long.HasMethod {
		s.unreadable(s.messageLimit(), long.ID, nil, whyTooLong)
		s.unansweredBatch(long.Batch, whyTooLong)
		return
	}
	s.journal.refusedLine(s.messageLimit(), "server", whyTooLong)
	if long.ID != nil {
		s.server.Enqueue(errorLine(long.ID, -32600, "[Sallyport] the message was blocked: "+whyTooLong, nil))
	}
}

// onState applies a state that the hub pushed: what was revoked is blocked at once, what was approved is announced.
func (s *Session) onState(connected bool) {
	s.useRules(s.cfg.Gate.State().Rules) // first, because approved items are served under them
	before, after := s.checks.Rebuild(nil, nil)
	if after.State.Revision > 0 {
		s.life.stateCame()
	}
	s.park.wake()
	if before.State.SignIn.Wanted && !after.State.SignIn.Wanted && (s.life.answered.Load() || s.life.discovered.Load()) {
		s.checks.Demand(true) // another account may be offered something else
	}
	s.checks.Announce(s.checks.Differs(before, after))
	s.checks.Turned(before, after)
	if after.State.OwnTools != control.OwnToolsLater && s.listings.own.pending() {
		s.aside.run(s.listings.ownChosen)
	}
	if connected {
		s.checks.Resync()
	}
}

// settleLimit is how long requests that were read before the client closed its end may take to reach the server.
const settleLimit = 2 * time.Second

// settle waits, after the end of the client's input, until its requests have been forwarded or refused: a client that writes its requests
// and closes at once is served as without us.
func (s *Session) settle(ctx context.Context) {
	deadline, poll := time.After(settleLimit), time.Tick(2*time.Millisecond)
	for s.entrance.pending() || s.discovery.pending() || s.listings.own.pending() || s.tasks.seeking.Load() > 0 || s.asked.asking.Load() > 0 || s.checks.Running() || s.life.asked.Load() && !s.life.answered.Load() && !s.park.holds() {
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			return
		case <-poll:
		}
	}
}

// StartError is why a server that was held back could not be started once allowed.
func (s *Session) StartError() error {
	if s.park == nil {
		return nil
	}
	return s.park.err
}

// Judged reports whether a request with this id, as the client wrote it, may be sent in the current session of a remote server: it was judged since
// the session was last told that there is a new one.
func (s *Session) Judged(id []byte) bool { return s.entrance.passed(s.calls.peek(id)) }

// Tool is the definition of a tool that may be called now, by the server's name of it, with its digest; nil for any other.
func (s *Session) Tool(name string) (digest string, definition []byte) {
	d, raw := s.view().Definition(pin.Key(pin.Tool, name))
	return string(d), raw
}
