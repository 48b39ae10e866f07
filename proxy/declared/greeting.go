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
	Instructions *pin.Item // nil where there are none
	ServerInfo   json.RawMessage
	Protocol     string
	Findings     []inspect.Finding // in all of it but the instructions
}

// greeted is the greeting, and which listings the client asked for though the greeting does not announce them.
type greeted struct {
	mu     sync.Mutex
	last   Greeting
	listed map[*List]bool
}

// Greet takes what the server declared in its response to initialize.
func (c *Checker) Greet(g Greeting) {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	c.greeted.last = g
}

// Greeting is the last one.
func (c *Checker) Greeting() Greeting {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last
}

// Announces says whether the server announced the capability of a listing.
func (c *Checker) Announces(l *List) bool {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last.Capabilities[l.Capability]
}

// AskedFor notes that the client asks for a listing that was not announced.
func (c *Checker) AskedFor(l *List) {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	if c.greeted.listed == nil {
		c.greeted.listed = map[*List]bool{}
	}
	c.greeted.listed[l] = true
}

// looksAt says whether a snapshot asks for this listing: it was announced, or the client asked for it all the same.
func (c *Checker) looksAt(l *List) bool {
	c.greeted.mu.Lock()
	defer c.greeted.mu.Unlock()
	return c.greeted.last.Capabilities[l.Capability] || c.greeted.listed[l]
}

// speaksOf says whether a list_changed of our own is about a listing that this client knows of: tools, which we announce
// ourselves, and what the server announced or the client asked for.
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
