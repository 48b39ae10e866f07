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

// surroundings is what the last wrapper of each client found around it, so that a look at a server starts it as that client
// will. They are a few variables that are no secrets (control.Surroundings), and outlive the hub.
type surroundings struct {
	mu    sync.Mutex
	of    map[string]control.Surroundings // by client; nil before the store was asked
	fresh bool                            // the store does not have it yet
}

// metaSurroundings is where the store keeps them.
const metaSurroundings = "launch.surroundings"

// meet remembers what a wrapper found. What a wrapped server started speaks for no client; who is asked about that only
// where it would change anything, because the answer is read from the process table.
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
	_ = from.View(func(tx *store.Tx) error { // what cannot be read is as if no wrapper had been seen
		if tx.MetaJSON(metaSurroundings, &s.of) != nil {
			clear(s.of)
		}
		return nil
	})
}

// last are those of a client, nil where no wrapper of it was ever seen.
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

// keep writes what is new, in a transaction that no start waits for.
func (s *surroundings) keep(tx *store.Tx) (wrote bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fresh {
		return false, nil
	}
	s.fresh = false // one that is lost with its commit comes again with the next wrapper that differs
	return true, tx.SetMetaJSON(metaSurroundings, s.of)
}
