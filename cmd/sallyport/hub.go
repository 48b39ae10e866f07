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
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/transport"
)

// runHub is the hub without a window, until it is told to end, steps down for another, or loses its home.
func runHub(ctx context.Context, o hubOptions, s streams) int {
	signal.Ignore(syscall.SIGHUP) // a hub outlives the terminal it was started in
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return fail(s, exitFailed, "hub", err)
	}
	if !o.startedByWrapper && control.StartedInside() {
		return fail(s, exitFailed, "hub", control.ErrInside)
	}
	startedBy := app.ByPerson
	var listener *control.Listener
	if o.startedByWrapper {
		startedBy, o.allowCLIApproval = app.ByWrapper, false
		transport.GiveWay(false) // undo what the wrapper that started us may have set
		listener, err = control.Listen(home)
	} else {
		listener, err = control.TakeOver(ctx, home, control.DialOptions{Version: version})
	}
	if err != nil {
		return fail(s, exitFailed, "hub", err)
	}
	defer listener.Close() // last: a process waiting to take over treats this as the release of everything
	// Logs to the terminal it was started on; if a wrapper started it, that is a file.
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := app.Options{Home: home, StartedBy: startedBy, AllowCLI: o.allowCLIApproval, Version: version}
	for again, said := true, false; again && err == nil && ctx.Err() == nil; said = true {
		var hub *app.Hub
		if hub, err = app.Open(options); err != nil {
			break
		}
		if !said {
			sayHub(s.out, hub.Welcome(control.Peer{}), o, listener)
		}
		again, err = hub.Serve(ctx, listener, log)
		_ = hub.Close()
		options.Damage = hub.Damage()
	}
	switch {
	case errors.Is(err, control.ErrHomeGone):
		return fail(s, exitFailed, "hub", fmt.Errorf("%w: start it again, or use another SALLYPORT_HOME", err))
	case err != nil:
		return fail(s, exitFailed, "hub", err)
	}
	return exitFine
}

// sayHub says what this hub is allowed to do, once it answers.
func sayHub(out io.Writer, w control.Welcome, o hubOptions, listener *control.Listener) {
	if o.startedByWrapper {
		return
	}
	fmt.Fprintf(out, "The hub is running on %s.\n", listener.Path())
	switch {
	case w.CLIApproval:
		fmt.Fprintln(out, "You can decide from a terminal: sallyport inbox, show, approve.")
	case o.allowCLIApproval:
		fmt.Fprintln(out, "--allow-cli-approval is ignored: this data folder was not created with it. Decide in the window.")
	default:
		fmt.Fprintln(out, "It takes no decisions: what is new or changed stays blocked until you review it in the window.")
	}
}
