package app

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// running are the wrappers that clients started.
func (w *Wrappers) running() (all []*office.Wrapper) {
	for _, s := range w.sessions {
		if !s.looks() {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// connected lists the live wrappers, the one that is there longest first. shown are the names of their servers, by id.
func (w *Wrappers) connected(shown map[string]string) []control.WrapperInfo {
	list := []control.WrapperInfo{}
	for _, s := range w.ordered() {
		list = append(list, control.WrapperInfo{PID: s.pid, Server: w.nameOf(&s.Wrapper), Shown: shown[s.Server], Client: s.Client, Session: s.Session, Since: s.since})
	}
	return list
}

// addLive adds to the row of a server what only its live wrappers tell.
func (w *Wrappers) addLive(row *control.Server) {
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

// behind is the first client that has not seen all that is allowed of a server, by the server's id.
func (w *Wrappers) behind() map[string]string {
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

// wrappersOf are the live wrappers of a server, the one that is there longest first.
func (w *Wrappers) wrappersOf(server string) (all []*office.Wrapper) {
	for _, s := range w.ordered() {
		if s.Server == server {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// wrapperOf is the wrapper behind a connection, nil before it registered.
func (w *Wrappers) wrapperOf(conn control.Wrapper) *office.Wrapper {
	if s := w.sessions[conn]; s != nil {
		return &s.Wrapper
	}
	return nil
}

// anyWrapper says whether a live wrapper is so.
func (w *Wrappers) anyWrapper(is func(*office.Wrapper) bool) bool {
	for _, s := range w.sessions {
		if is(&s.Wrapper) {
			return true
		}
	}
	return false
}

// nameOf is what the records of a wrapper call its server.
func (w *Wrappers) nameOf(s *office.Wrapper) string {
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
