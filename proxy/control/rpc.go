package control

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"sync"

	"github.com/sallyport/sallyport/proxy/peer"
)

// ErrClosed means that the connection to the hub ended.
var ErrClosed = errors.New("the hub is gone")

// caller is the calling end: any number of calls at once, answers in any order, the hub's notifications in order.
type caller struct {
	conn *net.UnixConn
	out  chan []byte // one writer, so that an abandoned call to a hub that doesn't read blocks no other
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	waiting map[uint64]chan message
	last    uint64
	ended   error // why, ErrClosed if nothing more is known
}

func newCaller(conn *net.UnixConn) *caller {
	return &caller{
		conn:    conn,
		out:     make(chan []byte, 8),
		done:    make(chan struct{}),
		waiting: map[uint64]chan message{},
		last:    firstID(),
		ended:   ErrClosed,
	}
}

// firstID is random, so that no answer can have been written before the question.
func firstID() uint64 {
	var raw [8]byte
	_, _ = rand.Read(raw[:])                       // never fails
	return binary.NativeEndian.Uint64(raw[:]) >> 8 // leaves room to count up
}

// run starts the two goroutines; notified is called for every notification, in order, and must not block.
func (c *caller) run(in *lines, notified func(method string, params json.RawMessage)) {
	go c.write()
	go c.read(in, notified)
}

func (c *caller) end() { c.endFor(ErrClosed) }

func (c *caller) endFor(why error) {
	c.once.Do(func() {
		c.mu.Lock()
		c.ended = why
		c.mu.Unlock()
		c.conn.Close()
		close(c.done)
	})
}

// why returns the reason why the connection ended; it must have ended.
func (c *caller) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

func (c *caller) write() {
	defer c.end()
	for {
		select {
		case line := <-c.out:
			if _, err := c.conn.Write(line); err != nil {
				return
			}
		case <-c.done:
			return
		}
	}
}

func (c *caller) read(in *lines, notified func(string, json.RawMessage)) {
	if in.over != nil {
		defer in.over()
	}
	defer c.end()
	for {
		m, err := in.next(maxLineFromHub)
		if errors.Is(err, peer.ErrForeignMessage) {
			c.endFor(err)
		}
		if err != nil {
			return
		}
		if m.Method != "" {
			if m.ID == nil {
				notified(m.Method, m.Params)
			}
			continue // the hub makes no requests
		}
		id, err := strconv.ParseUint(string(m.ID), 10, 64)
		if err != nil {
			return
		}
		c.mu.Lock()
		answer := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if answer != nil { // nil: the call was abandoned
			answer <- m
		}
	}
}

// call sends a request and waits. The error is an *Error if the hub refused, ErrClosed if it went away, or ctx's.
func (c *caller) call(ctx context.Context, method string, params, result any) error {
	raw, err := encodeRaw(params)
	if err != nil {
		return err
	}
	return c.callRaw(ctx, method, raw, result)
}

// callRaw is call with params that are already one line of JSON.
func (c *caller) callRaw(ctx context.Context, method string, params []byte, result any) error {
	line, wait, over := c.question(method, params)
	if err := c.send(ctx, line); err != nil {
		over()
		return err
	}
	return wait(ctx, result)
}

// waiter takes one answer and is called once.
type waiter = func(ctx context.Context, result any) error

// question is a line to send and the waiter for its answer; over abandons it.
func (c *caller) question(method string, params []byte) (line []byte, wait waiter, over func()) {
	answered := make(chan message, 1)
	id, line := c.numbered(method, params)
	c.mu.Lock()
	c.waiting[id] = answered
	c.mu.Unlock()
	over = func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}
	return line, func(ctx context.Context, result any) error {
		defer over()
		var m message
		select {
		case m = <-answered:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			select { // the answer may have arrived just before the end
			case m = <-answered:
			default:
				return c.why()
			}
		}
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}, over
}

// numbered returns a request line with the next id.
func (c *caller) numbered(method string, params []byte) (id uint64, line []byte) {
	c.mu.Lock()
	c.last++
	id = c.last
	c.mu.Unlock()
	// Written by hand: the encoder would read, check and copy the parameters twice.
	line = strconv.AppendUint(append(make([]byte, 0, 64+len(method)+len(params)), `{"jsonrpc":"2.0","id":`...), id, 10)
	line = append(append(append(line, `,"method":"`...), method...), `","params":`...)
	return id, append(append(line, params...), "}\n"...)
}

// notify sends a notification.
func (c *caller) notify(ctx context.Context, method string, params any) error {
	raw, err := encodeRaw(params)
	if err != nil {
		return err
	}
	line, err := encode(message{Version: "2.0", Method: method, Params: raw})
	if err != nil {
		return err
	}
	return c.send(ctx, line)
}

// fits refuses a line that is too long for the hub.
func fits(line []byte) error {
	if len(line) > maxLineToHub {
		return &Error{Code: CodeBadRequest, Message: "too large for the hub"}
	}
	return nil
}

func (c *caller) send(ctx context.Context, line []byte) error {
	if err := fits(line); err != nil {
		return err
	}
	select {
	case <-c.done:
		return c.why()
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return c.why()
	}
}

// Error is a refusal by the hub. Message is our own text, one line, and says what to do.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	See     string `json:"see,omitempty"` // the code that replaced a stale one
}

func (e *Error) Error() string { return e.Message }

// Codes of Error. JSON-RPC's own (-32600…) keep their meaning.
const (
	CodeNotFound    = 4004 // no such item, server, record or setting
	CodeStale       = 4009 // the item or its digest changed since
	CodeNotHere     = 4003 // decisions can't be made over this socket: "decide in the window"
	CodeDescends    = 4013 // the caller descends from a wrapped server
	CodeLoosens     = 4014 // this loosens protection: ask the person first
	CodeUnavailable = 4050 // store unreadable, hub stepping down, a guardrail provider that fails its trial
	CodeBadRequest  = 4000
	CodeProtocol    = 4026 // other protocol version: restart Claude
	CodeInternal    = -32603
)
