package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/transport"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// lastWords is how long an ending wrapper waits for the hub to take its last records; the rest is spooled.
const lastWords = 2 * time.Second

// enoughMemory is from where the garbage collector works harder. What a hostile server makes a wrapper decode is soon garbage, which could else
// be as much again as what is in use: 406 MB for four responses of 8 MiB, beside sixty large schemas, are 257 MB with it.
const enoughMemory = 240 << 20

// runWrap runs one guarded server. The exit code is the server's own if it ended by itself, 0 after the end of the client's input, 128 +
// the signal's number after a signal.
func runWrap(ctx context.Context, o wrapOptions, s streams) int {
	if o.url != "" {
		return runRemote(ctx, o, s)
	}
	guard, prepared := transport.Prepare()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enoughMemory)
	}
	signal.Ignore(syscall.SIGPIPE) // a client that closes our stdout must not kill us without a clean-up (T13 in docs/relay.md)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	here := control.Here()
	env, secrets, unread := ownSecrets(ctx)
	link, err := connectLink(ctx, control.RoleWrapper, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: o.argv, Name: cmp.Or(o.name, serverName(o.argv))}, Client: o.client, Secrets: masked(secrets, os.Environ()), Surroundings: &here,
	})
	if err != nil {
		if prepared == nil {
			guard.Close()
		}
		why := "Sallyport can't use its data folder: "
		var start *transport.StartError
		if errors.As(err, &start) {
			why = "the server could not be started: "
		}
		answerInitialize(ctx, s, why+err.Error())
		return fail(s, exitFailed, "wrap", err)
	}
	defer func() {
		if err := closeLink(link); err != nil {
			fail(s, exitFailed, "wrap", err)
		}
	}()

	// What follows needs no hub, and runs while the link asks it. Until now a signal ends us as if we had not been started.
	endOnSignal(ctx, stop)
	defer s.poll()()
	server := prepareServer(guard, link, transport.Command{Argv: o.argv, Spare: link.spare}, s.err)
	defer server.close()
	server.env = env
	config := proxy.Config{
		FromClient: s.in, ToClient: s.out,
		Gate: link, Launch: server.launch, Client: o.client, Session: link.session, Stray: link.stray,
		Notice:  s.notice,
		GiveWay: transport.GiveWay,
	}
	if err = prepared; err == nil && unread != nil {
		err = unread
		link.record(vocab.RecordServerStart, vocab.StatusError, plain(err))
	}
	if err == nil {
		if server.launch.Before(ctx) {
			config.FromServer, config.ToServer, err = server.start(ctx)
		} else {
			config.Start = server.start
			link.record(vocab.RecordServerStart, vocab.StatusBlocked, "the server was not started: its program is not the one you allowed, or no hub could check it")
		}
	}
	if err != nil {
		answerInitialize(ctx, s, "the server could not be started: "+err.Error())
		return fail(s, exitFailed, "wrap", err)
	}
	go watchHangup(ctx, s.in, s.out, server.hangUp)
	session := proxy.New(config)
	return endWrap(ctx, s, session, server, session.Run(ctx))
}

// endWrap reports how a session ended, to the client and the hub, and returns the exit code.
func endWrap(ctx context.Context, s streams, session *proxy.Session, wrapped *server, ended proxy.Ended) int {
	process := wrapped.running()
	switch {
	case process == nil && session.StartError() != nil:
		session.AnswerAll(session.StartError().Error())
		return fail(s, exitFailed, "wrap", session.StartError())
	case process == nil:
		session.AnswerAll("the client ended the session")
	case ended == proxy.ServerGone:
		code := serverExit(process, session, s.in)
		process.Stop()
		wrapped.link.record(vocab.RecordServerStop, vocab.StatusError, "the server exited: "+process.Exit().String())
		return code
	default:
		process.Stop()
		session.AnswerAll("the client ended the session")
		wrapped.link.record(vocab.RecordServerStop, vocab.StatusOK, "the client ended")
	}
	return endedBy(ctx)
}

// endedBy is the exit code of a session that did not end because of its server: 128 + the number of the signal, if one ended it.
func endedBy(ctx context.Context) int {
	if signalled, ok := errors.AsType[caught](context.Cause(ctx)); ok {
		return 128 + int(signalled.number)
	}
	return exitFine
}

// poll makes the streams of a session pollable where they can be, until restore is called.
func (s *streams) poll() (restore func()) {
	var undo []func()
	if in, back := pollable(s.in, os.O_RDONLY); in != nil {
		s.in = in
		undo = append(undo, back)
	}
	if out, back := pollable(s.out, os.O_WRONLY); out != nil {
		s.out = out
		undo = append(undo, back)
	}
	return func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
}

// notice tells whoever reads our stderr a sentence. Many clients never read it.
func (s streams) notice(sentence string) { go io.WriteString(s.err, "sallyport: "+sentence+"\n") }

// drainGrace is how long a server whose output has ended may take to exit.
const drainGrace = 2 * time.Second

// lastRequests is how long it may take to read what the client had written when its server ended.
const lastRequests = 50 * time.Millisecond

