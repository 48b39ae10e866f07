package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"sync"
)

// ErrClosed: the connection to the hub ended.
var ErrClosed = errors.New("the hub is gone")

// caller is the asking end: any number of calls at once, answers in any order, notifications of the hub in theirs.
type caller struct {
	conn *net.UnixConn
	out  chan []byte // one writer, so that a call given up while the hub does not read holds nobody else
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	waiting map[uint64]chan message
	last    uint64
}

func newCaller(conn *net.UnixConn) *caller {
	return &caller{
		conn:    conn,
		out:     make(chan []byte, 8),
		done:    make(chan struct{}),
		waiting: map[uint64]chan message{},
	}
}

// run starts the two goroutines; notified is called for every notification, in order, and must not block.
func (c *caller) run(in *lines, notified func(method string, params json.RawMessage)) {
	go c.write()
	go c.read(in, notified)
}

func (c *caller) end() {
	c.once.Do(func() {
		c.conn.Close()
		close(c.done)
	})
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
	defer c.end()
	for {
		m, err := in.next(maxLineFromHub)
		if err != nil {
			return
		}
		if m.Method != "" {
			if m.ID == nil {
				notified(m.Method, m.Params)
			}
			continue // the hub asks nothing
		}
		id, err := strconv.ParseUint(string(m.ID), 10, 64)
		if err != nil {
			return
		}
		c.mu.Lock()
		answer := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if answer != nil { // else given up
			answer <- m
		}
	}
}

// call asks and waits. The error is an *Error where the hub said no, ErrClosed where it went away, or ctx's.
func (c *caller) call(ctx context.Context, method string, params, result any) error {
	raw, err := encodeRaw(params)
	if err != nil {
		return err
	}
	return c.callRaw(ctx, method, raw, result)
}

// callRaw is call with params that are JSON already, in one line.
func (c *caller) callRaw(ctx context.Context, method string, params []byte, result any) error {
	line, wait, over := c.question(method, params)
	if err := c.send(ctx, line); err != nil {
		over()
		return err
	}
	return wait(ctx, result)
}

// waiter waits for one answer, and is called once.
type waiter = func(ctx context.Context, result any) error

// question is a line to be sent, and what waits for its answer; over gives that up.
func (c *caller) question(method string, params []byte) (line []byte, wait waiter, over func()) {
	answered := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = answered
	c.mu.Unlock()
	over = func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}
	// Written by hand: the encoder would read, check and copy the parameters twice.
	line = strconv.AppendUint(append(make([]byte, 0, 64+len(method)+len(params)), `{"jsonrpc":"2.0","id":`...), id, 10)
	line = append(append(append(line, `,"method":"`...), method...), `","params":`...)
	line = append(append(line, params...), "}\n"...)
	return line, func(ctx context.Context, result any) error {
		defer over()
		var m message
		select {
		case m = <-answered:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			select { // the answer may have come just before the end
			case m = <-answered:
			default:
				return ErrClosed
			}
		}
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		if by, ok := result.(json.Unmarshaler); ok { // a line that came is valid JSON
			return by.UnmarshalJSON(m.Result)
		}
		return json.Unmarshal(m.Result, result)
	}, over
}

// notify sends without an answer.
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

// fits says no to a line that the hub would not keep.
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
		return ErrClosed
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return ErrClosed
	}
}
