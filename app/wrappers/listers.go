package wrappers

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// listers chooses, for each client process, the one wrapper that lists Sallyport's own two tools (own_tools = once): otherwise a client
// with eleven servers would send them eleven times in every request. Any wrapper answers calls to them. The office's lock guards it.
type listers struct {
	office *office.Office
	of     map[clientProcess]*lister
	last   map[string]string // by client: id of the server that listed them last; nil before it was read
}

// lister is the choice for one client process; named is nil until it is made.
type lister struct {
	named *liveWrapper
	later *time.Timer
}

// preferred is how long a client process waits for the server that listed our tools last time: with the same one each time, the beginning
// of the model's prompt stays the same.
const preferred = time.Second

// settled is how long a wrapper that took over must live before its server is remembered: when a client ends, its wrappers end one after
// the other, and each would take over from the one before.
const settled = 5 * time.Second

// metaLister is the store's key of listers.last.
const metaLister = "own_tools.last"

// clientProcessOf is the client process of a wrapper. A wrapper without a client has none, and lists our tools itself.
func clientProcessOf(client string, parent control.Parent) clientProcess {
	if client == "" || parent.PID <= 0 {
		return clientProcess{}
	}
	return clientProcess{client, parent}
}

// chooseLister decides who lists our tools when a wrapper has connected. lists means that it did under an earlier hub. The caller holds the
// lock, and sends s its state.
func (w *Wrappers) chooseLister(s *liveWrapper, lists bool) {
	if s.listsFor == (clientProcess{}) {
		return
	}
	l := w.listers.of[s.listsFor]
	if l == nil {
		l = &lister{}
		w.listers.of[s.listsFor] = l
	}
	if l.named != nil && control.Ended(l.named.pid) { // its connection is about to close
		l.named = nil
	}
	last := w.listers.lastOf(s.Client)
	switch {
	case l.named != nil:
	case lists || last == "" || last == s.Server:
		w.nameLister(l, s)
	case l.later == nil:
		process := s.listsFor
		l.later = w.ifStill(process, l, nil, preferred, func() { w.nextLister(process, l, "") })
	}
}

// ifStill calls f after a while, with the lock held, if the choice is still the same then.
func (w *Wrappers) ifStill(process clientProcess, l *lister, named *liveWrapper, after time.Duration, f func()) *time.Timer {
	return time.AfterFunc(after, func() {
		w.office.Lock()
		defer w.office.Unlock()
		if w.listers.of[process] == l && l.named == named && !w.over() {
			f()
		}
	})
}

// lostLister replaces the wrapper that listed our tools after it has gone. The caller holds the lock and has removed s from w.sessions.
func (w *Wrappers) lostLister(s *liveWrapper) {
	l := w.listers.of[s.listsFor]
	if l == nil || w.office.Leaving() {
		return
	}
	if l.named == s || !slices.ContainsFunc(w.ordered(), func(other *liveWrapper) bool { return other.listsFor == s.listsFor }) {
		w.nextLister(s.listsFor, l, s.Server)
	}
}

// nextLister chooses the oldest wrapper, preferably one of the same server, and pushes the choice to it and the others.
func (w *Wrappers) nextLister(process clientProcess, l *lister, server string) {
	var next *liveWrapper
	for _, s := range w.ordered() {
		if s.listsFor == process && (next == nil || server != "" && next.Server != server && s.Server == server) {
			next = s
		}
	}
	if next == nil {
		if l.later != nil {
			l.later.Stop()
		}
		delete(w.listers.of, process)
		return
	}
	if server == "" {
		w.nameLister(l, next)
	} else {
		w.tellLister(l, next)
		w.ifStill(process, l, next, settled, func() { w.listers.remember(next.Client, next.Server) })
	}
	w.push(next)
}

// over reports whether the hub is ending, so that nothing new may start.
func (w *Wrappers) over() bool {
	select {
	case <-w.opts.Closing:
		return true
	default:
		return w.office.Leaving()
	}
}

// nameLister makes the choice and remembers it.
func (w *Wrappers) nameLister(l *lister, s *liveWrapper) {
	w.tellLister(l, s)
	w.listers.remember(s.Client, s.Server)
}

// tellLister makes the choice and pushes it to the wrappers that wait for it.
func (w *Wrappers) tellLister(l *lister, s *liveWrapper) {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
	l.named = s
	for _, other := range w.ordered() {
		if other != s && other.listsFor == s.listsFor {
			w.push(other)
		}
	}
}

// ownToolsOf is what a wrapper's State says about our tools.
func (w *Wrappers) ownToolsOf(s *liveWrapper) string {
	l := w.listers.of[s.listsFor]
	switch {
	case s.listsFor == (clientProcess{}) || l == nil:
		return ""
	case l.named == nil:
		return control.OwnToolsLater
	case l.named == s:
		return control.OwnToolsHere
	}
	return control.OwnToolsThere
}

// lastOf is the server that last listed our tools for a client, "" if that can't be read.
func (l *listers) lastOf(client string) string {
	if l.last == nil {
		l.last = map[string]string{}
		if l.office.Store != nil {
			_ = l.office.Store.View(func(tx *store.Tx) error { return tx.MetaJSON(metaLister, &l.last) })
		}
	}
	return l.last[client]
}

// maxListers limits the remembered clients.
const maxListers = 100

// remember stores the choice if it changed, which is once per client unless its server goes away.
func (l *listers) remember(client, server string) {
	if l.lastOf(client) == server {
		return
	}
	last := maps.Clone(l.last)
	if len(last) >= maxListers {
		clear(last)
	}
	last[client] = server
	l.last = last
	if l.office.Usable() != nil {
		return
	}
	err := l.office.Update(func(tx *store.Tx) (bool, error) { return true, tx.SetMetaJSON(metaLister, last) })
	if errors.Is(err, store.ErrCorrupt) {
		l.office.Failed(err) // after any other failure the next start takes a second longer at most
	}
}
