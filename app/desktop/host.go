package desktop

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
)

// host runs the hub in this process, and opens it again if its store was damaged meanwhile.
type host struct {
	listener *control.Listener
	options  app.Options
	log      *slog.Logger

	hub   atomic.Pointer[app.Hub]
	pulse chan struct{} // something changed
	stop  context.CancelCauseFunc
	ended chan struct{}
	err   error // once ended
}

// openHost opens the hub on a socket that we already own. It serves until close, or until the home is gone.
func openHost(listener *control.Listener, options app.Options, log *slog.Logger) (*host, error) {
	h := &host{listener: listener, options: options, log: log, pulse: make(chan struct{}, 1), ended: make(chan struct{})}
	h.options.Changed = h.changed
	first, err := app.Open(h.options)
	if err != nil {
		return nil, err
	}
	h.hub.Store(first)
	ctx, stop := context.WithCancelCause(context.Background())
	h.stop = stop
	go func() {
		defer close(h.ended)
		h.err = h.serve(ctx, first)
	}()
	return h, nil
}

func (h *host) changed() {
	select {
	case h.pulse <- struct{}{}:
	default:
	}
}

func (h *host) serve(ctx context.Context, hub *app.Hub) error {
	for {
		again, err := hub.Serve(ctx, h.listener, h.log)
		h.hub.Store(nil)
		_ = hub.Close()
		if !again || err != nil || ctx.Err() != nil {
			return err
		}
		h.options.Damage = hub.Damage()
		if hub, err = app.Open(h.options); err != nil {
			return err
		}
		h.hub.Store(hub)
		h.changed()
	}
}

// close ends the hub: it writes what is queued and releases the store and the socket.
func (h *host) close() error {
	h.stop(nil)
	<-h.ended
	return h.err
}

// calm limits how often the page and the icon hear of changes: a busy server changes the timeline hundreds of times a second.
const calm = 250 * time.Millisecond

// follow passes changes on to the shell and the icon until the hub has ended.
func (h *host) follow(shell *Shell, say *attention) {
	for {
		select {
		case <-h.ended:
			return
		case <-h.pulse:
		}
		if hub := h.hub.Load(); hub != nil {
			say.follow(hub)
			shell.Changed()
		}
		select {
		case <-h.ended:
			return
		case <-time.After(calm):
		}
	}
}
