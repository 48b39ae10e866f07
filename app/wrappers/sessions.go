package wrappers

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// liveWrapper is one connected wrapper.
type liveWrapper struct {
	office.Wrapper
	wrapper  control.Wrapper
	told     string // what its client is told for it
	pid      int
	parent   control.Parent // the process that started it, 0 where it could not tell
	since    time.Time
	named    []string // the tools in it, when the other servers of its client were last looked at beside them
	sandbox  string   // what its server runs under, as it said with its last report
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
	slices.SortFunc(s.Secrets, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	s.Entry = s.Client
	if peer.Role == control.RoleProbe {
		s.Entry = pin.ProbeClient
	} else {
		s.listsFor = clientProcessOf(s.Client, r.Parent)
	}
	if w.office.Store == nil {
		// The wrapper stays connected and blocks everything; the hub that comes after this one will be told all again.
		w.sessions[conn] = s
		w.opts.Idling()
		s.Name = identity.PersonName(r.Server.Name)
		s.told = identity.ToldName(s.Name, store.Server{Number: 1})
		w.chooseLister(s, r.Lists)
		return w.blocked(s), nil
	}
	// A wrapper that starts waits for no disk: what is stored already is only read, beside whatever is being written.
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
	state, _ := w.stateOf(s) // the answer brings it: pushed as well, it would be written and read twice
	return state, nil
}

// enlist is what the store is to know of a server whose wrapper has come, and whether that must be written.
func (w *Wrappers) enlist(tx *store.Tx, s *liveWrapper, id identity.Server, r control.Register, now time.Time) (server store.Server, write bool, err error) {
	server, err = tx.Server(id.ID)
	if err != nil && !office.Absent(err) {
		return server, false, err
	}
	fresh := err != nil
	if fresh {
		number, err := nextNumber(tx)
		if err != nil {
			return server, false, err
		}
		server = store.Server{ID: id.ID, Transport: r.Server.Transport, FirstSeen: now, Number: number}
	}
	before := server
	server.Identity, server.Argv, server.URL = id.Display, id.Argv, id.URL
	s.Name = identity.PersonName(r.Server.Name)
	s.told = identity.ToldName(s.Name, server)
	// Two entries for one server: its name stays as long as a wrapper of that name lives.
	if server.Name == "" || !w.named(id.ID, server.Name) {
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
	server.LastSeen = now
	same := !fresh && before.Name == server.Name && before.Identity == server.Identity && len(before.Clients) == len(server.Clients) && len(before.Names) == len(server.Names)
	return server, !same || now.Sub(before.LastSeen) >= time.Hour, nil
}

// named says whether a live wrapper of the server goes by that name.
func (w *Wrappers) named(server, name string) bool {
	for _, s := range w.sessions {
		if s.Server == server && s.Name == name {
			return true
		}
	}
	return false
}

func nextNumber(tx *store.Tx) (int, error) {
	servers, err := tx.Servers()
	if err != nil {
		return 0, err
	}
	highest := 0
	for _, s := range servers {
		highest = max(highest, s.Number)
	}
	return highest + 1, nil
}

// Unregister forgets a wrapper. What it declared stays in the inbox: it happened, and only another report takes it back.
func (w *Wrappers) Unregister(conn control.Wrapper) {
	w.office.Lock()
	defer w.office.Unlock()
	s := w.sessions[conn]
	if s == nil {
		return
	}
	delete(w.sessions, conn)
	w.forgetUnseen(s)
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

// Report takes what a server declares, and answers once what follows from it is stored.
func (w *Wrappers) Report(conn control.Wrapper, r control.Report) (control.State, error) {
	if r.Era != "legacy" && r.Era != "modern" {
		return control.State{}, office.Answer(control.CodeBadRequest, "unknown era")
	}
	declared, _, whole := review.Declarations(r, w.settings.Rules()) // outside the lock: it may take a while
	w.office.Lock()
	defer w.office.Unlock()
	s := w.sessions[conn]
	if s == nil {
		return control.State{}, office.Answer(control.CodeBadRequest, "report before register")
	}
	if err := w.office.Usable(); err != nil {
		return control.State{}, err
	}
	w.reports++
	s.Declared, s.Reported, s.sandbox, s.unlisted = declared, w.reports, level(r.Sandbox), ""
	if s.Client == "" {
		s.Client = legible.Name(r.Client, "")
	}
	if _, err := w.lookAcross(s); err != nil {
		return control.State{}, w.office.Failed(err)
	}
	w.share(s)
	notices, err := w.judgeReport(s, r, whole)
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	more, err := w.neighbours(s)
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	notices = append(notices, more...)
	w.PushChanged()
	for _, n := range notices {
		w.office.Tell(n)
	}
	return w.push(s), nil
}

// share keeps one copy of a definition that several processes of a server declare alike.
func (w *Wrappers) share(s *liveWrapper) {
	for _, other := range w.sessions {
		if other == s || other.Server != s.Server {
			continue
		}
		for key, d := range s.Declared {
			if o := other.Declared[key]; o != nil && o.Digest == d.Digest && len(o.Findings) == len(d.Findings) && o.Era == d.Era {
				s.Declared[key] = o
			}
		}
	}
}

// judgeReport stores what a report changes: what is declared, what waits, and what the timeline says about it.
func (w *Wrappers) judgeReport(s *liveWrapper, r control.Report, whole []inspect.Finding) (notices []review.Notice, err error) {
	now := w.office.Now()
	err = w.office.Update(func(tx *store.Tx) (bool, error) {
		l, err := ledger.Read(tx, s.Server)
		if err != nil {
			return false, err
		}
		facts := l.Facts()
		before := review.Of(facts)
		if err := w.approvals.SeeDeclared(tx, l, now); err != nil {
			return false, err
		}
		if err := w.approvals.SeeLaunch(tx, l, now); err != nil {
			return false, err
		}
		records, err := w.noteServer(tx, l, s, r, whole, now)
		if err != nil {
			return false, err
		}
		facts = l.Facts()
		after := review.Of(facts)
		if trusted := w.approvals.FirstUse(l, after, facts); len(trusted) > 0 {
			record, err := w.approvals.Trust(tx, l, trusted, now)
			if err != nil {
				return false, err
			}
			records = append(records, record)
			after = review.Of(l.Facts())
		}
		came, err := w.approvals.SettleServer(tx, l, before, after, now)
		if err != nil {
			return false, err
		}
		notices = came
		kept, err := w.around.keep(tx)
		if err != nil {
			return false, err
		}
		l.Wrote = l.Wrote || kept
		records = append(w.approvals.Drift(l, before, after, &s.Wrapper, ledger.WaitingCodes(tx, s.Server)), records...)
		if len(records) > 0 {
			l.Wrote = true
			if _, err := tx.Append(records...); err != nil {
				return false, err
			}
		}
		return l.Wrote, nil
	})
	if err != nil {
		return nil, err
	}
	// What wrappers are told comes from what is on the disk.
	return notices, w.Refresh(s.Server)
}

// noteServer keeps what a report says about the server as a whole. A finding about the whole that is new goes into the
// timeline, because there is no item it could stand in.
func (w *Wrappers) noteServer(tx *store.Tx, l *ledger.Ledger, s *liveWrapper, r control.Report, whole []inspect.Finding, now time.Time) ([]store.Record, error) {
	before := l.Server
	l.Server.Era, l.Server.Protocol, l.Server.Versions = r.Era, cut.Bytes(r.Protocol, office.MaxName), nil
	if len(r.ServerInfo) > 0 && len(r.ServerInfo) <= 1<<20 && json.Valid(r.ServerInfo) {
		l.Server.ServerInfo = r.ServerInfo
	}
	l.Server.Findings = review.WriteFindings(whole)
	if under := level(r.Sandbox); under != "" {
		l.Server.Sandbox = under
	}
	if s.Client != "" && !slices.Contains(l.Server.Clients, s.Client) && len(l.Server.Clients) < maxClients {
		l.Server.Clients = append(slices.Clone(l.Server.Clients), s.Client)
	}
	same := before.Versions == nil && before.Era == l.Server.Era && before.Sandbox == l.Server.Sandbox && before.Protocol == l.Server.Protocol && len(before.Clients) == len(l.Server.Clients) &&
		compact(before.ServerInfo) == compact(l.Server.ServerInfo) && compact(before.Findings) == compact(l.Server.Findings)
	if same {
		return nil, nil
	}
	l.Server.LastSeen = now
	if err := l.PutServer(tx); err != nil {
		return nil, err
	}
	if compact(before.Findings) == compact(l.Server.Findings) || len(whole) == 0 {
		return nil, nil
	}
	rules := map[string]bool{}
	for _, f := range whole {
		rules[f.Rule] = true
	}
	return []store.Record{w.office.Record(vocab.RecordPolicyDecision, vocab.StatusWarned, store.Record{
		Server: l.Server.Name, ServerID: l.Server.ID, Session: s.Session, Client: s.Client,
		Summary: "what the server declares has warnings as a whole",
		Detail:  office.Detail(map[string]any{"check": "metadata", "rules": slices.Sorted(maps.Keys(rules))}),
	})}, nil
}

func compact(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	out, err := json.Marshal(raw)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// LookAgain looks at what live wrappers declare by the rules that came. It only adds: what rules that went had found goes when
// the server declares itself again. The caller holds the lock.
func (w *Wrappers) LookAgain() error {
	file := w.settings.Rules()
	if file == nil {
		return nil
	}
	for _, s := range w.ordered() {
		found := false
		for key, d := range s.Declared {
			if all := review.Together(slices.Clip(d.Findings), file.Threats(d.Raw).Findings); len(all) > len(d.Findings) {
				with := *d
				with.Findings = all
				s.Declared[key], found = &with, true
			}
		}
		if !found || s.Reported == 0 {
			continue
		}
		notices, err := w.judgeAgain(s)
		if err != nil {
			return err
		}
		for _, n := range notices {
			w.office.Tell(n)
		}
	}
	return nil
}
