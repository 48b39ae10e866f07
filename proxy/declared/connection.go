package declared

import (
	"context"

	"github.com/sallyport/sallyport/proxy/control"
)

// Connection is what a Checker needs of the connection that it works for.
type Connection interface {
	// State is the hub's last state, with the word on the launch that holds.
	State() *control.State
	// Report has the hub store what the server declares. The session fills in who it is.
	Report(ctx context.Context, report control.Report) error
	// Ask asks the server for one page of a listing. The answer is a readable message with result or error; unread are the
	// definitions that it is readable without.
	Ask(ctx context.Context, l *List, cursor string) (answer []byte, unread [][]byte, err error)

	// Begun says that the server can be asked, and that somebody waits for a first check.
	Begun() bool
	// Ready says that the client can be told that listings changed; Tell tells it.
	Ready() bool
	Tell(notification string)
	// Apart says that the server speaks a protocol version that we do not.
	Apart() bool
	// OwnToolsTurned says, once, that the client's last listing differs in our own tools from what it would be now.
	OwnToolsTurned(v *View) bool

	// Judged is called after each check, before Deliver is for what waited for it.
	Judged()
	Deliver(r Request, line []byte)
	// Refuse answers a request whose response cannot wait for a check.
	Refuse(r Request)

	// What the timeline and the hub are told: a check that came to nothing, an item with two definitions, what the client has
	// not listed since it was told that listings changed.
	Unverified(err error)
	Equivocated(key string)
	Unseen(unseen control.Unseen)
}

// Request is a request of the client whose response may have to wait.
type Request interface {
	ID() []byte   // as the client wrote it
	Need() uint64 // number of the check that must have been judged before, 0 for none
}
