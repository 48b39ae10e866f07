package wrappers

import (
	"cmp"
	"reflect"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// eras keeps in which protocol eras servers' processes answer. It is kept in the store, because a client that asks whether a server speaks the
// newer era does so at every start, and a server of the older one may never answer that.
type eras struct{ wrappers *Wrappers }

// erasKept is how long what is known of a server's eras outlives its last connection.
const erasKept = 24 * time.Hour

// Eras takes in which eras a wrapper's server answered, and which it is known not to speak.
func (e *eras) Eras(conn control.Wrapper, said control.Eras) error {
	w := e.wrappers
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "eras")
	if err != nil {
		return err
	}
	s.eras = control.MergeEras(s.eras, said)
	wrote, err := e.keep(s)
	if err != nil {
		return w.office.Failed(err)
	}
	if wrote {
		w.PushChanged()
	}
	return nil
}

// keep stores what a wrapper has said of its server, with the program that it said it of. The caller holds the lock.
func (e *eras) keep(s *liveWrapper) (wrote bool, err error) {
	w := e.wrappers
	if st := w.servers[s.Server]; s.eras.Unknown() || st != nil && reflect.DeepEqual(st.eras, erasWith(st.eras, s)) {
		return false, nil
	}
	err = w.office.Update(func(tx *store.Tx) (bool, error) {
		server, err := tx.Server(s.Server)
		if office.Absent(err) {
			return false, nil
		}
		server.Eras = erasWith(server.Eras, s)
		wrote = err == nil
		return wrote, tx.PutServer(server)
	})
	if err != nil || !wrote {
		return false, err
	}
	return true, w.Refresh(s.Server)
}

// erasWith is what is known of a server after a wrapper has spoken. Nothing is known of another program.
func erasWith(before *store.Eras, s *liveWrapper) *store.Eras {
	if before == nil || s.runs != "" && before.Program != "" && before.Program != s.runs {
		return &store.Eras{Eras: s.eras, Program: s.runs}
	}
	return &store.Eras{Eras: control.MergeEras(before.Eras, s.eras), Program: cmp.Or(s.runs, before.Program)}
}

// forget makes a server's eras unknown if its last connection is too long ago.
func (e *eras) forget(server *store.Server, last, now time.Time) {
	if st := e.wrappers.servers[server.ID]; st != nil && st.lastSeen.After(last) {
		last = st.lastSeen
	}
	if now.Sub(last) > erasKept && len(e.wrappers.WrappersOf(server.ID)) == 0 {
		server.Eras = nil
	}
}

// erasFor is what is known of a wrapper's server: nothing if it runs, or would run, another program. Before the launch is reported, the wrapper
// compares it itself (State.Launch.Allowed).
func (st *standing) erasFor(s *liveWrapper) control.Eras {
	switch {
	case st.eras == nil, s.runs != "" && st.eras.Program != "" && s.runs != st.eras.Program:
		return control.Eras{}
	case s.Launched != nil && !s.Launched.Final && len(st.launch.Allowed) > 0 && s.Launched.Form.Against(st.launch.Allowed).Drifted():
		return control.Eras{}
	}
	return st.eras.Eras
}
