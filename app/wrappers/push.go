package wrappers

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// blocked is the State without a store: nothing of the server passes.
func (w *Wrappers) blocked(s *liveWrapper) control.State {
	w.revision++
	state := control.State{
		Revision: w.revision, Name: s.told, Blocked: true,
		Items: map[string]control.ItemState{}, Settings: maps.Clone(w.settings.Global()), Rules: w.settings.RulesSent(), OwnTools: w.ownToolsOf(s),
	}
	if code := w.opts.Lost(); code != "" {
		state.Code, state.Kind, state.Waiting = code, vocab.ItemProblem, 1
	}
	return state
}

// current rereads a server and the pending items if anything was decided or declared since.
func (w *Wrappers) current(id string) error {
	now := w.office.Commits()
	if st := w.servers[id]; st == nil || st.as != now {
		if err := w.Refresh(id); err != nil {
			return err
		}
	}
	if w.counted != now {
		return w.recount()
	}
	return nil
}

// Refresh rereads a server, for the States of its wrappers.
func (w *Wrappers) Refresh(id string) error {
	as := w.office.Commits()
	w.MarkStale(id)
	return w.office.Store.View(func(tx *store.Tx) error {
		l, err := ledger.Read(tx, id)
		if err != nil {
			return err
		}
		waiting := ledger.WaitingFor(tx, id)
		w.stand(l, review.Of(l.Facts()), waiting)
		w.servers[id].base.Hide = hiddenFiles(tx)
		w.servers[id].launch = w.approvals.StandLaunch(tx, l, waiting[vocab.ItemLaunch].Code)
		w.servers[id].as = as
		return nil
	})
}

