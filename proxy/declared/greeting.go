package declared

import (
	"encoding/json"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// Greeting is what a server declared in its response to initialize.
type Greeting struct {
	Capabilities map[string]bool
	Instructions *pin.Item // nil if there are none
	ServerInfo   json.RawMessage
	Protocol     string
	Findings     []inspect.Finding // everywhere but in the instructions
}

// greeted is the greeting, and the listings that the client asked for although the greeting does not announce them.
type greeted struct {
	mu     sync.Mutex
	last   Greeting
	listed map[*List]bool
}

// Greet stores what the server declared in its response to initialize.
func (c *Checker) Greet(g Greeting) {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	c.greeted.last = g
}

func (c *Checker) Greeting() Greeting {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last
}

// Announces reports whether the server announced the capability of a listing.
func (c *Checker) Announces(l *List) bool {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last.Capabilities[l.Capability]
}

// AskedFor records that the client asked for an unannounced listing.
func (c *Checker) AskedFor(l *List) {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	if c.greeted.listed == nil {
		c.greeted.listed = map[*List]bool{}
	}
	c.greeted.listed[l] = true
}

// looksAt reports whether a snapshot includes this listing: it was announced, or the client asked for it anyway.
func (c *Checker) looksAt(l *List) bool {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last.Capabilities[l.Capability] || c.greeted.listed[l]
}

// speaksOf reports whether this client knows the listing that a list_changed of ours is about: tools, which we announce ourselves, and what
// the server announced or the client asked for.
func (c *Checker) speaksOf(notification string) bool {
	if notification == Tools.Changed {
		return true
	}
	for _, l := range lists {
		if l.Changed == notification && c.looksAt(l) {
			return true
		}
	}
	return false
}
