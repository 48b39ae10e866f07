package proxy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/launch"
	"github.com/sallyport/sallyport/proxy/transport"
)

// LaunchHub is what a Launcher needs of the hub. proxy/control's Link implements it.
type LaunchHub interface {
	State() *control.State
	WaitState(ctx context.Context) error
	Subscribe(f func(connected bool))
	Launch(ctx context.Context, report control.LaunchReport) (*control.State, error)
}

// Launcher tells the hub what a server's command runs, before the start and once it runs, and knows whether it may.
//
// Call Before first, and Started if it returned true. Without a hub it may not: anything that would load code into the server must be
// checked before it does.
type Launcher struct {
	hub     LaunchHub
	command transport.Command
	client  string
	wait    time.Duration

	answered     chan struct{}
	answeredOnce sync.Once
	settled      chan struct{} // everything has been reported to the hub
	settledOnce  sync.Once
	last         atomic.Pointer[control.LaunchVerdict]

	reporting sync.Mutex // one report at a time
	mu        sync.Mutex
	look      *launch.Look
	told      bool // the hub has the content of look
	final     bool // look is complete
	ended     bool // it ended before all of it could be seen
	running   bool
	alone     bool // started without asking the hub: the report follows once it runs
}

// NewLauncher prepares the launch of one command by a client, "" if unknown. wait limits the wait for the hub's first message; 0 means five
// seconds.
func NewLauncher(hub LaunchHub, command transport.Command, client string, wait time.Duration) *Launcher {
	if wait == 0 {
		wait = 5 * time.Second
	}
	l := &Launcher{hub: hub, command: command, client: client, wait: wait, answered: make(chan struct{}), settled: make(chan struct{})}
	l.last.Store(new(control.LaunchHold))
	return l
}

// Before reports whether the server may be started. It waits for the hub.
func (l *Launcher) Before(ctx context.Context) bool {
	bounded, cancel := context.WithTimeout(ctx, l.wait)
	find := sync.OnceValues(func() (*launch.Look, error) { return launch.Find(l.command) })
	go find() // while we wait for the hub
	if l.hub.WaitState(bounded) == nil {
		l.examine(bounded, true, find)
	}
	cancel()
	// From here on, tell a hub again when it comes or comes back.
	l.hub.Subscribe(func(connected bool) {
		if connected {
			go l.again(ctx)
		}
	})
	return l.verdict(l.hub.State()) != control.LaunchHold
}

// verdict is the hub's word on this launch. A hub that came back and has not been told yet revokes nothing.
func (l *Launcher) verdict(state *control.State) control.LaunchVerdict {
	if state.Launch != nil && state.Launch.Verdict != "" {
		l.last.Store(new(state.Launch.Verdict))
		return state.Launch.Verdict
	}
	return *l.last.Load()
}

// examine looks at what would run before anything runs, and tells the hub. If alone is set, it asks only if the current state does not
// settle it.
func (l *Launcher) examine(ctx context.Context, alone bool, find func() (*launch.Look, error)) {
	l.reporting.Lock()
	defer l.reporting.Unlock()
	state := l.hub.State()
	known := state.Launch
	if known == nil || known.Verdict == control.LaunchGo { // a hub without a store, or one that pins no launches
		if known != nil {
			l.verdict(state)
			l.settle()
		}
		return
	}
	look, err := find()
	if err != nil {
		// A command that can't be found can't be started; the start will say why.
		l.last.Store(new(control.LaunchGo))
		l.settle()
		return
	}
	look.Know(launch.Options{Client: known.Client, For: l.client, Key: known.Key, Known: known.Files})
	as := look.Form
	// A first launch belongs to the first review, which lets nothing through yet. An unchanged one may run, and the hub is told everything
	// then.
	if alone && (known.First || len(known.Allowed) > 0 && !as.Against(known.Allowed).Drifted()) {
		l.goes(look)
		return
	}
	// Store it before reporting: the hub's response wakes others, which may have started the server before we return.
	l.keep(look, false)
	if !known.First && state.Settings["pins.launch"] == "block" {
		_ = look.Fill() // an unreadable file is marked as such
		look.Installed()
	}
	state, err = l.hub.Launch(ctx, control.LaunchReport{Form: look.Form, Files: look.Stamps()})
	if err == nil && l.verdict(state) == control.LaunchHold && !look.Form.Known() {
		// Held because of something seen without reading a file: the person is shown everything.
		_ = look.Fill()
		look.Installed()
		state, err = l.hub.Launch(ctx, control.LaunchReport{Form: look.Form, Files: look.Stamps()})
	}
	l.keep(look, err == nil)
	if err == nil {
		l.verdict(state)
	}
}

