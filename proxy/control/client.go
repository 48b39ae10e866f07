package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

var (
	// ErrNoHub: nothing answers at this home's socket.
	ErrNoHub = errors.New("no hub runs")
	// ErrProtocol: the hub speaks another version of the protocol; it or we were updated while the other ran.
	ErrProtocol = errors.New("the hub is of another version: restart Claude")
)

// DialOptions say who dials.
type DialOptions struct {
	Role    Role
	Version string // of this program, for people
	// Executables are further files that may be the hub, in addition to our own and the other programs of this installation (see Beside).
	// Missing ones are ignored.
	Executables []string
	// Register, if set, is sent together with the greeting, which saves a wrapper's start one round trip. Call Client.Register with the
	// same value afterwards, for the response.
	Register *Register
}

// helloTimeout is how long a new connection may take to identify itself.
const helloTimeout = 10 * time.Second

// dyingTimeout is how long a process may take to end after its executable is gone.
const dyingTimeout = 500 * time.Millisecond

// Client is one connection to the hub. Methods may be called from many goroutines.
type Client struct {
	*caller
	welcome Welcome

	mu          sync.Mutex
	pushed      func(State) // receives pushed states, once registered
	early       *State      // the newest one from before pushed was set
	registering waiter      // the response to a Register that was sent with the greeting
}

// Dial connects to the hub of home as role. Errors to distinguish are ErrNoHub, ErrForeign and ErrProtocol.
func Dial(ctx context.Context, home Home, role Role) (*Client, error) {
	return DialWith(ctx, home, DialOptions{Role: role})
}

// DialWith is Dial with all options.
func DialWith(ctx context.Context, home Home, options DialOptions) (*Client, error) {
	if err := home.check(); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoHub
	} else if err != nil {
		return nil, err
	}
	in, err := peer.OurInstallation(append(installed(), options.Executables...))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for _, path := range home.socketsToDial() {
		conn, err := connect(ctx, path)
		if err != nil {
			return nil, err
		}
		if conn != nil {
			return greet(ctx, conn, path, in, home, options)
		}
	}
	return nil, ErrNoHub
}

// connect returns nil, nil if nobody listens.
func connect(ctx context.Context, path string) (*net.UnixConn, error) {
	dialer := net.Dialer{Control: peer.TellSenders}
	conn, err := dialer.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTSOCK):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reach the hub: %w", err)
	}
	return conn.(*net.UnixConn), nil
}

