package wrappers

import (
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/store"
)

// Starts are the entries of clients' files that their client has started through the wrapper since each was last written. A guarded entry
// that is missing here may still run unguarded: its client has not been restarted.
type Starts struct {
	office *office.Office
	work   *sync.WaitGroup // an ending hub waits for it

	mu     sync.Mutex
	seen   map[started]bool
	saving bool // a write is about to start
}

// started is an entry as its wrapper names itself: --client and --name.
type started struct {
	Client string `json:"client"`
	Name   string `json:"name"`
}

const (
	metaStarts = "starts"
	maxStarts  = 1024
)

// startOf is an entry as it is stored, with its names cut.
func startOf(client, name string) started {
	return started{cut.Bytes(client, office.MaxName), cut.Bytes(name, office.MaxName)}
}

// Has reports whether a client has started an entry since it was last written.
func (s *Starts) Has(client, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[startOf(client, name)]
}

// first reports whether a wrapper starts an entry that is not known as started. A process started by a wrapped server speaks for no client;
// that is checked last, because it reads the process table. Not under the office's lock.
func (s *Starts) first(peer control.Peer, r control.Register) bool {
	return !s.Has(r.Client, r.Server.Name) && (peer.Within == nil || !peer.Within())
}

// saw adds an entry, and reports whether it is new.
func (s *Starts) saw(client, name string) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := startOf(client, name)
	if s.seen[key] || len(s.seen) >= maxStarts {
		return false
	}
	if s.seen == nil {
		s.seen = map[started]bool{}
	}
	s.seen[key] = true
	return true
}

// list has the entries to store, without the named ones of a client.
func (s *Starts) list(client string, without ...string) []started {
	anew := map[started]bool{}
	for _, name := range without {
		anew[startOf(client, name)] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]started, 0, len(s.seen))
	for key := range s.seen {
		if !anew[key] {
			all = append(all, key)
		}
	}
	return all
}

func (s *Starts) set(all []started) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = make(map[started]bool, len(all))
	for _, key := range all {
		s.seen[key] = true
	}
}

// Open reads the stored entries. Unreadable ones count as not started: their light stays grey until a wrapper connects.
func (s *Starts) Open() {
	if s.office.Store == nil {
		return
	}
	var all []started
	_ = s.office.Store.View(func(tx *store.Tx) error { return tx.MetaJSON(metaStarts, &all) })
	s.set(all)
}

// save stores the entries in the background, because a starting wrapper waits for no disk. Starts at the same time share a write.
func (s *Starts) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saving {
		return
	}
	s.saving = true
	s.work.Go(func() { _ = s.office.Updating(s.put) })
}

// put stores the entries within a transaction.
func (s *Starts) put(tx *store.Tx) error {
	s.mu.Lock()
	s.saving = false // later entries need another write
	s.mu.Unlock()
	return tx.SetMetaJSON(metaStarts, s.list(""))
}

// Forget removes entries that are being rewritten. The caller commits it together with the write.
func (s *Starts) Forget(tx *store.Tx, client string, names []string) error {
	left := s.list(client, names...)
	if err := tx.SetMetaJSON(metaStarts, left); err != nil {
		return err
	}
	s.set(left)
	return nil
}