func (l *Launcher) keep(look *launch.Look, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look, l.told = look, told
}

// goes starts the server on what is known; the rest is reported once it runs.
func (l *Launcher) goes(look *launch.Look) {
	l.last.Store(new(control.LaunchGo))
	l.mu.Lock()
	l.look, l.told, l.alone = look, false, true
	l.mu.Unlock()
}

// again tells a hub that was away.
func (l *Launcher) again(ctx context.Context) {
	if state := l.hub.State(); state.Launch == nil || state.Launch.Verdict != "" {
		return // the hub knows already
	}
	l.mu.Lock()
	final, running := l.final, l.running || l.alone
	l.told = false
	l.mu.Unlock()
	switch {
	case final:
		l.report(ctx)
	case !running:
		l.examine(ctx, false, func() (*launch.Look, error) { return launch.Find(l.command) }) // the response is a state, and wakes what waits for it
	}
}

// report sends a complete look.
func (l *Launcher) report(ctx context.Context) {
	l.reporting.Lock()
	defer l.reporting.Unlock()
	l.mu.Lock()
	look, told, ended := l.look, l.told, l.ended
	l.mu.Unlock()
	if told {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	state, err := l.hub.Launch(bounded, control.LaunchReport{Form: look.Form, Final: !ended, Ended: ended, Files: look.Stamps()})
	if err != nil {
		return // again reports it when the hub is back
	}
	l.mu.Lock()
	l.told = true
	l.mu.Unlock()
	l.verdict(state)
	l.settle()
}

// Running is a server's process, such as proxy/transport's ServerProcess.
type Running interface {
	PID() int
	Pipes() (input, output uint64)
	Exited() <-chan struct{}
}

// Started watches the running server in the background. walled: it runs in a sandbox.
func (l *Launcher) Started(ctx context.Context, process Running, walled bool) {
	server := launch.Server{PID: process.PID, Exited: process.Exited(), Walled: walled}
	server.Input, server.Output = process.Pipes()
	l.mu.Lock()
	look := l.look
	l.running = true
	l.mu.Unlock()
	if look == nil {
		return
	}
	state := l.hub.State()
	hurry := state.Launch == nil || state.Launch.First || look.Runs()
	go func() {
		if !hurry {
			l.aside(ctx, server)
		}
		l.reporting.Lock() // a look is used by one goroutine at a time
		_ = look.Fill()
		whole := look.Running(ctx, server, l.answered)
		l.mu.Lock()
		l.final, l.ended, l.told = true, !whole, false
		l.mu.Unlock()
		l.reporting.Unlock()
		l.report(ctx)
	}()
}

// aside waits until the server has answered and its client has had its first responses: the files are the approved ones, so reading the
// rest must not slow the start.
func (l *Launcher) aside(ctx context.Context, server launch.Server) {
	pause := func(until <-chan struct{}, limit time.Duration) {
		select {
		case <-until:
		case <-server.Exited:
		case <-time.After(limit):
		case <-ctx.Done():
		}
	}
	pause(l.answered, 10*time.Second)
	pause(nil, 250*time.Millisecond)
}

// Answered says that the server has answered its client, so it is running.
func (l *Launcher) Answered() { l.answeredOnce.Do(func() { close(l.answered) }) }

func (l *Launcher) settle() { l.settledOnce.Do(func() { close(l.settled) }) }

// Wait waits until the hub knows what runs.
func (l *Launcher) Wait(ctx context.Context) {
	select {
	case <-l.settled:
	case <-ctx.Done():
	}
}

// Settle waits until the hub knows what an unreviewed server runs, because that belongs to the first review. It leaves half of ctx's time
// for reporting the rest: a review without a launch is better than none.
func (l *Launcher) Settle(ctx context.Context) {
	if state := l.hub.State(); state.Launch == nil || !state.Launch.First {
		return
	}
	if deadline, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	l.Wait(ctx)
}