// serverExit tells the client how the server ended and returns the exit code. Requests written before, but not read yet, are answered too.
func serverExit(process *transport.ServerProcess, session *proxy.Session, client any) int {
	select {
	case <-process.Exited():
	case <-time.After(drainGrace):
		session.AnswerAll("it closed its output but is still running")
		process.Stop()
		return exitFailed
	}
	exit := process.Exit()
	session.AnswerAll(exit.String())
	for begin := time.Now(); ; {
		unread := readable(client)
		time.Sleep(time.Millisecond) // what was just read is being handled
		if !unread || time.Since(begin) > lastRequests {
			break
		}
	}
	session.AnswerAll(exit.String())
	return exit.Code
}

// serverInput is the server's stdin. Closing it begins the shutdown: two seconds later its group is terminated.
type serverInput struct {
	process *transport.ServerProcess
	once    sync.Once
}

func (w *serverInput) Write(b []byte) (int, error) { return w.process.Stdin.Write(b) }

func (w *serverInput) Close() error {
	w.once.Do(func() { go w.process.Stop() })
	return nil
}

// caught is the signal that ended us.
type caught struct{ number syscall.Signal }

func (c caught) Error() string { return c.number.String() }

// endOnSignal ends the session on SIGTERM, SIGINT, SIGHUP and SIGQUIT. They are caught, never ignored, because the server would inherit an
// ignored signal.
func endOnSignal(ctx context.Context, stop context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		select {
		case got := <-signals:
			number, _ := got.(syscall.Signal)
			stop(caught{number})
		case <-ctx.Done():
		}
	}()
}

// answerInitialize waits for the client's first request and answers it with an error, so that the client can show why there is no server.
func answerInitialize(ctx context.Context, s streams, why string) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answerFirst(s, why)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

func answerFirst(s streams, why string) {
	reader := frame.NewReader(s.in, 0)
	for {
		line, err := reader.Next()
		if err != nil {
			return
		}
		var m frame.Message
		if frame.Scan(line, frame.FromClient, &m) != nil || m.Kind != frame.Request {
			continue
		}
		answer := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(line)...)
		answer = append(answer, `,"error":{"code":-32000,"message":`...)
		answer = frame.AppendString(answer, "[Sallyport] "+why)
		s.out.Write(append(answer, "}}\n"...))
		return
	}
}

// hubLink is a wrapper's connection to the hub, with what this process says about itself.
type hubLink struct {
	*control.Link
	home    control.Home
	session string
	server  string
	client  string
	under   vocab.Sandbox   // the server's sandbox, once it was started
	sent    func() []string // secrets that a remote server is sent: an error page can have all of a request in it

	mu      sync.Mutex
	started []int // hubs this process started, which its shutdown must spare

	read atomic.Pointer[settingsRead]
}

// settingsRead are the settings of a state, which never changes: each request to a remote server asks for some.
type settingsRead struct {
	of *control.State
	policy.Wrapper
}

// inForce are the settings in force.
func (l *hubLink) inForce() *policy.Wrapper {
	state, read := l.State(), l.read.Load()
	if read == nil || read.of != state {
		read = &settingsRead{state, policy.ForWrapper(state.Settings)}
		l.read.Store(read)
	}
	return &read.Wrapper
}

// connectLink connects this process to the hub; as describes its server.
func connectLink(ctx context.Context, role control.Role, as control.Register) (*hubLink, error) {
	if err := identity.Check(as.Server); err != nil {
		command := as.Server.Name // an address may have a secret in its query
		if len(as.Server.Argv) > 0 {
			command = as.Server.Argv[0]
		}
		return nil, &transport.StartError{Command: command, Reason: err.Error()}
	}
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &hubLink{home: home, session: vocab.NewRecordID(time.Now()), server: as.Server.Name, client: as.Client}
	as.Session, as.Mark = l.session, transport.Mark()
	l.Link = control.NewLink(context.WithoutCancel(ctx), control.LinkOptions{
		Home: home, Role: role, Version: version, Exe: exe, Started: l.sparing, Register: as,
	})
	runtime.Gosched() // the hub's response takes longest, so request it first
	return l, nil
}

func closeLink(l *hubLink) error {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	return l.Close(ctx)
}

func (l *hubLink) sparing(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = append(l.started, pid)
}

func (l *hubLink) spare() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int(nil), l.started...)
}

func (l *hubLink) record(kind vocab.RecordKind, status vocab.Status, summary string) {
	l.note(vocab.Record{Kind: kind, Status: status, Summary: summary})
}

// note records something about the server as a whole.
func (l *hubLink) note(r vocab.Record) {
	r.Server, r.Client, r.Session = cmp.Or(l.State().Name, legible.Name(l.server, "a server")), l.client, l.session
	l.Record(r)
}

// maxStray is how much of a line that is not a message goes into the server's log.
const maxStray = 400

// stray logs a line of the server's output that is no message.
func (l *hubLink) stray(line []byte) {
	if l.sent != nil {
		for _, secret := range l.sent() {
			line = bytes.ReplaceAll(line, []byte(secret), []byte("***"))
		}
	}
	text := strings.TrimRight(string(line[:min(len(line), maxStray)]), "\r\n")
	l.Stderr([]byte("[stdout, no message] " + text + "\n"))
}
