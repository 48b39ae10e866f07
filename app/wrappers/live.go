package wrappers

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// Running are the wrappers that clients started.
func (w *Wrappers) Running() (all []*office.Wrapper) {
	for _, s := range w.sessions {
		if !s.looks() {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// Connected lists the live wrappers, the one that is there longest first. shown are the names of their servers, by id.
func (w *Wrappers) Connected(shown map[string]string) []control.WrapperInfo {
	list := []control.WrapperInfo{}
	for _, s := range w.ordered() {
		list = append(list, control.WrapperInfo{PID: s.pid, Server: w.NameOf(&s.Wrapper), Shown: shown[s.Server], Client: s.Client, Session: s.Session, Since: s.since})
	}
	return list
}

// AddLive adds to the row of a server what only its live wrappers tell.
func (w *Wrappers) AddLive(row *control.Server) {
	for _, s := range w.sessions {
		if s.Server == row.ID && !s.looks() {
			row.Wrappers++
		}
	}
	row.RunsIn, row.UnseenBy = w.runsUnder(row.ID), w.unseenBy(row.ID)
	if st := w.servers[row.ID]; st != nil && st.lastSeen.After(row.LastSeen) {
		row.LastSeen = st.lastSeen.UTC()
	}
}

// Behind is the first client that has not seen all that is allowed of a server, by the server's id.
func (w *Wrappers) Behind() map[string]string {
	clients := map[string]string{}
	for s := range w.unseen.by {
		if !w.begunAnew(s) && (clients[s.Server] == "" || s.Client < clients[s.Server]) {
			clients[s.Server] = s.Client
		}
	}
	return clients
}

// runsUnder are what the live wrappers of a server have it under, weakest first.
func (w *Wrappers) runsUnder(server string) (all []string) {
	for _, s := range w.sessions {
		if s.Server == server && s.sandbox != "" && !slices.Contains(all, s.sandbox) {
			all = append(all, s.sandbox)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return slices.Index(levels, a) - slices.Index(levels, b) })
	return all
}

// WrappersOf are the live wrappers of a server, the one that is there longest first.
func (w *Wrappers) WrappersOf(server string) (all []*office.Wrapper) {
	for _, s := range w.ordered() {
		if s.Server == server {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// WrapperOf is the wrapper behind a connection, nil before it registered.
func (w *Wrappers) WrapperOf(conn control.Wrapper) *office.Wrapper {
	if s := w.sessions[conn]; s != nil {
		return &s.Wrapper
	}
	return nil
}

// AnyWrapper says whether a live wrapper is so.
func (w *Wrappers) AnyWrapper(is func(*office.Wrapper) bool) bool {
	for _, s := range w.sessions {
		if is(&s.Wrapper) {
			return true
		}
	}
	return false
}

// NameOf is what the records of a wrapper call its server.
func (w *Wrappers) NameOf(s *office.Wrapper) string {
	if st := w.servers[s.Server]; st != nil {
		return st.base.Name
	}
	return s.Name
}

// startedLast is when a wrapper of a server last came or went, as far as this hub has seen: what one that ended says of itself is no
// news after that.
func (w *Wrappers) startedLast(server string) (last time.Time) {
	for _, s := range w.sessions {
		if s.Server == server && s.since.After(last) {
			last = s.since
		}
	}
	return last
}

// NoneConnected says that no wrapper is connected.
func (w *Wrappers) NoneConnected() bool { return len(w.sessions) == 0 }
