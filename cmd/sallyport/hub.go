package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/transport"
)

type hubCommand struct {
	AllowCLIApproval bool `name:"allow-cli-approval" help:"Allow decisions from a terminal. Must be set when the data folder is first created."`
	StartedByWrapper bool `name:"started-by-wrapper" hidden:""`
}

// run is the hub without a window, until it is told to end, steps down for another, or loses its home.
func (c hubCommand) run(ctx context.Context, s streams) (int, error) {
	signal.Ignore(syscall.SIGHUP) // a hub outlives the terminal it was started in
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return exitFailed, err
	}
	if !c.StartedByWrapper && control.StartedInside() {
		return exitFailed, control.ErrInside
	}
	options := app.Options{Home: home, StartedBy: app.ByPerson, AllowCLI: c.AllowCLIApproval, Version: version, Keychain: keychain.Seals(home.Dir)}
	var listener *control.Listener
	if c.StartedByWrapper {
		options.StartedBy, options.AllowCLI = app.ByWrapper, false
		transport.GiveWay(false) // undo what the wrapper that started us may have set
		listener, err = control.Listen(home)
	} else {
		listener, err = control.TakeOver(ctx, home, control.DialOptions{Version: version})
	}
	if err != nil {
		return exitFailed, err
	}
	defer listener.Close() // last: a process waiting to take over treats this as the release of everything
	// Logs to the terminal it was started on; if a wrapper started it, that is a file.
	problems := saying(s.err)
	options.Problem = func(p control.Problem) {
		select {
		case problems <- p:
		default: // nobody reads the terminal; status has it
		}
	}
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for again, said := true, false; again && err == nil && ctx.Err() == nil; said = true {
		var hub *app.Hub
		if hub, err = app.Open(options); err != nil {
			break
		}
		if !said && !c.StartedByWrapper {
			c.say(s.out, hub.Welcome(control.Peer{}), listener)
		}
		again, err = hub.Serve(ctx, listener, log)
		_ = hub.Close()
		options.Damage = hub.Damage()
	}
	if errors.Is(err, control.ErrHomeGone) {
		err = fmt.Errorf("%w: start it again, or use another SALLYPORT_HOME", err)
	}
	return exitFine, err
}

// maxSaid is the longest text of a problem, in characters; a path fits whole.
const maxSaid = 4096

// saying prints problems as they come, each on one line. A terminal that takes none delays no hub.
func saying(to io.Writer) chan control.Problem {
	problems := make(chan control.Problem, 64)
	go func() {
		for p := range problems {
			fmt.Fprintf(to, "sallyport: %s: %s; %s\n", p.Code, terminal.Short(p.What, maxSaid), terminal.Short(p.Next, maxSaid))
		}
	}()
	return problems
}

// say prints what this hub is allowed to do, once it answers.
func (c hubCommand) say(out io.Writer, w control.Welcome, listener *control.Listener) {
	fmt.Fprintf(out, "The hub is running on %s.\n", listener.Path())
	switch {
	case w.CLIApproval:
		fmt.Fprintln(out, "You can decide from a terminal: sallyport inbox, show, approve.")
	case c.AllowCLIApproval:
		fmt.Fprintln(out, "--allow-cli-approval is ignored: this data folder was not created with it. Decide in the window.")
	default:
		fmt.Fprintln(out, "It takes no decisions: what is new or changed stays blocked until you review it in the window.")
	}
}
