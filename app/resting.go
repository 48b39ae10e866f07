package app

import (
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// restFor is how long the names of a server that does not run are nobody else's.
const restFor = 30 * 24 * time.Hour

// resting is what is known of a server's allowed tools without its running.
type resting struct {
	clients  []string
	lastSeen time.Time
	tools    []string
}

func restingOf(l *ledger.Ledger) resting {
	r := resting{clients: l.Server.Clients, lastSeen: l.Server.LastSeen}
	for key, pins := range l.Pins {
		name, ok := strings.CutPrefix(key, string(pin.Tool)+":")
		if ok && slices.ContainsFunc(pins, func(p store.Pin) bool { return p.State == vocab.PartApproved }) {
			r.tools = append(r.tools, name)
		}
	}
	return r
}

// rest reads the allowed tools of every server once: a thousand take some hundredths of a second. From then on stand
// keeps them.
func (h *Hub) rest() error {
	if h.resting != nil {
		return nil
	}
	return h.office.Store.View(h.restIn)
}

func (h *Hub) restIn(tx *store.Tx) error {
	if h.resting != nil {
		return nil
	}
	all := map[string]resting{}
	ledgers, err := ledger.ReadAll(tx)
	for _, l := range ledgers {
		all[l.Server.ID] = restingOf(l)
	}
	if err == nil {
		h.resting = all
	}
	return err
}

// allowsTool says whether a tool of a server is allowed now, inside a transaction.
func (h *Hub) allowsTool(tx *store.Tx, server, tool string) bool {
	return h.restIn(tx) == nil && slices.Contains(h.resting[server].tools, tool)
}

// restingTools are the allowed tools of the other servers that a wrapper's client used of late, whether they run or not.
func (h *Hub) restingTools(s *liveWrapper) (names []string, err error) {
	if err := h.rest(); err != nil {
		return nil, err
	}
	now := h.office.Now()
	for id, r := range h.resting {
		seen := r.lastSeen
		if st := h.servers[id]; st != nil && st.lastSeen.After(seen) {
			seen = st.lastSeen
		}
		known := s.Client == "" || len(r.clients) == 0 || slices.Contains(r.clients, s.Client)
		if id != s.Server && known && now.Sub(seen) <= restFor {
			names = append(names, r.tools...)
		}
	}
	slices.Sort(names)
	return names, nil
}
