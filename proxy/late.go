package proxy

import (
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// late are requests of the modern era that the client cancelled. Their responses reach nobody: a client of that era has forgotten the request,
// and may use its id again (specification of 2026-07-28, "Cancellation").
type late struct{ *exchange }

// lateLimit is how long the id of a cancelled request stays taken.
const lateLimit = time.Minute

// expect keeps a cancelled request's id until its response has come.
func (l late) expect(r *request) {
	l.journal.answered(r, vocab.StatusError, 0) // it ran, and the timeline says so
	gone := &request{id: r.id, method: r.method, own: make(chan []byte, 1), started: r.started}
	if l.calls.add(gone) == 0 {
		return
	}
	time.AfterFunc(lateLimit, func() { l.calls.takeIf(gone) })
}
