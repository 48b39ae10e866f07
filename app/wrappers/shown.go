package wrappers

import (
	"iter"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
)

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
	slices.SortFunc(row.RunsIn, func(a, b string) int { return slices.Index(levels, a) - slices.Index(levels, b) })
	row.UnseenBy = []string{}
	for s := range w.stillUnseen() {
		if s.Server == row.ID {
			row.UnseenBy = append(row.UnseenBy, s.Client)
		}
	}
	slices.Sort(row.UnseenBy)
	row.UnseenBy = slices.Compact(row.UnseenBy)
	if st := w.servers[row.ID]; st != nil && st.lastSeen.After(row.LastSeen) {
		row.LastSeen = st.lastSeen.UTC()
	}
}

// stillUnseen are the wrappers whose clients have not seen all that is allowed, with what they said last.
func (w *Wrappers) stillUnseen() iter.Seq2[*liveWrapper, control.Unseen] {
	return func(yield func(*liveWrapper, control.Unseen) bool) {
		for s, u := range w.unseen.by {
			if !w.begunAnew(s) && !yield(s, u) {
				return
			}
		}
	}
}

// Behind is the first client that has not seen all that is allowed of a server, by the server's id.
func (w *Wrappers) Behind() map[string]string {
	clients := map[string]string{}
	for s := range w.stillUnseen() {
		if clients[s.Server] == "" || s.Client < clients[s.Server] {
			clients[s.Server] = s.Client
		}
	}
	return clients
}

// UnseenServers lists what is not yet seen, by client and server.
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

// UnseenNotices are the keys of the notices that still hold: what was said of the others is taken back.
func (w *Wrappers) UnseenNotices() (keys []string) {
	w.office.Lock()
	defer w.office.Unlock()
	for s := range w.stillUnseen() {
		keys = append(keys, unseenKey(s.Client))
	}
	return keys
}
