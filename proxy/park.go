package proxy

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// park is a session whose server may not be started yet: initialize is answered by us, calls are refused. Once the launch
// is allowed the server is started, hears what the client had said, and the client is told that everything changed.
type park struct {
	start func(context.Context) (io.Reader, io.WriteCloser, error)
	kick  chan struct{}
	late  *lateWriter
	err   error // why it could not be started

	mu         sync.Mutex
	parked     bool
	initialize []byte // the client's, to be said to the server
}

func newPark(start func(context.Context) (io.Reader, io.WriteCloser, error)) *park {
	return &park{start: start, kick: make(chan struct{}, 1), late: newLateWriter(), parked: true}
}

func (p *park) wake() {
	if p == nil {
		return
	}
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// holds says whether the server is not there yet.
func (p *park) holds() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked
}

// parkedRequest answers a request for a server that is not there. It says whether it did.
func (s *Session) parkedRequest(r *request, line []byte, m *frame.Message) bool {
	if s.park == nil {
		return false
	}
	s.park.mu.Lock()
	defer s.park.mu.Unlock()
	if !s.park.parked {
		return false
	}
	switch r.method {
	case methodInitialize:
		s.rememberClient(line, m, r.id)
		s.rememberVersion(line, m)
		s.life.asked.Store(true)
		s.park.initialize = slices.Clone(line)
		s.client.Enqueue(resultLine(r.id, s.parkedInitialize(line, m)))
		return true
	case methodPlain:
		s.client.Enqueue(resultLine(r.id, []byte("{}")))
		return true
	}
	if !s.life.asked.Load() {
		return false // refused like any other that comes too early
	}
	s.subjectOf(r, line, m)
	v := s.view.Load()
	switch {
	case r.method == methodCall && isOwnTool(r.name):
		s.callOwn(r, line)
	case r.method.listing():
		s.client.Enqueue(s.emptyListing(v, r))
	case v.launch == control.LaunchHold || v.state.Revision == 0 || v.state.Blocked:
		s.refuse(r, v.shut())
	default: // it is being started
		s.gate.hold(s, r, line)
	}
	return true
}

// parkedInitialized keeps the client's notifications/initialized for a server that is not there yet.
func (s *Session) parkedInitialized() bool {
	if s.park == nil {
		return false
	}
	s.park.mu.Lock()
	defer s.park.mu.Unlock()
	if s.park.parked {
		s.life.initialized.Store(true)
	}
	return s.park.parked
}

// parkedInitialize is our own answer. All listings are announced: which of them the server has is not known yet.
func (s *Session) parkedInitialize(line []byte, m *frame.Message) []byte {
	protocol := control.Spoken[len(control.Spoken)-1] // what a client is answered that asks for none of them
	if span, ok := frame.Find(line, m.Params, "protocolVersion"); ok {
		if asked, _ := frame.String(line, span); slices.Contains(control.Spoken, asked) {
			protocol = asked
		}
	}
	result := append([]byte(`{"protocolVersion":"`), protocol...)
	result = append(result, `","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}},"serverInfo":{"name":`...)
	result = frame.AppendString(result, legible.SpokenServer(s.view.Load().state.Name, "a server"))
	return append(result, `,"version":"not started"}}`...)
}

// awaitStart waits until the server may be started, and starts it. false: the session ended first, or it could not be.
func (s *Session) awaitStart(ctx context.Context) bool {
	for s.view.Load().launch == control.LaunchHold {
		select {
		case <-s.park.kick:
		case <-s.park.late.closed:
			return false
		case <-ctx.Done():
			return false
		}
	}
	from, to, err := s.park.start(ctx)
	if err != nil {
		s.park.err = err
		return false
	}
	s.serverReader = frame.NewReader(from, 0)
	s.park.late.set(to)
	go s.introduce(ctx)
	return true
}

// introduce says to a server that was started late what the client said at the beginning.
func (s *Session) introduce(ctx context.Context) {
	p := s.park
	p.mu.Lock()
	line := p.initialize
	if line == nil {
		p.parked = false
	}
	p.mu.Unlock()
	if line == nil {
		return // the client's own is still to come
	}
	var m frame.Message
	answered := false
	if frame.Scan(line, frame.FromClient, &m) == nil {
		r := &request{id: s.checks.ownID(), method: methodInitialize, own: make(chan []byte, 1)}
		s.calls.add(r)
		s.server.Enqueue(frame.Splice(nil, line, []frame.Edit{{Start: m.ID.Start, End: m.ID.End, With: r.id}}))
		select {
		case answer := <-r.own:
			whole := answer
			answer = cutOurs(whole)
			findings := s.foundInInitialize(whole, len(answer) != len(whole))
			if result, ok := frame.Find(answer, frame.Root(answer), "result"); ok && frame.Type(answer, result) == '{' {
				s.rememberServer(answer, result, findings)
				s.apartAt(answer, result)
				answered = true
			} else if failure, ok := frame.Find(answer, frame.Root(answer), "error"); ok {
				if offered, about := versionsNamed(answer, failure); about {
					s.noCommonVersion(offered)
				}
			}
		case <-ctx.Done():
		}
	}
	if answered {
		s.cfg.Launch.Answered()
		s.life.answered.Store(true)
		s.checks.mu.Lock()
		for _, m := range listMethods { // whatever it is, it is not what the client was shown
			if changed := lists[m].changed; !slices.Contains(s.checks.relay, changed) {
				s.checks.relay = append(s.checks.relay, changed)
			}
		}
		s.checks.mu.Unlock()
	}
	p.mu.Lock()
	p.parked = false
	initialized := s.life.initialized.Load()
	p.mu.Unlock()
	switch {
	case !answered:
		s.notInitialized()
		return
	case s.life.apart.Load():
		s.gate.turnAway(s)
		return
	}
	if initialized {
		s.server.Enqueue([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	}
	s.checks.begin()
}

// StartError is why a server that was held back could not be started once it was allowed.
func (s *Session) StartError() error {
	if s.park == nil {
		return nil
	}
	return s.park.err
}

// lateWriter is the input of a server that is not there yet. Writes wait for it.
type lateWriter struct {
	ready  chan struct{}
	closed chan struct{}
	once   sync.Once
	mu     sync.Mutex
	to     io.WriteCloser
}

func newLateWriter() *lateWriter {
	return &lateWriter{ready: make(chan struct{}), closed: make(chan struct{})}
}

func (w *lateWriter) set(to io.WriteCloser) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
	close(w.ready)
	select {
	case <-w.closed:
		to.Close()
	default:
	}
}

func (w *lateWriter) Write(b []byte) (int, error) {
	select {
	case <-w.ready:
		return w.to.Write(b)
	case <-w.closed:
		return 0, io.ErrClosedPipe
	}
}

func (w *lateWriter) Close() error {
	w.once.Do(func() { close(w.closed) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		return w.to.Close()
	}
	return nil
}
