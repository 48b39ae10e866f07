package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// begin starts the background goroutines.
func (h *Hub) begin() {
	h.office.Lock()
	h.idling()
	h.office.Unlock()
	h.work.Go(h.CollectSpool)
	h.work.Go(func() { h.KeepTending(h.closing) })
	h.work.Go(func() { h.KeepCalls(h.closing) })
	h.work.Go(h.WatchSettings)
	h.work.Go(h.WatchRules)
	h.work.Go(h.WatchClients)
	h.work.Go(h.extensions.Watch)
	h.work.Go(h.watchHome)
	h.work.Go(h.keepPruning)
	if h.office.Store != nil {
		h.work.Go(func() { h.witness.Keep(h.closing) })
	}
	if h.opts.Keychain != nil {
		h.work.Go(h.moveSecrets)
	}
	h.work.Go(func() { h.Providers.Tell(h.closing) })
}

// Done is closed when the hub wants to end: it stepped down, its last wrapper is gone, or its home vanished. Its owner then stops serving
// and calls Close.
func (h *Hub) Done() <-chan struct{} { return h.done }

func (h *Hub) end() { h.ended.Do(func() { close(h.done) }) }

// idling starts the clock of a hub started by a wrapper when no wrapper is left, and stops it when one connects. The caller holds the lock.
func (h *Hub) idling() {
	if h.opts.StartedBy != ByWrapper {
		return
	}
	if h.idle != nil {
		h.idle.Stop()
		h.idle = nil
	}
	if !h.NoneConnected() || h.office.Leaving() {
		return
	}
	linger := h.opts.Linger
	if control.Replaced() {
		linger = 0 // new wrappers will be of another version, and this hub would be in their way
	}
	h.idle = time.AfterFunc(linger, func() {
		h.office.Lock()
		defer h.office.Unlock()
		if h.NoneConnected() {
			h.office.Leave(false)
		}
	})
}

// Serve answers on listener until the hub or ctx ends. again means that another hub should replace it on the same socket.
func (h *Hub) Serve(ctx context.Context, listener *control.Listener, log *slog.Logger) (again bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-h.Done():
			if h.BeginsAgain() {
				stop(control.ErrAgain)
			}
			stop(nil)
		case <-ctx.Done():
		}
	}()
	err = control.Serve(ctx, listener, h, control.Options{Log: log})
	return errors.Is(context.Cause(ctx), control.ErrAgain), err
}

// Show raises the window of this hub for a second start of its program. A program inside a wrapped server may not, because it could time the
// window to get a careless click.
func (h *Hub) Show(peer control.Peer, route string) error {
	switch {
	case peer.Descends:
		return office.Answer(control.CodeDescends, "a program inside a guarded server can't open the window")
	case h.opts.Show == nil:
		return office.Answer(control.CodeNotHere, "this hub has no window")
	}
	h.opts.Show(route)
	return nil
}

// StepDown gives way to a hub that a person started, once everything accepted is on disk. If a person started this one too, the second one
// ends instead.
func (h *Hub) StepDown(peer control.Peer) error {
	h.office.Lock()
	defer h.office.Unlock()
	switch {
	case peer.Descends:
		return office.Answer(control.CodeDescends, "a program inside a guarded server can't stop the hub")
	case peer.Role != control.RoleHub:
		return office.Answer(control.CodeBadRequest, "only another hub can take over")
	case h.opts.StartedBy != ByWrapper:
		return office.Answer(control.CodeNotHere, "a hub you started is already running")
	}
	h.office.Leave(false)
	return nil
}

// watchHome ends the hub when its home, or the store in it, is gone or replaced: what it writes would never be read.
func (h *Hub) watchHome() {
	first := map[string]os.FileInfo{}
	same := func(path string) bool {
		now, err := os.Lstat(path)
		if first[path] == nil {
			first[path] = now
		}
		return err == nil && os.SameFile(first[path], now)
	}
	stored := h.office.Store != nil
	ticker := time.NewTicker(h.opts.HomeCheck)
	defer ticker.Stop()
	for same(h.opts.Home.Dir) && (!stored || same(h.opts.Home.Store)) {
		select {
		case <-h.closing:
			return
		case <-ticker.C:
		}
	}
	h.office.Lock()
	defer h.office.Unlock()
	h.office.Leave(false)
}
