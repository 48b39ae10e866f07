package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"
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
	in, err := ourInstallation(options.Executables)
	if err != nil {
		return nil, err
	}
	defer in.close()
	for _, path := range home.socketsToDial() {
		conn, err := connect(ctx, path)
		if err != nil {
			return nil, err
		}
		if conn != nil {
			return greet(ctx, conn, in, options)
		}
	}
	return nil, ErrNoHub
}

// connect is nil, nil where nobody listens.
func connect(ctx context.Context, path string) (*net.UnixConn, error) {
	var dialer net.Dialer
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
func greet(ctx context.Context, conn *net.UnixConn, in *installation, options DialOptions) (*Client, error) {
	cred, err := credentialsOf(conn)
	if err == nil {
		err = in.proveHub(cred)
		// A process that was killed this moment has no executable any more while its socket still takes connections.
		for over := time.Now().Add(dyingTimeout); errors.Is(err, errUnseen) && cred.alive() && time.Now().Before(over); {
			time.Sleep(time.Millisecond)
			err = in.proveHub(cred)
		}
		if err != nil && !cred.alive() {
			// Whoever is gone is no hub, and no reason to warn of a foreign one either.
			err = fmt.Errorf("%w: process %d has ended", ErrNoHub, cred.pid)
		}
		cred.release()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	c := &Client{caller: newCaller(conn)}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	if err := c.hello(ctx, options); err != nil {
		c.Close()
		var refusal *Error
		switch {
		case errors.As(err, &refusal) && refusal.Code == CodeProtocol:
			return nil, ErrProtocol
		case errors.Is(err, ErrClosed):
			return nil, fmt.Errorf("%w: it hung up", ErrNoHub) // stepping down, or killed just now
		}
		return nil, fmt.Errorf("greet the hub: %w", err)
	}
	if c.welcome.Protocol != Protocol {
		c.Close()
		return nil, ErrProtocol
	}
	return c, nil
}

// hello greets, and registers with it. It writes before anything else of the connection runs: a wrapper that starts waits for
// nothing longer than for the answer.
func (c *Client) hello(ctx context.Context, options DialOptions) error {
	hello := Hello{Protocol: Protocol, Version: options.Version, Role: options.Role}
	words, welcome, _ := c.question("hello", hello.raw())
	if options.Register != nil {
		var line []byte
		line, c.registering, _ = c.question("register", options.Register.raw())
		if err := fits(line); err != nil {
			return err
		}
		words = append(words, line...)
	}
	givenUp := context.AfterFunc(ctx, func() { _ = c.conn.SetWriteDeadline(time.Unix(1, 0)) })
	// A hub that refuses us hangs up before it has read all of this, and what it said of it is still to be read. One that does
	// not read at all is given up by the wait.
	_, _ = c.conn.Write(words)
	givenUp()
	c.run(newLines(c.conn), c.notified)
	return welcome(ctx, &c.welcome)
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

func (c *Client) notified(method string, params json.RawMessage) {
	var state State
	if method != "state" || state.UnmarshalJSON(params) != nil {
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

// whole gives a state its maps, so that whoever reads it need not ask.
func whole(s State) State {
	if s.Items == nil {
		s.Items = map[string]ItemState{}
	}
	if s.Settings == nil {
		s.Settings = map[string]string{}
	}
	return s
}
