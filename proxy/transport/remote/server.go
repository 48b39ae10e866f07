package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// Kind is how a server is spoken to.
type Kind string

const (
	Auto       Kind = "auto" // streamable HTTP, unless the server only knows the older transport
	Streamable Kind = "http"
	Events     Kind = "sse" // HTTP with SSE (2024-11-05)
)

// Options say which server, and how it is spoken to.
type Options struct {
	Address   *url.URL // from address.Parse
	Kind      Kind
	Headers   http.Header          // sent along, to the origin of the address alone
	Plaintext func() bool          // http may go to other computers (setting remote.plaintext)
	Idle      func() time.Duration // how long a request may go without a byte from the server (setting remote.idle)
	// Reaches judges the class of each address that the name of the server leads to, before anything is sent there; nil allows all that may be
	// reached at all. proxy is host and port of the proxy of the class proxied, without what it is signed in to with. An error is a *address.Refusal.
	Reaches func(host string, class address.Class, proxy string) error
	// Away is told why a request got no response of the server's (no connection, no TLS, 5xx, 429, or not a byte in time while nothing else came
	// either), and "" if it got one. It must not block. It may be nil.
	Away func(why string)
	// Speaks judges the way that the server is spoken to, once Auto has found it and before anything else is sent or given; nil allows both.
	Speaks func(kind Kind) error
	// Tool gives the definition of a tool that may be called, and its digest, nil for any other. It may be nil.
	Tool func(name string) (digest string, definition []byte)
	// Judged reports whether the request with this id was judged since its writer learned of the current session. nil: all that are written after it are.
	Judged func(id []byte) bool
	SignIn SignIn // for servers that want one; nil: a token can only be a header
	// Stray receives what the server sends that is no message, for its log. It must neither block nor keep the text. It may be nil.
	Stray func(text []byte)
}

// Limits of one server.
const (
	maxRunning = 256              // requests in flight
	startLimit = 30 * time.Second // for the response to initialize
	readBuffer = 32 << 10         // of a connection: most responses are read at once
	lastCalls  = 2 * time.Second  // for responses after the client has ended, and for the server to take that it did
)

// Server is a server at an address. Lines written to it are the client's; Next gives the server's.
type Server struct {
	*inbox
	o      Options
	http   *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	queue  chan written
	part   []byte // of a line that is not whole

	heard  atomic.Uint64 // grows with what comes from the server
	silent atomic.Bool   // Away was told that nothing does

	mu      sync.Mutex
	kind    Kind
	now     session
	next    string              // the id of a session that is being begun
	running map[string]*message // requests in flight, by the key of their id
	renewed map[string]bool     // requests that came back because the session was forgotten, or the tool's headers are other ones
	tools   map[string]toolParams
	closed  bool

	renewing   sync.Mutex         // one new session at a time
	opening    sync.Mutex         // one stream of the older transport
	stopListen context.CancelFunc // ends the stream of what no request asked for
	stream     *stream            // of the older transport
	signedIn   chan struct{}      // closed once there is a new token
}

// written is a line of the client's, with the session that its writer knew of; -1 if there is a newer one.
type written struct {
	line       []byte
	generation int
}

// session is what the server knows this client by, in the legacy era.
type session struct {
	id          string // Mcp-Session-Id; "" if it gave none
	version     string // that was negotiated; "" before
	generation  int
	initialize  []byte
	initialized []byte
	restore     []*message // what a new session must be told: the level of its log, what was subscribed to
}

// Open prepares a server; nothing is connected to before the first message.
func Open(o Options) *Server {
	if o.Stray == nil {
		o.Stray = func([]byte) {}
	}
	d := newDialer(o.Address, o.Plaintext, o.Reaches)
	s := &Server{
		inbox: newInbox(), o: o, signedIn: make(chan struct{}), queue: make(chan written, 64), running: map[string]*message{}, renewed: map[string]bool{}, tools: map[string]toolParams{},
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: d.connect, Proxy: d.proxy, TLSHandshakeTimeout: address.ConnectLimit, MaxResponseHeaderBytes: address.MaxHeaders,
				DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
				ReadBufferSize: readBuffer,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if o.Kind != Auto {
		s.kind = o.Kind
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.dispatch()
	return s
}

var errClosed = errors.New("the session has ended")

// Write takes lines of the client.
func (s *Server) Write(b []byte) (int, error) {
	n := len(b)
	for {
		at := bytes.IndexByte(b, '\n')
		if at < 0 {
			s.part = append(s.part, b...)
			return n, nil
		}
		line := append(s.part, b[:at]...)
		s.part, b = nil, b[at+1:]
		select {
		case s.queue <- written{line, s.generation()}:
		case <-s.ctx.Done():
			return 0, errClosed
		}
	}
}

// generation is that of the session which the writer of a line knows of.
func (s *Server) generation() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.inbox.heard() {
		return -1
	}
	return s.now.generation
}

// Close ends the session: requests in flight get a short time, streams are closed, and the server is told.
func (s *Server) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if !was {
		go s.end()
	}
	return nil
}

