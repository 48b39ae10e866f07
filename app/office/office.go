// Package office is what all departments of the hub share, and no more: the store under one lock, the transaction in which a decision is
// taken, the records of the timeline, what waits in the inbox and under which code, who may decide, what is wrong, who is notified, and
// what a live wrapper has said of its server.
//
// One lock is over all of it. Every method says whether its caller holds it; the ones that say nothing need it held. A department may keep
// state of its own under the same lock. Departments get a *store.Tx from Update and hand it to one another, so that one decision is one
// transaction, whoever takes part.
//
// Order of locks: a department's own (the guardian's) before the office's, never the other way round. Nothing here waits for a person, a
// client's file or the network while the lock is held; Notify and Changed are called under it and must not block.
//
// It knows no department. What it needs of the hub are the functions of its Options.
package office

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Options are what the office needs of the hub. All functions must be set.
type Options struct {
	Now func() time.Time
	// Window: the hub lives in the desktop program, and decisions are calls inside that process.
	Window bool
	// AllowCLI: a person started this hub with --allow-cli-approval. It counts only on a home first made with it, or where a window
	// has switched approvals.cli on.
	AllowCLI bool

	Notify  func(review.Notice) // tells a person that something waits
	Changed func()              // a window may show something old now
	End     func()              // the hub is to end
	Raise   func(code string)   // puts an item on top of the inbox
	Crash   func(point string)  // for the tests that kill a hub in the middle of a write; nil
}

// Office is the shared state of a hub. Store is set once, before anything is asked of it, and nil where it could not be opened.
type Office struct {
	Options
	Store *store.Store

	mu        sync.Mutex
	commits   atomic.Uint64              // of decisions and declarations, not of records
	minted    map[string][]time.Time     // new codes of the last minute, by server
	withdrawn map[string]string          // code of the item that left last, by server and kind
	flood     map[string][]string        // codes of a flood that are kept, by server and kind
	problems  map[string]control.Problem // by code
	cli       bool                       // decisions may come over the socket
	windowOn  bool                       // a window switched approvals.cli on
	leaving   bool
	again     bool   // another hub takes this one's place at once
	damage    string // what was met in the store while it was used
}

// New is an office without a store yet.
func New(opts Options) *Office {
	return &Office{
		Options: opts, minted: map[string][]time.Time{}, withdrawn: map[string]string{}, flood: map[string][]string{}, problems: map[string]control.Problem{},
	}
}

// Lock takes the one lock.
func (o *Office) Lock() { o.mu.Lock() }

// Unlock gives it back.
func (o *Office) Unlock() { o.mu.Unlock() }

// Commits counts what was decided and declared. What was read at one number holds until the next; it needs no lock.
func (o *Office) Commits() uint64 { return o.commits.Load() }

// Leave ends the hub: from now on every call is answered "in a moment". again says that another hub takes its place at once.
func (o *Office) Leave(again bool) {
	o.leaving, o.again = true, o.again || again
	o.End()
}

// Leaving says that the hub ends.
func (o *Office) Leaving() bool { return o.leaving }

// TakesCLI says that decisions may come over the socket.
func (o *Office) TakesCLI() bool { return o.cli }

// WindowOn says that a window switched approvals.cli on.
func (o *Office) WindowOn() bool { return o.windowOn }

// Again says that another hub takes this one's place at once.
func (o *Office) Again() bool { return o.again }

// CrashPoint is where a test may kill the hub.
func (o *Office) CrashPoint(point string) {
	if o.Crash != nil {
		o.Crash(point)
	}
}
