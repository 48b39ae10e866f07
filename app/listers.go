package app

import (
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// listers is which wrapper of each client process lists Sallyport's own two tools (own_tools = once): a client with eleven servers
// would otherwise carry them eleven times in every request. Any wrapper answers calls to them. the office's lock guards it.
type listers struct {
	of   map[clientProcess]*lister
	last map[string]string // by client: id of the server that listed them last; nil before the store was asked
}

// lister is the choice for one client process. named nil: it is still to be made.
type lister struct {
	named *liveWrapper
	later *time.Timer
}

// preferred is how long a client process waits for the server that listed our tools last. The same one each time keeps the beginning of
// the model's prompt the same.
const preferred = time.Second

// settled is how long a wrapper that took over must be there before its server counts as the last one: when a client ends, its wrappers
// end one after the other, and none of them lists anything any more.
const settled = 5 * time.Second

// metaLister keeps listers.last.
const metaLister = "own_tools.last"

// clientProcessOf is the client process of a wrapper; one without a client has none, and lists our tools itself.
func clientProcessOf(client string, parent control.Parent) clientProcess {
	if client == "" || parent.PID <= 0 {
		return clientProcess{}
	}
	return clientProcess{client, parent}
}

// chooseLister settles who lists our tools when a wrapper has come. lists: it did so under a hub before this one. The caller holds the lock, and
// brings s its state.
func (h *Hub) chooseLister(s *liveWrapper, lists bool) {
	if s.listsFor == (clientProcess{}) {
		return
	}
	l := h.listers.of[s.listsFor]
	if l == nil {
		l = &lister{}
		h.listers.of[s.listsFor] = l
	}
	if l.named != nil && control.Ended(l.named.pid) { // its connection is about to be
		l.named = nil
	}
	last := h.lastLister(s.Client)
	switch {
	case l.named != nil:
	case lists || last == "" || last == s.Server:
		h.nameLister(l, s)
	case l.later == nil:
		process := s.listsFor
		l.later = time.AfterFunc(preferred, func() {
			h.office.Lock()
			defer h.office.Unlock()
			if h.listers.of[process] == l && l.named == nil && !h.over() {
				h.nextLister(process, l, "")
			}
		})
	}
}

// lostLister names another wrapper when the one that listed our tools has gone. The caller holds the lock and has taken s out of h.sessions.
func (h *Hub) lostLister(s *liveWrapper) {
	l := h.listers.of[s.listsFor]
	if l == nil || h.office.Leaving() {
		return
	}
	if l.named == s || !h.hasProcess(s.listsFor) {
		h.nextLister(s.listsFor, l, s.Server)
	}
}

func (h *Hub) hasProcess(process clientProcess) bool {
	for _, s := range h.sessions {
		if s.listsFor == process {
			return true
		}
	}
	return false
}

// nextLister names the wrapper that is there longest, one of the same server first, and tells it and the others.
func (h *Hub) nextLister(process clientProcess, l *lister, server string) {
	var next *liveWrapper
	for _, s := range h.ordered() {
		if s.listsFor == process && (next == nil || server != "" && next.Server != server && s.Server == server) {
			next = s
		}
	}
	if next == nil {
		if l.later != nil {
			l.later.Stop()
		}
		delete(h.listers.of, process)
		return
	}
	if server == "" {
		h.nameLister(l, next)
	} else {
		h.tellLister(l, next)
		time.AfterFunc(settled, func() {
			h.office.Lock()
			defer h.office.Unlock()
			if h.listers.of[process] == l && l.named == next && !h.over() {
				h.rememberLister(next.Client, next.Server)
			}
		})
	}
	h.push(next)
}

// over says that nothing may be begun any more.
func (h *Hub) over() bool {
	select {
	case <-h.closing:
		return true
	default:
		return h.office.Leaving()
	}
}

// nameLister makes the choice, and remembers it.
func (h *Hub) nameLister(l *lister, s *liveWrapper) {
	h.tellLister(l, s)
	h.rememberLister(s.Client, s.Server)
}

// tellLister makes the choice, and tells those that wait for it.
func (h *Hub) tellLister(l *lister, s *liveWrapper) {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
	l.named = s
	for _, other := range h.ordered() {
		if other != s && other.listsFor == s.listsFor {
			h.push(other)
		}
	}
}

// ownToolsOf is what a wrapper's State says of our tools.
func (h *Hub) ownToolsOf(s *liveWrapper) string {
	l := h.listers.of[s.listsFor]
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

// lastLister is the server that listed our tools for a client last. What cannot be read is nobody.
func (h *Hub) lastLister(client string) string {
	if h.listers.last == nil {
		h.listers.last = map[string]string{}
		if h.office.Store != nil {
			_ = h.office.Store.View(func(tx *store.Tx) error {
				raw, err := tx.Meta(metaLister)
				if err == nil {
					err = json.Unmarshal(raw, &h.listers.last)
				}
				return err
			})
		}
	}
	return h.listers.last[client]
}

// maxListers bounds the clients that are remembered.
const maxListers = 100

// rememberLister writes the choice down where it is another one: once for a client, and when the server is gone.
func (h *Hub) rememberLister(client, server string) {
	if h.lastLister(client) == server {
		return
	}
	last := maps.Clone(h.listers.last)
	if len(last) >= maxListers {
		clear(last)
	}
	last[client] = server
	h.listers.last = last
	if h.office.Usable() != nil {
		return
	}
	raw, err := json.Marshal(last)
	if err == nil {
		err = h.office.Update(func(tx *store.Tx) (bool, error) { return true, tx.SetMeta(metaLister, raw) })
	}
	if err != nil && errors.Is(err, store.ErrCorrupt) {
		h.office.Failed(err) // any other failure costs the next start a second at most
	}
}
