package proxy

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// entrance queues the client's requests until the first snapshot has been judged, because nothing can be decided before.
type entrance struct {
	*exchange
	admit func(r *request, line []byte, now time.Time) // judges a request
	apart func(r *request, line []byte)                // answers a request if no snapshot can come

	mu      sync.Mutex
	judged  bool
	until   uint64 // the check that opens it, or a later one does
	shuts   uint32 // how often it was shut
	waiting []waitingRequest
	bytes   int
}

// maxWaiting limits the bytes of requests waiting for the first snapshot; more are refused.
const maxWaiting = 128 << 20

type waitingRequest struct {
	r    *request
	line []byte
}

// hold queues the request if nothing has been judged yet, or answers it if nothing will be, and reports whether it did either.
func (e *entrance) hold(r *request, line []byte) bool {
	e.mu.Lock()
	if e.judged {
		r.passed = e.shuts + 1
		e.mu.Unlock()
		return false
	}
	// The queue may have been emptied for good since the caller looked, by the response to initialize.
	apart, ended := !r.modern && e.life.apart.Load(), !r.modern && !e.life.asked.Load()
	full := e.bytes+len(line) > maxWaiting
	if !apart && !ended && !full {
		e.waiting = append(e.waiting, waitingRequest{r, bytes.Clone(line)})
		e.bytes += len(line)
	}
	e.mu.Unlock()
	switch {
	case apart:
		e.apart(r, line)
	case ended:
		e.refuse(r, refusal.Uninitialized)
	case full:
		e.refuse(r, refusal.Unverified)
	default:
		e.checks.Begin()
	}
	return true
}

// open releases the queue in order, after a check; requests that arrive meanwhile line up behind it. It stops once it is shut again.
func (e *entrance) open(check uint64) {
	for {
		e.mu.Lock()
		if check < e.until {
			e.mu.Unlock()
			return
		}
		if len(e.waiting) == 0 {
			e.judged = true
			e.waiting = nil
			e.mu.Unlock()
			return
		}
		next := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.bytes -= len(next.line)
		next.r.passed = e.shuts + 1
		e.mu.Unlock()
		e.admit(next.r, next.line, time.Now())
	}
}

// drop forgets a waiting request that was cancelled.
func (e *entrance) drop(id []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := string(frame.AppendIDKey(nil, id))
	for i, w := range e.waiting {
		if string(frame.AppendIDKey(nil, w.r.id)) == key {
			e.bytes -= len(w.line)
			e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
			return true
		}
	}
	return false
}

func (e *entrance) takeAll() []waitingRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	waiting := e.waiting
	e.waiting, e.bytes = nil, 0
	return waiting
}

// turnAway answers everything that waits for a first snapshot if none will come, because we don't speak the server's version.
func (e *entrance) turnAway() {
	for _, w := range e.takeAll() {
		e.apart(w.r, w.line)
	}
}

// takeIf removes and returns the waiting requests that match.
func (e *entrance) takeIf(match func(r *request) bool) (taken []waitingRequest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = slices.DeleteFunc(e.waiting, func(w waitingRequest) bool {
		if !match(w.r) {
			return false
		}
		taken = append(taken, w)
		e.bytes -= len(w.line)
		return true
	})
	return taken
}

// shut makes requests wait for a snapshot that is not begun yet: what was judged until now does not count.
func (e *entrance) shut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.judged = false
	e.until = e.checks.Demand(true)
	e.shuts++
}

// passed reports whether a request has passed since the entrance was shut last, if it had to pass at all.
func (e *entrance) passed(r *request) bool {
	if r == nil || r.passed == 0 {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return r.passed == e.shuts+1
}

func (e *entrance) pending() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.waiting) > 0
}
