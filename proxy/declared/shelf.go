package declared

import (
	"bytes"
	"sync"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxShelved limits the bytes of responses that wait for a check: 64 responses of 20 MB, and some more. Others are refused: they can't be
// delivered unchecked, and reading on is necessary to finish the check, because the listing is behind them in the same pipe.
const maxShelved = 1536 << 20

// shelf holds responses until a check has been judged, in order.
type shelf struct {
	mu    sync.Mutex
	held  []shelved
	bytes int
}

type shelved struct {
	r    Request
	line []byte
	need uint64
	sent bool // the server has answered it, and line is what it said; else line is the request itself
}

// Keep puts a response aside if a check that concerns it has not been judged, and reports whether it did. Only the goroutine that reads the
// server may call it.
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
		c.shelf.held = append(c.shelf.held, shelved{r, bytes.Clone(line), need, true})
		c.shelf.bytes += len(line)
	}
	c.shelf.mu.Unlock()
	if full {
		c.session.Refuse(r)
	}
	return true
}

// Await puts a request aside that has reached no server and that is refused until a check has been judged; then the session judges it anew. It
// reports whether it did: not if that check has been judged, or if too much waits.
func (c *Checker) Await(r Request, line []byte, check uint64) bool {
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	if c.done.Load() >= check || c.shelf.bytes+len(line) > maxShelved {
		return false
	}
	c.shelf.held = append(c.shelf.held, shelved{r, bytes.Clone(line), check, false})
	c.shelf.bytes += len(line)
	return true
}

// Waits reports whether a check that concerns every response has not been judged.
func (c *Checker) Waits() bool { return c.done.Load() < c.due.Load() }

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
		if h.sent {
			c.session.Deliver(h.r, h.line)
		} else {
			c.session.Admit(h.r, h.line)
		}
	}
}

// DropHeld forgets what waits of a cancelled request, and returns the request. sent reports whether it has reached the server.
func (c *Checker) DropHeld(id []byte) (r Request, sent bool) {
	key := string(frame.AppendIDKey(nil, id))
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	for i, h := range c.shelf.held {
		if string(frame.AppendIDKey(nil, h.r.ID())) == key {
			c.shelf.bytes -= len(h.line)
			c.shelf.held = append(c.shelf.held[:i], c.shelf.held[i+1:]...)
			return h.r, h.sent
		}
	}
	return nil, false
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

func (c *Checker) Waiting() int {
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	return len(c.shelf.held)
}
