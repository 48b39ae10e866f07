package wrappers

import (
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// shortened keeps what clients did not get of servers' greetings. It is kept by the run of a client and not by its wrapper: some clients greet
// a server in one process and use it in another, which they start with what they were told. The office's lock guards it.
type shortened struct {
	wrappers *Wrappers
	of       map[greeted][]string
}

// greeted is a greeting in one run of a client; of a client whose process is unknown, in one wrapper.
type greeted struct {
	process clientProcess
	server  string
	alone   control.Wrapper
}

// maxGreeted limits what is remembered of runs that may be over.
const maxGreeted = 1024

func greetedOf(s *liveWrapper) greeted {
	if s.parent.PID == 0 {
		return greeted{server: s.Server, alone: s.wrapper}
	}
	return greeted{process: s.process(), server: s.Server}
}

// Shortened takes what a wrapper's client did not get of its server's greeting.
func (h *shortened) Shortened(conn control.Wrapper, said control.Shortened) error {
	w := h.wrappers
	w.office.Lock()
	defer w.office.Unlock()
	s := w.sessions[conn]
	if s == nil {
		return office.Answer(control.CodeBadRequest, "shortened before register")
	}
	members := control.CleanShortened(said.Members)
	if len(members) == 0 {
		delete(h.of, greetedOf(s))
		return nil
	}
	if len(h.of) >= maxGreeted {
		h.forgetOver()
	}
	h.of[greetedOf(s)] = members
	w.office.Changed()
	return nil
}

// ended forgets a wrapper whose client's process is unknown: no other speaks for that client.
func (h *shortened) ended(s *liveWrapper) {
	if g := greetedOf(s); g.alone != nil {
		delete(h.of, g)
	}
}

// forgetOver forgets the greetings of runs without a wrapper now.
func (h *shortened) forgetOver() {
	live := map[greeted]bool{}
	for _, s := range h.wrappers.sessions {
		live[greetedOf(s)] = true
	}
	for g := range h.of {
		if !live[g] {
			delete(h.of, g)
		}
	}
}

// missing is what a wrapper's client did not get of the greeting and would get now.
func (h *shortened) missing(s *liveWrapper) []string {
	st := h.wrappers.servers[s.Server]
	if st == nil || !st.base.Open {
		return nil
	}
	instructed := st.items[s.Era][string(pin.Instructions)].State == vocab.PartApproved
	return slices.DeleteFunc(slices.Clone(h.of[greetedOf(s)]), func(member string) bool { return member == string(pin.Instructions) && !instructed })
}

// Cut is what the running clients of a server did not get of its greeting and would get now, and what brings it to them. The caller holds the
// lock.
func (h *shortened) Cut(server string) (members, next []string) {
	w := h.wrappers
	for _, s := range w.ordered() {
		if s.Server != server || s.looks() {
			continue
		}
		lost := h.missing(s)
		if len(lost) == 0 {
			continue
		}
		members = append(members, lost...)
		next = append(next, "restart "+identity.ClientOf(s.Client).Title)
	}
	slices.Sort(members)
	slices.Sort(next)
	return slices.Compact(members), slices.Compact(next)
}
