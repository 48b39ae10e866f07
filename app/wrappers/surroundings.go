package wrappers

import (
	"maps"
	"reflect"
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/store"
)

// surroundings is the environment in which each client last started a wrapper, so that a look at a server starts it in the same one. It has
// a few variables without secrets (control.Surroundings), and outlives the hub.
type surroundings struct {
	mu    sync.Mutex
	of    map[string]control.Surroundings // by client; nil before the store was read
	fresh bool                            // not stored yet
}

// metaSurroundings is the store's key for them.
const metaSurroundings = "launch.surroundings"

// meet remembers a wrapper's surroundings. A process started by a wrapped server speaks for no client; that is checked last, because it
// reads the process table.
func (s *surroundings) meet(from *store.Store, peer control.Peer, r control.Register) {
	if from == nil {
		return
	}
	s.load(from)
	if peer.Role != control.RoleWrapper || r.Surroundings == nil {
		return
	}
	client, now := cut.Bytes(r.Client, office.MaxName), r.Surroundings.Kept()
	s.mu.Lock()
	have, known := s.of[client]
	same := len(now.Env) == 0 || known && reflect.DeepEqual(have, now) || !known && len(s.of) >= maxClients
	s.mu.Unlock()
	if same || peer.Within != nil && peer.Within() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of = maps.Clone(s.of)
	s.of[client], s.fresh = now, true
}

func (s *surroundings) load(from *store.Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of != nil {
		return
	}
	s.of = map[string]control.Surroundings{}
	_ = from.View(func(tx *store.Tx) error { // unreadable ones count as none
		if tx.MetaJSON(metaSurroundings, &s.of) != nil {
			clear(s.of)
		}
		return nil
	})
}

// last are those of a client, nil before its first wrapper.
func (s *surroundings) last(client string) *control.Surroundings {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, known := s.of[client]
	if !known {
		return nil
	}
	found = found.Kept()
	return &found
}

// keep stores new ones, in a transaction that no start waits for.
func (s *surroundings) keep(tx *store.Tx) (wrote bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fresh {
		return false, nil
	}
	s.fresh = false // if this commit fails, the next wrapper that differs brings it again
	return true, tx.SetMetaJSON(metaSurroundings, s.of)
}
