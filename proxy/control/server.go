package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

// ErrHomeGone means that the running hub's folder was removed or replaced.
var ErrHomeGone = errors.New("the hub's folder is gone")

// ErrAgain, as the cause that ends Serve's context, keeps the socket: new connections wait in it until the same process serves again
// on the same listener.
var ErrAgain = errors.New("another hub takes over in this process")

// Options are the options of Serve.
type Options struct {
	// Executables are further files whose processes may connect, besides the programs of this installation.
	Executables []string
	// Wrappers returns further processes, besides the connected wrappers, whose descendants may not decide. May be nil.
	Wrappers func() []int
	Log      *slog.Logger // nil for no log
}

const (
	// maxConnections is far above what people need: a wrapper holds one connection.
	maxConnections = 1024
	// maxCalls is how many calls of one connection run at once; more wait in the socket.
	maxCalls = 32
	// writeTimeout is how long a client may go without reading before the hub hangs up; flushTimeout is the same while the hub ends.
	writeTimeout = 30 * time.Second
	flushTimeout = 2 * time.Second
	// homeInterval is how often the hub checks that its home still exists.
	homeInterval = time.Second
)

type server struct {
	handler Handler
	options Options
	in      *peer.Installation
	log     *slog.Logger

	leftovers  sync.WaitGroup // goroutines that look for leftovers
	burials    burials
	foreigners tally
	displaced  tally

	mu       sync.Mutex
	wrappers map[int]int // connected wrappers by pid
}

// Serve answers on ln until ctx ends and returns nil, or until the home is gone and returns ErrHomeGone. When it returns, every call has
// been answered and no method of h is running; ln accepts no more connections, and its locks are held until its Close.
func Serve(ctx context.Context, ln *Listener, h Handler, options Options) error {
	in, err := peer.OurInstallation(append(installed(), options.Executables...))
	if err != nil {
		return err
	}
	defer in.Close()
	s := &server{handler: h, options: options, in: in, log: options.Log, wrappers: map[int]int{}}
	s.burials = burials{kill: s.kill, tell: s.tell}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	peer.ShowNothing()
	go s.watch(ctx, ln, stop)
	s.leftovers.Go(func() { s.inherit(ctx) })
	ln.door.resume()
	// This must have run before Serve returns: its deadline would otherwise end the next Serve's accepting.
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(closed)
		if errors.Is(context.Cause(ctx), ErrAgain) {
			ln.door.pause()
			return
		}
		_ = ln.door.shut()
	})

	var open sync.WaitGroup
	slots := make(chan struct{}, maxConnections)
	for ctx.Err() == nil {
		conn, err := ln.door.accept()
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			// Most likely out of descriptors: existing connections stay, and the new one dials again.
			s.log.Warn("accept", "error", err)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		open.Go(func() {
			defer func() { <-slots }()
			s.serve(ctx, conn)
		})
	}
	open.Wait()
	s.leftovers.Wait()
	<-closed
	if errors.Is(context.Cause(ctx), ErrHomeGone) {
		return ErrHomeGone
	}
	return nil
}

func (s *server) watch(ctx context.Context, ln *Listener, stop context.CancelCauseFunc) {
	tick := time.NewTicker(homeInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if ctx.Err() != nil {
				return // its wrapper may be connecting to another hub
			}
			if !ln.stands() {
				stop(ErrHomeGone)
				return
			}
			s.retake(ln)
		case <-ctx.Done():
			return
		}
	}
}

// retake makes the socket's name lead to the hub again, and reports it.
func (s *server) retake(ln *Listener) {
	displaced, err := ln.door.retake()
	if !displaced {
		return
	}
	s.log.Warn("another program took the place of the socket", "error", err)
	told := Displaced{Count: s.displaced.met(time.Now())}
	if err != nil {
		told.Why = err.Error()
	}
	if told.Count > 0 {
		s.handler.Displaced(told)
	}
}

// serve handles one connection: proof, hello, then calls.
func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	cred, err := peer.CredentialsOf(conn)
	if err != nil {
		s.log.Warn("refused a connection", "error", err)
		return
	}
	release := cred.Release
	defer func() { release() }()
	file, err := s.in.Prove(cred)
	if err != nil {
		s.log.Warn("refused a connection", "pid", cred.PID, "error", err)
		return
	}
	c := newSession(s, conn, cred)
	in := linesOf(&peer.Witness{Conn: conn, Cred: cred, File: file})
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	unhook := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	hello, err := c.hello(in)
	unhook()
	if err != nil {
		s.log.Warn("no hello", "pid", cred.PID, "error", err)
		s.foreign(cred, err)
		return
	}
	_ = conn.SetDeadline(time.Time{})
	c.role = hello.Role
	if c.role == RoleCLI || c.role == RoleHub {
		// Checked now as well as at each call: a process that connects while the wrapper above it lives keeps counting as its descendant.
		c.descended = s.in.Descends(cred.PID, s.wrapperPIDs())
	}
	c.run(ctx, in)
	if c.from.Mark != 0 {
		release = func() { s.burials.add(ctx, cred, c.from, s.leftovers.Go) }
	}
}

// foreign reports a message written by a different program than the proved one.
func (s *server) foreign(cred peer.Credentials, err error) {
	if !errors.Is(err, peer.ErrForeignMessage) {
		return
	}
	if count := s.foreigners.met(time.Now()); count > 0 {
		s.handler.Foreign(Foreign{PID: cred.PID, Why: err.Error(), Count: count})
	}
}

// wrapper counts connected wrappers; by is 1 or -1.
func (s *server) wrapper(pid, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrappers[pid] += by; s.wrappers[pid] <= 0 {
		delete(s.wrappers, pid)
	}
}

func (s *server) wrapperPIDs() []int {
	var pids []int
	if s.options.Wrappers != nil {
		pids = s.options.Wrappers()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid := range s.wrappers {
		pids = append(pids, pid)
	}
	return pids
}

func protocolMismatch(theirs int) *Error {
	return &Error{Code: CodeProtocol, Message: fmt.Sprintf("the hub speaks protocol %d, this program %d: restart Claude", Protocol, theirs)}
}
