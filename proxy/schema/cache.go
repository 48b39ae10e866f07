package schema

import (
	"crypto/sha256"
	"sync"
)

// maxCached is how many compiled schemas are kept. A server with more tools that are called in turn has some compiled again.
const maxCached = 64

// Cache keeps compiled schemas, and why others do not compile, by the digest of their bytes. The zero value is ready, and safe for concurrent
// use. A schema is compiled outside the lock, once, while others wait only if they ask for the same one.
type Cache struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]*entry
	uses    uint64
}

type entry struct {
	compile func() (*Schema, error)
	used    uint64
}

// Get compiles a schema, or returns what came of it before.
func (c *Cache) Get(raw []byte) (*Schema, error) {
	return c.entry(raw).compile()
}

func (c *Cache) entry(raw []byte) *entry {
	digest := sha256.Sum256(raw)
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
		own := append([]byte(nil), raw...)
		e = &entry{compile: sync.OnceValues(func() (*Schema, error) {
			s, err := Compile(own)
			own = nil
			return s, err
		})}
		c.entries[digest] = e
	}
	e.used = c.uses
	return e
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
	delete(c.entries, oldest)
}
