package wrappers

import (
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

const (
	maxClients = 64
	maxNames   = 64
)

// Register makes a connection a wrapper of a server.
func (w *Wrappers) Register(conn control.Wrapper, peer control.Peer, r control.Register) (control.State, error) {
	id, err := identity.Of(r.Server)
	if err != nil {
		return control.State{}, office.Answer(control.CodeBadRequest, "%v", err)
	}
	w.around.meet(w.office.Store, peer, r)
	first := w.Starts.first(peer, r)
	w.office.Lock()
	defer w.office.Unlock()
	if w.office.Leaving() {
		return control.State{}, w.office.Usable()
	}
	now := w.office.Now()
	s := &liveWrapper{
		Wrapper: office.Wrapper{Server: id.ID, Client: cut.Bytes(r.Client, office.MaxName), Session: cut.Bytes(r.Session, office.MaxName), Secrets: slices.Concat(id.Secrets, r.Secrets)}, wrapper: conn, pid: peer.PID, parent: r.Parent, since: now,
	}
	slices.SortFunc(s.Secrets, func(a, b string) int { return len(b) - len(a) }) // one may be the beginning of another
	s.Entry = s.Client
	if peer.Role == control.RoleProbe {
		s.Entry = pin.ProbeClient
	} else {
		s.listsFor = clientProcessOf(s.Client, r.Parent)
	}
	if w.office.Store == nil {
		// The wrapper stays connected and blocks everything; it registers again with the next hub.
		w.sessions[conn] = s
		w.opts.Idling()
		s.Name = identity.PersonName(r.Server.Name)
		s.told = identity.ToldName(s.Name, store.Server{Number: 1})
		w.chooseLister(s, r.Lists)
		return w.blocked(s), nil
	}
	// A starting wrapper never waits for a disk: what is already stored is only read, concurrently with any write.
	var server store.Server
	var write bool
	save := first && !s.looks() && w.Starts.saw(s.Client, r.Server.Name)
	err = w.office.Store.View(func(tx *store.Tx) (err error) {
		server, write, err = w.enlist(tx, s, id, r, now)
		return err
	})
	if err == nil && write {
		err = w.office.Update(func(tx *store.Tx) (bool, error) {
			if server, write, err = w.enlist(tx, s, id, r, now); err != nil || !write {
				return false, err
			}
			return true, errors.Join(w.Starts.put(tx), tx.PutServer(server))
		})
	}
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	w.sessions[conn] = s
	w.opts.Flow.Meet(conn, s.Server, s.Client)
	w.opts.Idling()
	if err := w.current(id.ID); err != nil {
		delete(w.sessions, conn)
		w.opts.Idling()
		return control.State{}, w.office.Failed(err)
	}
	if save && !write {
		w.Starts.save()
	}
	w.chooseLister(s, r.Lists)
	w.office.Changed()
	st := w.servers[id.ID]
	st.lastSeen, st.base.Name = now, server.Name
	state, _ := w.stateOf(s) // the response has it; a push would send it twice
	return state, nil
}

// enlist is a server's record after a wrapper of it has come, and whether it must be written.
func (w *Wrappers) enlist(tx *store.Tx, s *liveWrapper, id identity.Server, r control.Register, now time.Time) (server store.Server, write bool, err error) {
	server, err = tx.Server(id.ID)
	if err != nil && !office.Absent(err) {
		return server, false, err
	}
	fresh := err != nil
	if fresh {
		server = store.Server{ID: id.ID, Transport: r.Server.Transport, FirstSeen: now, Number: nextNumber(tx)}
	}
	before := server
	server.Identity, server.Argv, server.URL = id.Display, id.Argv, id.URL
	s.Name = identity.PersonName(r.Server.Name)
	s.told = identity.ToldName(s.Name, server)
	// With two entries for one server, its name stays as long as a wrapper of that name lives.
	if server.Name == "" || !w.AnyWrapper(func(live *office.Wrapper) bool { return live.Server == id.ID && live.Name == server.Name }) {
		server.Name = s.Name
	}
	for _, other := range []string{before.Name, s.Name} {
		if other != "" && other != server.Name && !slices.Contains(server.Names, other) && len(server.Names) < maxNames {
			server.Names = append(slices.Clone(server.Names), other)
		}
	}
	if s.Client != "" && !slices.Contains(server.Clients, s.Client) && len(server.Clients) < maxClients {
		server.Clients = append(slices.Clone(server.Clients), s.Client)
	}
	w.eras.forget(&server, before.LastSeen, now)
	server.LastSeen = now
	same := !fresh && before.Eras == server.Eras && before.Name == server.Name && before.Identity == server.Identity && len(before.Clients) == len(server.Clients) && len(before.Names) == len(server.Names)
	return server, !same || now.Sub(before.LastSeen) >= time.Hour, nil
}

func nextNumber(tx *store.Tx) int {
	highest := 0
	for _, s := range tx.Servers() {
		highest = max(highest, s.Number)
	}
	return highest + 1
}

// Unregister forgets a wrapper. What it declared stays in the inbox: only another report takes that back.
func (w *Wrappers) Unregister(conn control.Wrapper) {
	w.office.Lock()
	defer w.office.Unlock()
	s := w.sessions[conn]
	if s == nil {
		return
	}
	delete(w.sessions, conn)
	w.opts.Flow.Part(conn)
	w.forgetUnseen(s)
	w.shortened.ended(s)
	w.lostLister(s)
	w.office.Changed()
	w.held.AwayHeld()
	w.Wake()
	w.opts.Logs.Flush(s.Server, s.Session)
	if st := w.servers[s.Server]; st != nil {
		st.lastSeen = w.office.Now()
	}
	w.opts.Idling()
}
