package wrappers

import (
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// restFor is how long the tool names of a server that no longer runs stay reserved.
const restFor = 30 * 24 * time.Hour

// resting are the allowed tools of every server, by its id. They are read once: for a thousand servers that takes some hundredths of a
// second.
type resting struct {
	of map[string]restingServer // nil before the first reading
}

// restingServer is what is known of a server's allowed tools while it does not run.
type restingServer struct {
	clients  []string
	lastSeen time.Time
	tools    []string
	skills   []string // names of allowed skills
}

func restingOf(l *ledger.Ledger) restingServer {
	r := restingServer{clients: l.Server.Clients, lastSeen: l.Server.LastSeen}
	r.skills = allowedSkillNames(l)
	for key, pins := range l.Pins {
		name, ok := strings.CutPrefix(key, string(pin.Tool)+":")
		if ok && slices.ContainsFunc(pins, func(p store.Pin) bool { return p.State == vocab.PartApproved }) {
			r.tools = append(r.tools, name)
		}
	}
	return r
}

// learn updates one server, if they were read before.
func (r *resting) learn(l *ledger.Ledger) {
	if r.of != nil {
		r.of[l.Server.ID] = restingOf(l)
	}
}

func (r *resting) open(tx *store.Tx) error {
	if r.of != nil {
		return nil
	}
	all := map[string]restingServer{}
	ledgers, err := ledger.ReadAll(tx)
	for _, l := range ledgers {
		all[l.Server.ID] = restingOf(l)
	}
	if err == nil {
		r.of = all
	}
	return err
}

// AllowsTool reports whether a tool of a server is allowed now, inside a transaction.
func (w *Wrappers) AllowsTool(tx *store.Tx, server, tool string) bool {
	return w.resting.open(tx) == nil && slices.Contains(w.resting.of[server].tools, tool)
}

// restingTools are the allowed tools of the other servers that a wrapper's client used recently, running or not.
func (w *Wrappers) restingTools(s *liveWrapper) (names []string, err error) {
	if err := w.office.Store.View(w.resting.open); err != nil {
		return nil, err
	}
	names = restingFor(w, s, func(r restingServer) []string { return r.tools })
	slices.Sort(names)
	return names, nil
}

// restingFor is what is known of those servers. They have been read.
func restingFor(w *Wrappers, s *liveWrapper, what func(restingServer) []string) (names []string) {
	now := w.office.Now()
	for id, r := range w.resting.of {
		seen := r.lastSeen
		if st := w.servers[id]; st != nil && st.lastSeen.After(seen) {
			seen = st.lastSeen
		}
		known := s.Client == "" || len(r.clients) == 0 || slices.Contains(r.clients, s.Client)
		if id != s.Server && known && now.Sub(seen) <= restFor {
			names = append(names, what(r)...)
		}
	}
	return names
}
