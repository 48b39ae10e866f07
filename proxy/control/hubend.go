package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// hubEnd is the hub's end of one proved connection. It is the Wrapper that a Handler holds.
type hubEnd struct {
	server *server
	conn   *net.UnixConn
	cred   peer.Credentials
	role   Role

	reading context.Context // ends when the other end hangs up, or the hub does: for calls that take long

	descended  bool
	registered bool     // used only by the reading goroutine
	from       Register // what it registered as

	newest  atomic.Pointer[State] // the state still to be sent
	kick    chan struct{}
	answers chan []byte // room for all open calls, so that no answer waits for a slow reader
	ended   chan struct{}
	calls   sync.WaitGroup
	slots   chan struct{}
}

func newSession(s *server, conn *net.UnixConn, cred peer.Credentials) *hubEnd {
	return &hubEnd{
		server:  s,
		conn:    conn,
		cred:    cred,
		kick:    make(chan struct{}, 1),
		answers: make(chan []byte, maxCalls+1),
		ended:   make(chan struct{}),
		slots:   make(chan struct{}, maxCalls),
	}
}

// Push replaces the state that has not been sent yet, if any.
func (c *hubEnd) Push(state State) {
	c.newest.Store(&state)
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// hello reads and answers the first two messages; nothing else uses the connection yet. A message written before the proof may come from
// another program that has since become the proved one (exec). It gets nothing but a random number, and only a peer that repeats the
// number after the proof is heard.
func (c *hubEnd) hello(in *lines) (Hello, error) {
	var hello Hello
	m, err := in.next(maxHelloLine)
	if err != nil {
		return hello, err
	}
	if m.Method != "hello" || m.ID == nil || json.Unmarshal(m.Params, &hello) != nil {
		return hello, errors.New("the first message is no hello")
	}
	var refusal *Error
	switch {
	case hello.Protocol != Protocol:
		refusal = protocolMismatch(hello.Protocol)
	case hello.Role != RoleWrapper && hello.Role != RoleProbe && hello.Role != RoleCLI && hello.Role != RoleHub:
		refusal = &Error{Code: CodeBadRequest, Message: "no such role"}
	}
	if refusal != nil {
		return hello, c.first(message{Version: "2.0", ID: m.ID, Error: refusal})
	}
	challenge := Challenge{Challenge: rand.Text()}
	asked := c.answer(m, func(*hubEnd, json.RawMessage) (any, error) { return challenge, nil })
	if err := c.first(asked); err != nil {
		return hello, err
	}
	var said Challenge
	if m, err = in.next(maxHelloLine); err != nil {
		return hello, err
	}
	if m.Method != "enter" || m.ID == nil || json.Unmarshal(m.Params, &said) != nil || said != challenge {
		return hello, fmt.Errorf("%w: what it says was written before process %d was looked at", peer.ErrForeignMessage, c.cred.PID)
	}
	c.role = hello.Role
	return hello, c.first(c.answer(m, func(*hubEnd, json.RawMessage) (any, error) {
		welcome := c.server.handler.Welcome(c.peer(false))
		welcome.Protocol = Protocol
		return welcome, nil
	}))
}

// first answers while nothing else is writing.
func (c *hubEnd) first(answer message) error {
	line, err := encode(answer)
	if err != nil {
		return err
	}
	if _, err := c.conn.Write(line); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// peer returns who is asking. deciding checks its ancestry now. No decision may come from a wrapper.
func (c *hubEnd) peer(deciding bool) Peer {
	p := Peer{PID: c.cred.PID, UID: c.cred.UID, Role: c.role}
	p.Descends = c.descended || c.role == RoleWrapper || c.role == RoleProbe
	if deciding && !p.Descends {
		p.Descends = c.server.in.Descends(c.cred.PID, c.server.wrapperPIDs()) || !c.cred.Alive()
	}
	return p
}

// within reports whether this wrapper descends from another.
func (c *hubEnd) within() bool {
	self, err := table.Read(c.cred.PID)
	return err != nil || c.server.in.Descends(self.Parent, c.server.wrapperPIDs()) || !c.cred.Alive()
}

// run reads calls until the other end or ctx ends, then lets open calls finish and sends their answers.
func (c *hubEnd) run(ctx context.Context, in *lines) {
	reading, hungUp := context.WithCancel(ctx)
	defer hungUp()
	c.reading = reading
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(ctx)
	}()
	unhook := context.AfterFunc(ctx, func() {
		_ = c.conn.SetReadDeadline(time.Now())
		_ = c.conn.SetWriteDeadline(time.Now().Add(flushTimeout)) // for a write that hangs
	})
	err := c.read(in)
	hungUp()
	unhook()
	if errors.Is(err, peer.ErrForeignMessage) {
		c.conn.Close() // no more answers
		c.server.log.Warn("a foreign message", "pid", c.cred.PID, "role", c.role, "error", err)
		c.server.foreign(c.cred, err)
	}
	if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
		c.server.log.Debug("connection ended", "pid", c.cred.PID, "role", c.role, "reason", err)
	}
	c.calls.Wait()
	if c.registered {
		c.server.wrapper(c.cred.PID, -1)
		c.guarded(func() { c.server.handler.Unregister(c) })
	}
	close(c.ended)
	<-written
}

