// Package flow knows what came out of each client's servers in the last hours, and says of a call whether it carries some of that to a place where it
// was never allowed to go (flow.policy, docs/flow.md).
//
// It holds hashes only. What came is in memory: wrappers tell a hub that starts (control.ValuesFor). What a person used is in the store, so that it is
// not asked about again. Nothing here waits for a disk, or for the lock of the office.
package flow

import (
	"bytes"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	values "github.com/sallyport/sallyport/proxy/flow"
)

const (
	// maxEntries is how many values there are at most, of all clients: 64 MiB at entrySize.
	maxEntries = 64 << 20 / entrySize
	// entrySize is what a value takes in memory, in bytes (TestTheTableStaysWithinItsBound).
	entrySize = 104
	// gathering is how long calls wait after a start, until the wrappers that were connected before have told what they heard. They try again every
	// two seconds at most.
	gathering = 3 * time.Second
)

// Flow is the department.
type Flow struct {
	now func() time.Time

	mu      sync.Mutex
	derive  func(purpose, of string) []byte // keys of the home; nil without a store
	peers   map[control.Wrapper]peer
	clients map[string]*client
	entries int // of all clients
	keys    keys
	known   known
	ready   time.Time // calls wait until then
	early   []early   // what calls brought, heard before that
	heard   time.Time // when a server was last heard, if that is not kept yet
	first   bool      // the first was heard
	begin   func()    // called once, in a goroutine of its own, when the first server is heard
}

// peer is a connected wrapper.
type peer struct{ server, client string }

// New makes the department, which does nothing before Load. begin is called once, when the first server is heard, to keep that it was.
func New(now func() time.Time, begin func()) *Flow {
	return &Flow{begin: begin, now: now, peers: map[control.Wrapper]peer{}, clients: map[string]*client{}, known: known{of: map[string]*used{}}}
}

// Meet is for a wrapper that registered; client is the value of --client.
func (f *Flow) Meet(conn control.Wrapper, server, client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.peers[conn] = peer{server, client}
}

// Part forgets a wrapper. What its server said still counts.
func (f *Flow) Part(conn control.Wrapper) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.peers, conn)
}

// keys are those in use: each day has its own, and that of the day before still finds what came then.
type keys struct {
	day     int64
	current control.FlowKeys
	today   *values.Hasher
	before  *values.Hasher
	known   *values.Hasher
	members map[uint64]string // names of members by their hash, of both days
}

const day = 24 * time.Hour

// fresh makes the keys of today. The caller has the lock. It is false without a store.
func (f *Flow) fresh() bool {
	if f.derive == nil {
		return false
	}
	now := f.now().UTC()
	today := now.Unix() / int64(day.Seconds())
	if f.keys.today != nil && f.keys.day == today {
		return true
	}
	of := func(at time.Time) []byte { return f.derive("flow", at.Format(time.DateOnly)) }
	k := keys{day: today, current: control.FlowKeys{Day: of(now), Known: f.derive("flow known", "")}, members: map[uint64]string{}}
	k.today, k.before, k.known = values.NewHasher(k.current.Day), values.NewHasher(of(now.Add(-day))), values.NewHasher(k.current.Known)
	for _, h := range []*values.Hasher{k.today, k.before} {
		for _, name := range memberNames {
			k.members[h.Hash(name)] = name
		}
	}
	f.keys = k
	return true
}

// FlowKeys are what a wrapper hashes with.
func (f *Flow) FlowKeys() control.FlowKeys {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fresh() {
		return control.FlowKeys{}
	}
	return f.keys.current
}

// SameKeys reports whether two sets of keys are equal.
func SameKeys(a, b control.FlowKeys) bool {
	return bytes.Equal(a.Day, b.Day) && bytes.Equal(a.Known, b.Known)
}

// Values takes in what a wrapper heard. It answers once calls are compared with it.
func (f *Flow) Values(conn control.Wrapper, heard control.ValuesHeard) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, registered := f.peers[conn]
	if !registered || !f.fresh() {
		return nil // nothing passes then either
	}
	now := f.now()
	f.settle(now)
	for _, v := range heard.Values {
		if v.At.After(now) || v.At.IsZero() { // another clock
			v.At = now
		}
		c := f.client(ClientOf(from.client, v.Client))
		switch {
		case !now.Before(f.ready):
			f.brought(c, v.Said, now)
		case len(v.Said) > 0 && len(f.early) < maxEarly: // of those left out a person is asked
			f.early = append(f.early, early{c, v.Said})
		}
		if len(v.Came) > 0 || v.Left {
			f.take(c, from.server, v, now)
			f.heard = now
		}
	}
	if !f.first && !f.heard.IsZero() {
		f.first = true
		go f.begin()
	}
	return nil
}

// early is what calls brought before this hub, told before all wrappers have told what came out of their servers: which was first can't be said yet.
type early struct {
	c    *client
	said []byte
}

const maxEarly = 65_536

// settle takes in what calls brought once all has been told that came. The caller has the lock.
func (f *Flow) settle(now time.Time) {
	if now.Before(f.ready) {
		return
	}
	for _, e := range f.early {
		f.brought(e.c, e.said, now)
	}
	f.early = nil
}

// brought makes known what a call brought and no server did. While something that came is missing, nothing is: to look an address up would make it
// known, whoever named it.
func (f *Flow) brought(c *client, said []byte, now time.Time) {
	if c.overflowed(now) {
		return
	}
	for ; len(said) >= pairSize; said = said[pairSize:] {
		if h, k := be64(said), be64(said[8:]); !c.came(h, now) {
			f.known.use(c.name, k, now)
		}
	}
}

// Ready waits until wrappers that were connected to the hub before have told what they heard, if there was one a short while ago.
func (f *Flow) Ready() {
	f.mu.Lock()
	wait := f.ready.Sub(f.now())
	f.mu.Unlock()
	if wait > 0 && wait <= gathering {
		time.Sleep(wait)
	}
}