// hiddenFiles are the paths of all protected client files, which a sandboxed server does not see.
func hiddenFiles(tx *store.Tx) []string {
	var paths []string
	for _, f := range tx.ClientFiles() {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	return paths
}

// stand computes the part of the State that a server's wrappers share. Its maps are never modified afterwards.
func (w *Wrappers) stand(l *ledger.Ledger, r review.Standing, waiting map[vocab.ItemKind]store.Item) {
	st := w.servers[l.Server.ID]
	if st == nil {
		st = &standing{lastSeen: l.Server.LastSeen}
		w.servers[l.Server.ID] = st
	}
	base := control.State{
		Name: l.Server.Name, Open: r.Open, Blocked: r.Blocked,
		Settings: w.settings.ValuesFor(l.Server), Tools: w.settings.ToolsFor(l.Server), Asks: review.AsksOf(l.Server),
	}
	for _, kind := range []vocab.ItemKind{vocab.ItemNewServer, vocab.ItemChanged} {
		if it, ok := waiting[kind]; ok {
			base.Code, base.Kind = it.Code, kind
		}
	}
	st.items = itemsOf(l, r, waiting)
	base.Items = st.items[""]
	st.base, st.eras, st.inEra = base, l.Server.Eras, l.Server.InEra
	w.resting.learn(l)
}

// itemsOf is the state of each item in each era. Where an era has no form of its own, that of the other counts: all of it is blocked there, or
// approved. A wrapper that has not reported yet gets the form that is not approved.
func itemsOf(l *ledger.Ledger, r review.Standing, waiting map[vocab.ItemKind]store.Item) map[string]map[string]control.ItemState {
	all := make(map[string]control.ItemState, len(r.Items))
	of := map[string]map[string]control.ItemState{"": all, vocab.EraLegacy: {}, vocab.EraModern: {}}
	for _, j := range r.Items {
		state := control.ItemState{State: j.State, Approved: j.Approved, Schemas: l.OutputSchemas(j)}
		if j.Waits {
			state.Code = waiting[j.Kind].Code
		}
		if have, ok := all[j.Key]; !ok || have.State == vocab.PartApproved {
			all[j.Key] = state
		}
		if own := of[j.Era]; j.Era != "" && own != nil {
			own[j.Key] = state
		}
	}
	for _, era := range []string{vocab.EraLegacy, vocab.EraModern} {
		own := of[era]
		of[era] = all
		if len(own) > 0 {
			of[era] = maps.Clone(all)
			maps.Copy(of[era], own)
		}
	}
	return of
}

// push sends a wrapper its State if that differs from the last one, and returns it.
func (w *Wrappers) push(s *liveWrapper) control.State {
	state, news := w.stateOf(s)
	if news {
		s.wrapper.Push(state)
	}
	return state
}

// stateOf is the State of a wrapper, and whether it differs from the last one sent. The caller sends it.
func (w *Wrappers) stateOf(s *liveWrapper) (state control.State, news bool) {
	st := w.servers[s.Server]
	if st == nil {
		return w.blocked(s), false
	}
	state = st.base
	if items := st.items[s.Era]; items != nil {
		state.Items = items
	}
	state.Name, state.Waiting, state.Launch, state.OwnTools = s.told, w.waitingOf(s), st.launch.State(s.Launched, s.Entry), w.ownToolsOf(s)
	state.Eras = st.erasFor(s)
	if s.Entry == pin.ProbeClient { // a look starts a server as its client would
		state.Launch.Surroundings = w.around.last(s.Client)
	}
	state.Spool = &control.SpoolKey{Server: s.Server, Key: w.spoolKey(s.Server)}
	state.Released, state.Exceptions, state.Rules = w.held.ReleasedFor(&s.Wrapper), w.held.ExceptedFor(&s.Wrapper), w.settings.RulesSent()
	state.Flow = w.opts.Flow.FlowKeys()
	if w.opts.SignIn != nil {
		state.SignIn = w.opts.SignIn(s.Server)
	}
	if len(state.Released) > 0 {
		state.SameKey = w.held.SameKey(s.Server)
	}
	state.Revision = s.pushed.Revision
	if s.pushed.Revision == 0 || !sameState(state, s.pushed) {
		w.revision++
		state.Revision = w.revision
		s.pushed, news = state, true
	}
	return s.pushed, news
}

// waitingOf counts what is pending for a wrapper's client, over all its servers: a client that sees one tool name twice keeps one of them,
// so each wrapper's own tools answer for all servers.
func (w *Wrappers) waitingOf(s *liveWrapper) int {
	n := w.held.HeldWaiting(s.Client, s.Server)
	for _, it := range w.waiting {
		if concerns(it, s.Client, s.Server) {
			n++
		}
	}
	return n
}

// recount rereads the pending items, for the counts in States.
func (w *Wrappers) recount() error {
	as := w.office.Commits()
	if w.counted == as {
		return nil
	}
	return w.office.Store.View(func(tx *store.Tx) error {
		w.waiting, w.counted = tx.WaitingHeads(), as
		return nil
	})
}

// MarkStale makes the next PushChanged update the wrappers of a server.
func (w *Wrappers) MarkStale(server string) { w.stale[server] = true }

// PushAll updates every wrapper after a change that concerns all: settings, rules, clients' files.
func (w *Wrappers) PushAll() {
	_ = w.office.Failed(w.recount())
	clear(w.stale)
	for _, s := range w.ordered() {
		w.push(s)
	}
	w.tellUnseen()
}

// PushChanged updates the wrappers whose server was reread, whose released responses changed, or whose client has pending items now and had
// none before, or the reverse. Wrappers only use whether there are any, so a mere change of the number is not pushed.
func (w *Wrappers) PushChanged() {
	_ = w.office.Failed(w.recount())
	some := map[[2]string]bool{} // computed once for each client and server
	for _, s := range w.ordered() {
		if !w.stale[s.Server] {
			of := [2]string{s.Client, s.Server}
			waits, asked := some[of]
			if !asked {
				waits = w.waitingOf(s) > 0
				some[of] = waits
			}
			if waits == (s.pushed.Waiting > 0) {
				continue
			}
		}
		w.push(s)
	}
	clear(w.stale)
	w.tellUnseen()
}

func sameState(a, b control.State) bool {
	return a.OwnTools == b.OwnTools && flow.SameKeys(a.Flow, b.Flow) && a.Name == b.Name && a.Open == b.Open && a.Blocked == b.Blocked && a.Code == b.Code && a.Kind == b.Kind && a.Waiting == b.Waiting &&
		maps.Equal(a.Settings, b.Settings) && maps.EqualFunc(a.Tools, b.Tools, maps.Equal) && slices.Equal(a.Hide, b.Hide) && bytes.Equal(a.Rules, b.Rules) && reflect.DeepEqual(a.Asks, b.Asks) && reflect.DeepEqual(a.Launch, b.Launch) && a.SignIn == b.SignIn && reflect.DeepEqual(a.Eras, b.Eras) && slices.Equal(a.Released, b.Released) && slices.Equal(a.Exceptions, b.Exceptions) && maps.EqualFunc(a.Items, b.Items, sameItem)
}

func sameItem(a, b control.ItemState) bool {
	sameSchema := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	return a.State == b.State && a.Code == b.Code && slices.Equal(a.Approved, b.Approved) && maps.EqualFunc(a.Schemas, b.Schemas, sameSchema)
}

// Restand rereads every server after its settings changed, and updates the wrappers.
func (w *Wrappers) Restand() error {
	if w.office.Store == nil {
		return nil
	}
	for id := range w.servers {
		if err := w.Refresh(id); err != nil && !office.Absent(err) {
			return w.office.Failed(err)
		}
	}
	w.PushAll()
	return nil
}
