package declared

import (
	"bytes"
	"sync"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxShelved bounds the bytes of answers that wait for a check: 64 answers of 20 MB, and then some. What comes beyond is
// refused, because it could not be delivered unchecked, and reading on is what brings the check to its end: the listing
// stands behind the answers in the same pipe.
const maxShelved = 1536 << 20

// shelf holds answers that wait until a check has been judged, in the order they came.
type shelf struct {
	mu    sync.Mutex
	held  []shelved
	bytes int
}

type shelved struct {
	r    Request
	line []byte
	need uint64
}

// Keep lays an answer aside if a check that concerns it has not been judged, and says so. Only the goroutine that reads
// the server calls it.
func (c *Checker) Keep(r Request, line []byte) bool {
	need := max(r.Need(), c.due.Load())
	if c.done.Load() >= need {
		return false
	}
	c.shelf.mu.Lock()
	if c.done.Load() >= need {
		c.shelf.mu.Unlock()
		return false
	}
	full := c.shelf.bytes+len(line) > maxShelved
	if !full {
		c.shelf.held = append(c.shelf.held, shelved{r, bytes.Clone(line), need})
		c.shelf.bytes += len(line)
	}
	c.shelf.mu.Unlock()
	if full {
		c.session.Refuse(r)
	}
	return true
}

// flush marks a check as judged and delivers what waited for it.
func (c *Checker) flush(number uint64) {
	c.shelf.mu.Lock()
	c.done.Store(max(number, c.done.Load()))
	var ready []shelved
	rest := c.shelf.held[:0]
	for _, h := range c.shelf.held {
		if h.need <= number {
			ready = append(ready, h)
			c.shelf.bytes -= len(h.line)
		} else {
			rest = append(rest, h)
		}
	}
	clear(c.shelf.held[len(rest):])
	c.shelf.held = rest
	c.shelf.mu.Unlock()
	for _, h := range ready {
		c.session.Deliver(h.r, h.line)
	}
}

// DropHeld forgets the answer to a request that was cancelled while its answer waited, and returns the request.
func (c *Checker) DropHeld(id []byte) Request {
	key := string(frame.AppendIDKey(nil, id))
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	for i, h := range c.shelf.held {
		if string(frame.AppendIDKey(nil, h.r.ID())) == key {
			c.shelf.bytes -= len(h.line)
			c.shelf.held = append(c.shelf.held[:i], c.shelf.held[i+1:]...)
			return h.r
		}
	}
	return nil
}

// TakeHeld empties the shelf when the session ends before a check did.
func (c *Checker) TakeHeld() []Request {
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	var all []Request
	for _, h := range c.shelf.held {
		all = append(all, h.r)
	}
	c.shelf.held, c.shelf.bytes = nil, 0
	return all
}

// Waiting is how many responses wait for a check.
func (c *Checker) Waiting() int {
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	return len(c.shelf.held)
}