func (s *Server) end() {
	over := time.Now().Add(lastCalls)
	for time.Now().Before(over) && (s.inFlight() > 0 || len(s.queue) > 0) {
		time.Sleep(2 * time.Millisecond)
	}
	s.cancel()
	s.leave()
	s.inbox.end()
	s.http.CloseIdleConnections()
}

func (s *Server) inFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}

// dispatch starts what the client wrote, in its order.
func (s *Server) dispatch() {
	for {
		select {
		case line := <-s.queue:
			if m := messageOf(line.line); m != nil {
				m.generation = line.generation
				s.start(m)
			}
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Server) start(m *message) {
	m.ctx, m.cancel = context.WithCancel(s.ctx)
	if m.kind == frame.Request {
		if why := s.register(m); why != "" {
			s.tell(m, why)
			return
		}
	}
	s.mu.Lock()
	kind := s.kind
	s.remember(m)
	s.mu.Unlock()
	switch {
	case kind == "":
		s.first(m) // nothing else can be sent before it is known how
	case m.method == "notifications/initialized":
		s.send(m, kind) // it is taken before the next message is sent
		if kind == Streamable {
			s.listen()
		}
	case m.method == "notifications/cancelled":
		s.cancelled(m, kind)
	default:
		go s.send(m, kind)
	}
}

// remember keeps what a new session must be told. The lock is held.
func (s *Server) remember(m *message) {
	switch m.method {
	case "initialize":
		s.now.initialize, s.now.initialized, s.now.restore = m.line, nil, nil
	case "notifications/initialized":
		s.now.initialized = m.line
	case "logging/setLevel":
		s.forget(m.method, "")
		s.now.restore = append(s.now.restore, m)
	case "resources/subscribe":
		s.forget(m.method, m.name)
		s.now.restore = append(s.now.restore, m)
	case "resources/unsubscribe":
		s.forget("resources/subscribe", m.name)
	}
}

func (s *Server) forget(method, name string) {
	kept := s.now.restore[:0:0]
	for _, m := range s.now.restore {
		if m.method != method || m.name != name {
			kept = append(kept, m)
		}
	}
	s.now.restore = kept
}

// register enters a request as in flight, or says why it can't be.
func (s *Server) register(m *message) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running[m.key] != nil:
		return "another request with this id is in flight"
	case len(s.running) >= maxRunning:
		return fmt.Sprintf("more than %d requests are in flight; wait for some of them", maxRunning)
	}
	s.running[m.key] = m
	return ""
}

// take removes a request from those in flight, and reports whether it still was: it gets one response, or one error.
func (s *Server) take(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[m.key] != m {
		return false
	}
	delete(s.running, m.key)
	if m.limit != nil {
		m.limit.Stop()
	}
	return true
}

// finish is take for a request that does not come back.
func (s *Server) finish(m *message) bool {
	was := s.take(m)
	if was {
		s.mu.Lock()
		delete(s.renewed, m.key)
		s.mu.Unlock()
	}
	return was
}

// waits reports whether a request is still in flight.
func (s *Server) waits(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[m.key] == m
}

// fail ends a message without a response: a request gets an error, anything else a line in the log.
func (s *Server) fail(m *message, why string) {
	if m.kind != frame.Request {
		if m.method != "" || m.kind >= frame.Result {
			s.o.Stray([]byte("[not delivered] " + why))
		}
		return
	}
	if s.finish(m) {
		s.tell(m, why)
	}
}

func (s *Server) tell(m *message, why string) {
	if m.swallow != nil {
		m.swallow(nil, why)
		return
	}
	s.put(item{err: &frame.Undelivered{ID: m.id, Why: why}})
}

// respond delivers the response to a request.
func (s *Server) respond(m *message, line []byte) {
	if !s.finish(m) {
		return
	}
	if m.swallow != nil {
		m.swallow(line, "")
		return
	}
	s.put(item{line: line})
}

// cancelled passes on that the client no longer wants a response: after the request itself, and in the modern era by closing its stream
// (specification of 2026-07-28, "Streamable HTTP", Cancellation).
func (s *Server) cancelled(m *message, kind Kind) {
	s.mu.Lock()
	target := s.running[m.target]
	s.mu.Unlock()
	if target == nil {
		return // its response is on the way already
	}
	if target.version != "" {
		s.take(target)
		target.cancel()
		return
	}
	go func() {
		select {
		case <-target.written:
			if s.pause(overtaking) {
				s.send(m, kind)
			}
		case <-time.After(address.ConnectLimit):
		case <-s.ctx.Done():
		}
	}()
}

// overtaking is how long a server may take to read a request that was written, before it gets a cancellation on another connection.
const overtaking = 50 * time.Millisecond

// host is how the server is called in errors.
func (s *Server) host() string { return s.o.Address.Hostname() }