func (c *hubEnd) read(in *lines) error {
	for {
		m, err := in.next(maxLineToHub)
		if err != nil {
			return err
		}
		if m.Method == "" {
			continue // we make no requests, so answers mean nothing
		}
		call, known := methods[m.Method]
		switch {
		case m.ID == nil:
			var s Stderr
			if m.Method == "stderr" && c.registered && json.Unmarshal(m.Params, &s) == nil {
				c.guarded(func() { c.server.handler.Stderr(c, s) })
			}
		case !known:
			c.send(message{Version: "2.0", ID: m.ID, Error: &Error{Code: -32601, Message: "no such call"}})
		case call.registered && !c.registered:
			c.send(message{Version: "2.0", ID: m.ID, Error: &Error{Code: CodeBadRequest, Message: "register first"}})
		case m.Method == "register":
			// Handled in line: no other message of this connection may overtake it.
			c.send(c.register(m))
		default:
			c.slots <- struct{}{}
			c.calls.Go(func() {
				defer func() { <-c.slots }()
				c.send(c.answer(m, call.answer))
			})
		}
	}
}

func (c *hubEnd) register(m message) message {
	if c.registered || (c.role != RoleWrapper && c.role != RoleProbe) {
		return message{Version: "2.0", ID: m.ID, Error: &Error{Code: CodeBadRequest, Message: "only a wrapper registers, and once"}}
	}
	c.server.wrapper(c.cred.PID, 1) // before the hub answers, because the server may already run
	answer := c.answer(m, methods["register"].answer)
	if c.registered = answer.Error == nil; !c.registered {
		c.server.wrapper(c.cred.PID, -1)
	}
	return answer
}

// answer runs one call and sends its result.
func (c *hubEnd) answer(m message, call answering) message {
	var (
		result any
		err    = errPanicked
	)
	c.guarded(func() { result, err = call(c, m.Params) })
	out := message{Version: "2.0", ID: m.ID}
	if err == nil {
		if out.Result, err = encodeRaw(result); err == nil {
			return out
		}
	}
	if !errors.As(err, &out.Error) {
		c.server.log.Error("call", "method", m.Method, "pid", c.cred.PID, "error", err)
		out.Error = &Error{Code: CodeInternal, Message: "the hub could not do that: see its log"}
	}
	return out
}

var errPanicked = errors.New("panic")

// guarded confines a panic in the hub's code to the call that caused it.
func (c *hubEnd) guarded(f func()) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.Error("panic in a call", "pid", c.cred.PID, "panic", p)
		}
	}()
	f()
}

func (c *hubEnd) send(m message) {
	line, err := encode(m)
	if err == nil && len(line) > maxLineFromHub {
		line, err = encode(message{Version: "2.0", ID: m.ID, Error: &Error{Code: CodeBadRequest, Message: "the response is too large: ask for less"}})
	}
	if err != nil {
		return
	}
	select {
	case c.answers <- line:
	case <-c.ended:
	}
}

// write sends states before answers, so that a wrapper waiting for a long answer learns of a block at once.
func (c *hubEnd) write(ctx context.Context) {
	broken := false
	put := func(line []byte) {
		if broken {
			return // drain the rest, so that nothing waits for us
		}
		patience := writeTimeout
		if ctx.Err() != nil {
			patience = flushTimeout
		}
		_ = c.conn.SetWriteDeadline(time.Now().Add(patience))
		if _, err := c.conn.Write(line); err != nil {
			broken = true
			c.conn.Close()
		}
	}
	for {
		select {
		case <-c.kick:
			c.writeState(put)
			continue
		default:
		}
		select {
		case <-c.kick:
			c.writeState(put)
		case line := <-c.answers:
			put(line)
		case <-c.ended:
			for {
				select {
				case line := <-c.answers:
					put(line)
				default:
					return
				}
			}
		}
	}
}

func (c *hubEnd) writeState(put func([]byte)) {
	state := c.newest.Swap(nil)
	if state == nil {
		return
	}
	params, err := encodeRaw(state)
	if err != nil {
		return
	}
	if line, err := encode(message{Version: "2.0", Method: "state", Params: params}); err == nil {
		put(line)
	}
}
