package app

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"sort"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// blocked is the State of a hub without a store: nothing of the server passes.
func (h *Hub) blocked(s *liveWrapper) control.State {
	h.revision++
	state := control.State{
		Revision: h.revision, Name: s.told, Blocked: true,
		Items: map[string]control.ItemState{}, Settings: maps.Clone(h.Global()), Rules: h.RulesSent(), OwnTools: h.ownToolsOf(s),
	}
	if h.lost != nil {
		state.Code, state.Kind, state.Waiting = h.lost.code, vocab.ItemProblem, 1
	}
	return state
}

// current reads a server and what waits anew, where anything was decided or declared since they were read.
func (h *Hub) current(id string) error {
	now := h.office.Commits()
	if st := h.servers[id]; st == nil || st.as != now {
		if err := h.refresh(id); err != nil {
			return err
		}
	}
	if h.counted != now {
		return h.recount()
	}
	return nil
}

// refresh reads a server anew, so that its wrappers get what holds now.
func (h *Hub) refresh(id string) error {
	as := h.office.Commits()
	h.markStale(id)
	return h.office.Store.View(func(tx *store.Tx) error {
		l, err := ledger.Read(tx, id)
		if err != nil {
			return err
		}
		waiting, err := ledger.WaitingFor(tx, id)
		if err != nil {
			return err
		}
		h.stand(l, review.Of(l.Facts()), waiting)
		if h.servers[id].base.Hide, err = hiddenFiles(tx); err != nil {
			return err
		}
		h.servers[id].launch = h.StandLaunch(tx, l, waiting[vocab.ItemLaunch].Code)
		h.servers[id].as = as
		return nil
	})
}

// stand computes the State that the wrappers of a server share. Its maps are never changed afterwards.
func (h *Hub) stand(l *ledger.Ledger, r review.Standing, waiting map[string]store.Item) {
	st := h.servers[l.Server.ID]
	if st == nil {
		st = &standing{lastSeen: l.Server.LastSeen}
		h.servers[l.Server.ID] = st
	}
	base := control.State{
		Name: l.Server.Name, Open: r.Open, Blocked: r.Blocked,
		Items: make(map[string]control.ItemState, len(r.Items)), Settings: h.ValuesFor(l.Server), Asks: review.AsksOf(l.Server),
	}
	for _, kind := range []string{vocab.ItemNewServer, vocab.ItemChanged} {
		if it, ok := waiting[kind]; ok {
			base.Code, base.Kind = it.Code, kind
		}
	}
	for _, j := range r.Items {
		state := control.ItemState{State: j.State, Approved: j.Approved}
		if j.Waits {
			state.Code = waiting[j.Kind].Code
		}
		base.Items[j.Key] = state
	}
	st.base = base
	if h.resting != nil {
		h.resting[l.Server.ID] = restingOf(l)
	}
}

// push sends a wrapper its State if that differs from the last one, and returns it.
func (h *Hub) push(s *liveWrapper) control.State {
	state, news := h.stateOf(s)
	if news {
		s.wrapper.Push(state)
	}
	return state
}

// stateOf is the State of a wrapper, and whether it differs from the last one; whoever asks brings it to the wrapper.
func (h *Hub) stateOf(s *liveWrapper) (state control.State, news bool) {
	st := h.servers[s.Server]
	if st == nil {
		return h.blocked(s), false
	}
	state = st.base
	state.Name, state.Waiting, state.Launch, state.OwnTools = s.told, h.waitingOf(s), st.launch.State(s.Launched, s.Entry), h.ownToolsOf(s)
	if s.Entry == pin.ProbeClient { // a look starts a server as its client would
		state.Launch.Surroundings = h.around.last(s.Client)
	}
	state.Spool = &control.SpoolKey{Server: s.Server, Key: h.spoolKey(s.Server)}
	state.Released, state.Exceptions, state.Rules = h.ReleasedFor(&s.Wrapper), h.ExceptedFor(&s.Wrapper), h.RulesSent()
	if len(state.Released) > 0 {
		state.SameKey = h.SameKey(s.Server)
	}
	state.Revision = s.pushed.Revision
	if s.pushed.Revision == 0 || !sameState(state, s.pushed) {
		h.revision++
		state.Revision = h.revision
		s.pushed, news = state, true
	}
	return s.pushed, news
}

