package wrappers

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// liveWrapper is one connected wrapper.
type liveWrapper struct {
	office.Wrapper
	wrapper  control.Wrapper
	told     string // what its client is told for it
	pid      int
	parent   control.Parent // the process that started it, 0 where it could not tell
	since    time.Time
	named    []string      // the tools in it, when the other servers of its client were last looked at beside them
	sandbox  vocab.Sandbox // what its server runs under, as it said with its last report
	pushed   control.State
	listsFor clientProcess // whose listing our own tools stand in once; zero without --client
	strange  bool          // it sent records that no wrapper can cause
	unlisted string        // why it cannot read what its server declares; "" while it can
}

// looks says that it is no client's wrapper but a look at the server.
func (s *liveWrapper) looks() bool { return s.Entry == pin.ProbeClient }

// standing is what is known of a server without asking the store: the part of a State that all its wrappers share.
type standing struct {
	base     control.State // Name, Waiting and Launch are each wrapper's own
	launch   review.LaunchStanding
	lastSeen time.Time
	as       uint64 // of which number of commits it was read
}

// ordered are the live wrappers, the one that is there longest first.
func (w *Wrappers) ordered() []*liveWrapper {
	return slices.SortedFunc(maps.Values(w.sessions), func(a, b *liveWrapper) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.pid, b.pid))
	})
}

// Running are the wrappers that clients started.
func (w *Wrappers) Running() (all []*office.Wrapper) {
	for _, s := range w.sessions {
		if !s.looks() {
			all = append(all, &s.Wrapper)
		}
	}
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

// WrapperOf is registered for other departments.
func (w *Wrappers) WrapperOf(conn control.Wrapper, call string) (*office.Wrapper, error) {
	s, err := w.registered(conn, call)
	if err != nil {
		return nil, err
	}
	return &s.Wrapper, nil
}

// registered is the live wrapper behind a connection, for a call that needs the store.
func (w *Wrappers) registered(conn control.Wrapper, call string) (*liveWrapper, error) {
	s := w.sessions[conn]
	if s == nil {
		return nil, office.Answer(control.CodeBadRequest, "%s before register", call)
	}
	return s, w.office.Usable()
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
	slices.Sort(row.RunsIn) // weakest first
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