// greet proves the other end before it sends anything: a squatter on the socket learns nothing.
func greet(ctx context.Context, conn *net.UnixConn, path string, in *peer.Installation, home Home, options DialOptions) (*Client, error) {
	cred, err := peer.CredentialsOf(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	file, err := in.ProveHub(cred)
	// A process that was just killed has no executable any more while its socket still accepts connections.
	for over := time.Now().Add(dyingTimeout); errors.Is(err, peer.ErrUnseen) && cred.Alive() && time.Now().Before(over); {
		time.Sleep(time.Millisecond)
		file, err = in.ProveHub(cred)
	}
	if err != nil && !cred.Alive() {
		// A process that has ended is no hub, and no reason to warn about a foreign one either.
		err = fmt.Errorf("%w: process %d has ended", ErrNoHub, cred.PID)
	}
	if err != nil {
		cred.Release()
		conn.Close()
		return nil, err
	}
	c := &Client{caller: newCaller(conn)}
	words := linesOf(&peer.Witness{Conn: conn, Cred: cred, File: file})
	words.over = cred.Release
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	suspect := home.suspect(ctx, path, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	challenge, err := c.challenged(ctx, words, options)
	if why := suspect(); why != nil && errors.Is(err, ErrClosed) {
		err = why
	}
	if err != nil {
		cred.Release()
	} else {
		err = c.enter(ctx, words, challenge, options)
	}
	var refusal *Error
	switch {
	case err == nil && c.welcome.Protocol == Protocol:
		return c, nil
	case err == nil, errors.As(err, &refusal) && refusal.Code == CodeProtocol:
		err = ErrProtocol
	case errors.Is(err, ErrClosed):
		err = fmt.Errorf("%w: it hung up", ErrNoHub) // stepping down, or killed just now
	default:
		err = fmt.Errorf("greet the hub: %w", err)
	}
	c.Close()
	return nil, err
}

// enter handles the hub's response to the greeting, and registers at the same time: a wrapper's start only waits for these two responses.
func (c *Client) enter(ctx context.Context, in *lines, challenge Challenge, options DialOptions) error {
	proof, err := encodeRaw(challenge)
	if err != nil {
		in.over()
		return err
	}
	words, welcome, _ := c.question("enter", proof)
	if options.Register != nil {
		registration, err := encodeRaw(options.Register)
		if err != nil {
			in.over()
			return err
		}
		var line []byte
		if line, c.registering, _ = c.question("register", registration); fits(line) != nil {
			in.over()
			return fits(line)
		}
		words = append(words, line...)
	}
	givenUp := context.AfterFunc(ctx, func() { _ = c.conn.SetWriteDeadline(time.Unix(1, 0)) })
	// A hub that refuses us hangs up before it has read all of this, and its reason is still to be read. The wait handles one that does not
	// read at all.
	_, _ = c.conn.Write(words)
	givenUp()
	if options.Register != nil { // as in challenged
		_ = json.Unmarshal([]byte("{}"), new(State))
	}
	c.run(in, c.notified)
	return welcome(ctx, &c.welcome)
}

// challenged sends the hello and reads the hub's first response. Nothing that only a hub may know is sent before: the listener may have
// become another program since, and left the socket to a third.
func (c *Client) challenged(ctx context.Context, in *lines, options DialOptions) (Challenge, error) {
	hello := Hello{Protocol: Protocol, Version: options.Version, Role: options.Role}
	var challenge Challenge
	givenUp := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	defer givenUp()
	greeting, err := encodeRaw(hello)
	if err != nil {
		return challenge, err
	}
	id, line := c.numbered("hello", greeting)
	_, _ = c.conn.Write(line)    // a hub that hangs up may have said why
	if options.Register != nil { // encoding/json inspects a type on first use, which is free while the hub is busy
		_, _ = encodeRaw(options.Register)
	}
	m, err := in.next(maxHelloLine)
	switch {
	case ctx.Err() != nil:
		return challenge, ctx.Err()
	case errors.Is(err, peer.ErrForeign):
		return challenge, err
	case err != nil:
		return challenge, ErrClosed
	case string(m.ID) != strconv.FormatUint(id, 10) || m.Method != "":
		return challenge, fmt.Errorf("%w: what it says was written before it was asked", peer.ErrForeignMessage)
	case m.Error != nil:
		return challenge, m.Error
	}
	if json.Unmarshal(m.Result, &challenge) != nil || challenge.Challenge == "" {
		return challenge, ErrProtocol
	}
	return challenge, nil
}

func (c *Client) Welcome() Welcome { return c.welcome }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

func (c *Client) Close() error {
	c.end()
	return nil
}

// Register makes this connection a wrapper's. pushed gets every later State and must not block; it may be called before Register returns.
func (c *Client) Register(ctx context.Context, r Register, pushed func(State)) (s State, err error) {
	c.mu.Lock()
	if c.pushed != nil {
		c.mu.Unlock()
		return State{}, &Error{Code: CodeBadRequest, Message: "registered already"}
	}
	c.pushed = pushed
	early, wait := c.early, c.registering
	c.early = nil
	c.mu.Unlock()
	if early != nil {
		pushed(*early)
	}
	if wait == nil {
		s, err = askRegister(ctx, c, r)
	} else {
		err = wait(ctx, &s)
	}
	return whole(s), err
}

// Stderr is a notification without a response.
func (c *Client) Stderr(ctx context.Context, chunk []byte) error {
	return c.notify(ctx, "stderr", Stderr{Chunk: chunk})
}

func (c *Client) notified(method string, params json.RawMessage) {
	var state State
	if method != "state" || json.Unmarshal(params, &state) != nil {
		return
	}
	state = whole(state)
	c.mu.Lock()
	pushed := c.pushed
	if pushed == nil {
		c.early = &state
	}
	c.mu.Unlock()
	if pushed != nil {
		pushed(state)
	}
}
