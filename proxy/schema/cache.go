package schema

import (
	"crypto/sha256"
	"sync"
)

// maxCached is how many compiled schemas are kept, and maxWeight how much they can take together: the largest has some megabytes. A server with
// more has some compiled again.
const (
	maxCached = 64
	maxWeight = 32 << 20
)

// Cache keeps compiled schemas, and why others do not compile, by the digest of their bytes. The zero value is ready, and safe for concurrent
// use. A schema is compiled outside the lock and once: who asks for it meanwhile waits, and nobody else does.
type Cache struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]*entry
	uses    uint64
	weight  int
}

type entry struct {
	compile func() (*Schema, error)
	used    uint64
	weight  int
}

// Get compiles a schema, or returns what came of it before.
func (c *Cache) Get(raw []byte) (*Schema, error) {
	digest := sha256.Sum256(raw)
	e := c.entry(digest, raw)
	s, err := e.compile()
	if s != nil {
		c.weigh(digest, e, s.weight)
	}
	return s, err
}

func (c *Cache) entry(digest [sha256.Size]byte, raw []byte) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	e, ok := c.entries[digest]
	if !ok {
		if c.entries == nil {
			c.entries = map[[sha256.Size]byte]*entry{}
		}
		if len(c.entries) == maxCached {
			c.forget()
		}
		own := string(raw)
		e = &entry{compile: sync.OnceValues(func() (*Schema, error) {
			defer func() { own = "" }()
			return Compile([]byte(own))
		})}
		c.entries[digest] = e
	}
	e.used = c.uses
	return e
}

// weigh adds what a compiled schema takes, if it is still kept, and makes room for it.
func (c *Cache) weigh(digest [sha256.Size]byte, e *entry, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[digest] != e || e.weight != 0 {
		return
	}
	e.weight = weight
	for c.weight += weight; c.weight > maxWeight && len(c.entries) > 1; {
		c.forget()
	}
}

// forget drops the schema that was not used for longest.
func (c *Cache) forget() {
	var oldest [sha256.Size]byte
	least := c.uses
	for digest, e := range c.entries {
		if e.used <= least {
			oldest, least = digest, e.used
		}
	}
	c.weight -= c.entries[oldest].weight
	delete(c.entries, oldest)
}
