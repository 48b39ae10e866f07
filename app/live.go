package app

import (
	"slices"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// running are the wrappers that clients started.
func (h *Hub) running() (all []*office.Wrapper) {
	for _, s := range h.sessions {
		if !s.looks() {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// connected lists the live wrappers, the one that is there longest first. shown are the names of their servers, by id.
func (h *Hub) connected(shown map[string]string) []control.WrapperInfo {
	list := []control.WrapperInfo{}
	for _, s := range h.ordered() {
		list = append(list, control.WrapperInfo{PID: s.pid, Server: h.nameOf(&s.Wrapper), Shown: shown[s.Server], Client: s.Client, Session: s.Session, Since: s.since})
	}
	return list
}

// addLive adds to the row of a server what only its live wrappers tell.
func (h *Hub) addLive(row *control.Server) {
	for _, s := range h.sessions {
		if s.Server == row.ID && !s.looks() {
			row.Wrappers++
		}
	}
	row.RunsIn, row.UnseenBy = h.runsUnder(row.ID), h.unseenBy(row.ID)
	if st := h.servers[row.ID]; st != nil && st.lastSeen.After(row.LastSeen) {
		row.LastSeen = st.lastSeen.UTC()
	}
}

// behind is the first client that has not seen all that is allowed of a server, by the server's id.
func (h *Hub) behind() map[string]string {
	clients := map[string]string{}
	for s := range h.unseen.by {
		if !h.begunAnew(s) && (clients[s.Server] == "" || s.Client < clients[s.Server]) {
			clients[s.Server] = s.Client
		}
	}
	return clients
}

// runsUnder are what the live wrappers of a server have it under, weakest first.
func (h *Hub) runsUnder(server string) (all []string) {
	for _, s := range h.sessions {
		if s.Server == server && s.sandbox != "" && !slices.Contains(all, s.sandbox) {
			all = append(all, s.sandbox)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return slices.Index(levels, a) - slices.Index(levels, b) })
	return all
}

// wrappersOf are the live wrappers of a server, the one that is there longest first.
func (h *Hub) wrappersOf(server string) (all []*office.Wrapper) {
	for _, s := range h.ordered() {
		if s.Server == server {
			all = append(all, &s.Wrapper)
		}
	}
	return all
}

// wrapperOf is the wrapper behind a connection, nil before it registered.
func (h *Hub) wrapperOf(w control.Wrapper) *office.Wrapper {
	if s := h.sessions[w]; s != nil {
		return &s.Wrapper
	}
	return nil
}

// anyWrapper says whether a live wrapper is so.
func (h *Hub) anyWrapper(is func(*office.Wrapper) bool) bool {
	for _, s := range h.sessions {
		if is(&s.Wrapper) {
			return true
		}
	}
	return false
}

// nameOf is what the records of a wrapper call its server.
func (h *Hub) nameOf(s *office.Wrapper) string {
	if st := h.servers[s.Server]; st != nil {
		return st.base.Name
	}
	return s.Name
}