// waitingOf counts what waits for a wrapper's client, over all its servers: clients that see one name twice keep one of our
// tools, so each answers for all.
func (h *Hub) waitingOf(s *liveWrapper) int {
	n := h.HeldWaiting(s.Client, s.Server)
	for _, it := range h.waiting {
		if concerns(it, s.Client, s.Server) {
			n++
		}
	}
	return n
}

// recount reads what waits, for the numbers in States.
func (h *Hub) recount() error {
	as := h.office.Commits()
	if h.counted == as {
		return nil
	}
	return h.office.Store.View(func(tx *store.Tx) (err error) {
		if h.waiting, err = tx.WaitingHeads(); err == nil {
			h.counted = as
		}
		return err
	})
}

// markStale has the wrappers of a server told anew with the next pushChanged.
func (h *Hub) markStale(server string) { h.stale[server] = true }

// pushAll brings every wrapper up to date, after something that concerns all: settings, rules, the files of clients.
func (h *Hub) pushAll() {
	if err := h.recount(); err != nil {
		h.office.Failed(err)
	}
	clear(h.stale)
	for _, s := range h.ordered() {
		h.push(s)
	}
	h.tellUnseen()
}

// pushChanged brings those wrappers up to date that something changed for: their server was read anew, what is released for them
// changed, or something waits for their client now where nothing did, or the other way round. How many items wait is no news to a
// wrapper: it only asks whether any do.
func (h *Hub) pushChanged() {
	if err := h.recount(); err != nil {
		h.office.Failed(err)
	}
	some := map[[2]string]bool{} // asked once for each client and server
	for _, s := range h.ordered() {
		if !h.stale[s.Server] {
			of := [2]string{s.Client, s.Server}
			waits, asked := some[of]
			if !asked {
				waits = h.waitingOf(s) > 0
				some[of] = waits
			}
			if waits == (s.pushed.Waiting > 0) {
				continue
			}
		}
		h.push(s)
	}
	clear(h.stale)
	h.tellUnseen()
}

func (h *Hub) ordered() []*liveWrapper {
	all := slices.Collect(maps.Values(h.sessions))
	sort.Slice(all, func(i, j int) bool {
		if !all[i].since.Equal(all[j].since) {
			return all[i].since.Before(all[j].since)
		}
		return all[i].pid < all[j].pid
	})
	return all
}

func sameState(a, b control.State) bool {
	return a.OwnTools == b.OwnTools && a.Name == b.Name && a.Open == b.Open && a.Blocked == b.Blocked && a.Code == b.Code && a.Kind == b.Kind && a.Waiting == b.Waiting &&
		maps.Equal(a.Settings, b.Settings) && slices.Equal(a.Hide, b.Hide) && bytes.Equal(a.Rules, b.Rules) && reflect.DeepEqual(a.Asks, b.Asks) && reflect.DeepEqual(a.Launch, b.Launch) && slices.Equal(a.Released, b.Released) && slices.Equal(a.Exceptions, b.Exceptions) && maps.EqualFunc(a.Items, b.Items, func(x, y control.ItemState) bool {
		return x.State == y.State && x.Code == y.Code && slices.Equal(x.Approved, y.Approved)
	})
}

// restand gives every server its settings anew and tells the wrappers.
func (h *Hub) restand() error {
	if h.office.Store == nil {
		return nil
	}
	for id := range h.servers {
		if err := h.refresh(id); err != nil && !office.Absent(err) {
			return h.office.Failed(err)
		}
	}
	h.pushAll()
	return nil
}
