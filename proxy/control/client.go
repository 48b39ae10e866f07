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
	// Executables are further files that may be the hub, beside our own and the other programs of this installation (see
	// Beside). One that does not exist is no mistake.
	Executables []string
	// Register, where it is given, goes out together with the greeting: a wrapper that starts waits for one answer less. Call
	// Client.Register with the same afterwards, for the answer.
	Register *Register
}

// helloTimeout is how long an end that connected may take to say what it is.
const helloTimeout = 10 * time.Second

// dyingTimeout is how long a process may take to die whose executable is gone already.
const dyingTimeout = 500 * time.Millisecond

// Client is one connection to the hub. Methods may be called from many goroutines.
type Client struct {
	*caller
	welcome Welcome

	mu          sync.Mutex
	pushed      func(State) // takes pushed states, once registered
	early       *State      // the newest one that came before there was pushed
	registering waiter      // the answer to a Register that went out with the greeting
}

// Dial connects to the hub of home as role: ErrNoHub, ErrForeign and ErrProtocol are what can be told apart.
func Dial(ctx context.Context, home Home, role Role) (*Client, error) {
	return DialWith(ctx, home, DialOptions{Role: role})
}

// DialWith is Dial with all there is to say.
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

// connect is nil, nil where nobody listens.
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

// greet proves the other end before it says a word to it: whoever squats on the socket learns nothing.
func greet(ctx context.Context, conn *net.UnixConn, path string, in *peer.Installation, home Home, options DialOptions) (*Client, error) {
	cred, err := peer.CredentialsOf(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	file, err := in.ProveHub(cred)
	// A process that was killed this moment has no executable any more while its socket still takes connections.
	for over := time.Now().Add(dyingTimeout); errors.Is(err, peer.ErrUnseen) && cred.Alive() && time.Now().Before(over); {
		time.Sleep(time.Millisecond)
		file, err = in.ProveHub(cred)
	}
	if err != nil && !cred.Alive() {
		// Whoever is gone is no hub, and no reason to warn of a foreign one either.
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

// enter says what the hub has answered the greeting with, and registers in the same breath. A wrapper that starts waits for nothing longer
// than for these two answers.
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
	// A hub that refuses us hangs up before it has read all of this, and what it said of it is still to be read. One that does
	// not read at all is given up by the wait.
	_, _ = c.conn.Write(words)
	givenUp()
	if options.Register != nil { // as in challenged
		_ = json.Unmarshal([]byte("{}"), new(State))
	}
	c.run(in, c.notified)
	return welcome(ctx, &c.welcome)
}

// challenged says hello and reads the answer, which is the first that the hub says. Before it nothing is said that a hub alone may know:
// who listened may have become another program since, and left the socket to a third.
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
	if options.Register != nil { // encoding/json learns a type when it first meets it, which costs a start nothing while the hub thinks
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

// Welcome is what the hub said of itself.
func (c *Client) Welcome() Welcome { return c.welcome }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Close ends the connection.
func (c *Client) Close() error {
	c.end()
	return nil
}

// Register makes this connection a wrapper's. pushed gets every later State and must not block; it may be called before
// Register returns.
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

// Stderr is a notification: nothing answers it.
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
