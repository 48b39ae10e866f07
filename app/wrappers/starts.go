package wrappers

import (
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/store"
)

// Starts are the entries of clients' files that their client has started through the wrapper since each was last written. An
// entry that is guarded in its file and not in here may still run as it did before: its client has not been restarted.
type Starts struct {
	office *office.Office
	work   *sync.WaitGroup // what a hub that ends waits for

	mu     sync.Mutex
	seen   map[started]bool
	saving bool // somebody is about to write them down
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

// startOf is an entry as it is kept, however long its names are.
func startOf(client, name string) started {
	return started{cut.Bytes(client, office.MaxName), cut.Bytes(name, office.MaxName)}
}

// Has says that a client has started an entry since it was last written.
func (s *Starts) Has(client, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[startOf(client, name)]
}

// first says that a wrapper starts an entry that is not known to have started. What a wrapped server started speaks for no client; who
// is asked about that only where it would change anything, because the answer is read from the process table. Not under the
// office's lock.
func (s *Starts) first(peer control.Peer, r control.Register) bool {
	return !s.Has(r.Client, r.Server.Name) && (peer.Within == nil || !peer.Within())
}

// saw notes an entry; fresh says that it was not known to have started.
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

// list is what is to be written down, without the named entries of a client.
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

// Open reads what was written down. What cannot be read is no start: a light stays grey until a wrapper comes.
func (s *Starts) Open() {
	if s.office.Store == nil {
		return
	}
	var all []started
	_ = s.office.Store.View(func(tx *store.Tx) error { return tx.MetaJSON(metaStarts, &all) })
	s.set(all)
}

// save writes them down behind the wrapper, which waits for no disk. Starts that come at once are written at once.
func (s *Starts) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saving {
		return
	}
	s.saving = true
	s.work.Go(func() { _ = s.office.Updating(s.put) })
}

// put writes them down, in a transaction that is about something else or about nothing else.
func (s *Starts) put(tx *store.Tx) error {
	s.mu.Lock()
	s.saving = false // what comes from now on is written by another
	s.mu.Unlock()
	return tx.SetMetaJSON(metaStarts, s.list(""))
}

// Forget is for entries that are written anew. The caller commits it with the write.
func (s *Starts) Forget(tx *store.Tx, client string, names []string) error {
	left := s.list(client, names...)
	if err := tx.SetMetaJSON(metaStarts, left); err != nil {
		return err
	}
	s.set(left)
	return nil
}
