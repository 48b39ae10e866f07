package wrappers

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
)

// Connected lists the live wrappers, oldest first. shown has the names of their servers by id.
func (w *Wrappers) Connected(shown map[string]string) []control.WrapperInfo {
	list := []control.WrapperInfo{}
	for _, s := range w.ordered() {
		list = append(list, control.WrapperInfo{PID: s.pid, Server: w.NameOf(&s.Wrapper), Shown: shown[s.Server], Client: s.Client, Session: s.Session, Since: s.since})
	}
	return list
}

// AddLive adds what only a server's live wrappers know to its row.
func (w *Wrappers) AddLive(row *control.Server) {
	for _, s := range w.sessions {
		if s.Server != row.ID {
			continue
		}
		if !s.looks() {
			row.Wrappers++
		}
		if s.sandbox != "" && !slices.Contains(row.RunsIn, s.sandbox) {
			row.RunsIn = append(row.RunsIn, s.sandbox)
		}
	}
	slices.Sort(row.RunsIn) // weakest first
	row.UnseenBy = []string{}
	for s := range w.stillUnseen() {
		if s.Server == row.ID {
			row.UnseenBy = append(row.UnseenBy, s.Client)
		}
	}
	slices.Sort(row.UnseenBy)
	row.UnseenBy = slices.Compact(row.UnseenBy)
	row.Cut, _ = w.Cut(row.ID)
	if st := w.servers[row.ID]; st != nil && st.lastSeen.After(row.LastSeen) {
		row.LastSeen = st.lastSeen.UTC()
	}
}

// Behind is, by server id, the first client that has not seen all that is allowed.
func (w *Wrappers) Behind() map[string]string {
	clients := map[string]string{}
	for s := range w.stillUnseen() {
		if clients[s.Server] == "" || s.Client < clients[s.Server] {
			clients[s.Server] = s.Client
		}
	}
	return clients
}

// UnseenServers lists what is not seen yet, by client and server.
func (w *Wrappers) UnseenServers() []control.UnseenServer {
	list := []control.UnseenServer{}
	for s, u := range w.stillUnseen() {
		list = append(list, control.UnseenServer{
			Client: s.Client, Server: w.NameOf(&s.Wrapper), ID: s.Server, Session: s.Session, Items: u.Items, Since: u.Since.UTC(), Next: identity.ClientOf(s.Client).Next, Code: problemUnseen,
		})
	}
	slices.SortFunc(list, func(a, b control.UnseenServer) int {
		return strings.Compare(a.Client+"\x00"+a.Server+"\x00"+a.Session, b.Client+"\x00"+b.Server+"\x00"+b.Session)
	})
	return list
}

// UnseenNotices are the keys of the notices that still apply; the others are withdrawn.
func (w *Wrappers) UnseenNotices() (keys []string) {
	w.office.Lock()
	defer w.office.Unlock()
	for s := range w.stillUnseen() {
		keys = append(keys, unseenKey(s.Client))
	}
	return keys
}
