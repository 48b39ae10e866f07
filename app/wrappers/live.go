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
	"github.com/sallyport/sallyport/store"
)

// liveWrapper is one connected wrapper.
type liveWrapper struct {
	office.Wrapper
	wrapper  control.Wrapper
	told     string // the server's name for the client
	pid      int
	parent   control.Parent // the process that started it, empty if unknown
	since    time.Time
	named    []string      // its tools when the client's other servers were last compared with them
	sandbox  vocab.Sandbox // of its server, by its last report
	pushed   control.State
	listsFor clientProcess // the client process in which one wrapper lists our own tools; zero without --client
	strange  bool          // it sent records that no wrapper can have caused
	eras     control.Eras  // in which its server has answered it
	runs     string        // fingerprint of the program that its server runs, "" if it is not known yet
	unlisted string        // why it can't read what its server declares, "" if it can
	away     string        // why it can't reach its remote server, "" if it can
}

// looks reports whether this wrapper only looks at the server, without a client.
func (s *liveWrapper) looks() bool { return s.Entry == pin.ProbeClient }

// standing is what is known of a server without reading the store: the part of a State that all its wrappers share.
type standing struct {
	base     control.State // without Name, Waiting and Launch, which differ between wrappers
	launch   review.LaunchStanding
	items    map[string]map[string]control.ItemState // by era, and "" for a wrapper that has not reported yet
	eras     *store.Eras
	inEra    map[string]store.InEra
	lastSeen time.Time
	as       uint64 // the number of commits when it was read
}

// ordered are the live wrappers, oldest first.
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

// WrappersOf are the live wrappers of a server, oldest first.
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

// AnyWrapper reports whether any live wrapper matches.
func (w *Wrappers) AnyWrapper(is func(*office.Wrapper) bool) bool {
	for _, s := range w.sessions {
		if is(&s.Wrapper) {
			return true
		}
	}
	return false
}

// StateNow is the State of a wrapper as it is now.
func (w *Wrappers) StateNow(conn control.Wrapper) (control.State, error) {
	s, err := w.registered(conn, "state")
	if err != nil {
		return control.State{}, err
	}
	state, _ := w.stateOf(s) // the response has it; a push would send it twice
	return state, nil
}

// NameOf is the name of a wrapper's server in its records.
func (w *Wrappers) NameOf(s *office.Wrapper) string {
	if st := w.servers[s.Server]; st != nil {
		return st.base.Name
	}
	return s.Name
}

// startedLast is when a wrapper of a server last started, as far as this hub knows. Older news from a wrapper that ended no longer counts.
func (w *Wrappers) startedLast(server string) (last time.Time) {
	for _, s := range w.sessions {
		if s.Server == server && s.since.After(last) {
			last = s.since
		}
	}
	return last
}

func (w *Wrappers) NoneConnected() bool { return len(w.sessions) == 0 }
