package declared

import (
	"context"

	"github.com/sallyport/sallyport/proxy/control"
)

// Connection is what a Checker needs from its connection.
type Connection interface {
	// State is the hub's last state, with the valid verdict on the launch.
	State() *control.State
	// Report stores what the server declares in the hub. The session fills in who it is.
	Report(ctx context.Context, report control.Report) error
	// Ask asks the server for one page of a listing. The answer is a readable message with result or error; unread are definitions cut out
	// to make it readable.
	Ask(ctx context.Context, l *List, cursor string) (answer []byte, unread [][]byte, err error)

	// Begun reports whether the server can be asked and somebody waits for a first check.
	Begun() bool
	// Ready reports whether the client can be told that listings changed; Tell does so.
	Ready() bool
	Tell(notification string)
	// Apart reports whether the server speaks a protocol version that we don't.
	Apart() bool
	// OwnToolsTurned reports, once, that the client's last listing is outdated about our own tools.
	OwnToolsTurned(v *View) bool

	// Judged is called after each check, before Deliver is called for what waited for it.
	Judged()
	Deliver(r Request, line []byte)
	// Refuse answers a request whose response cannot wait for a check.
	Refuse(r Request)

	// Events for the timeline and the hub: a failed check, an item with two definitions, what the client has not listed since it was told
	// that listings changed.
	Unverified(err error)
	Equivocated(key string)
	Unseen(unseen control.Unseen)
}

// Request is a client's request whose response may have to wait.
type Request interface {
	ID() []byte   // as the client wrote it
	Need() uint64 // the check that must be judged first, 0 for none
}
