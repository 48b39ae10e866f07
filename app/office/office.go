// Package office holds what all departments of the hub share: the store under one lock, the transaction of a decision, the records of the
// timeline, the inbox and its codes, who may decide, current problems, notifications, and what live wrappers have said about their servers.
//
// One lock guards all of it. Callers of its methods must hold it, unless a comment says otherwise. A department may keep state of its own
// under the same lock. Departments get a *store.Tx from Update and pass it to one another, so that one decision is one transaction.
//
// Order of locks: a department's own (the guardian's) before the office's, never the other way round. Nothing here waits for a person, a
// client's file or the network while the lock is held; Notify, Changed and Told are called under it and must not block.
//
// The office knows no department. The functions of its Options are all it needs from the hub.
package office

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Options are what the office needs from the hub. All functions must be set.
type Options struct {
	Now func() time.Time
	// Window: the hub is in the desktop program, and decisions are calls within that process.
	Window bool
	// AllowCLI: a person started this hub with --allow-cli-approval. It counts only on a home first created with it, or if a window has
	// turned approvals.cli on.
	AllowCLI bool

	Notify  func(review.Notice)   // notifies a person of an item
	Changed func()                // a window may show outdated content
	Told    func(control.Problem) // a problem is there that was not; nil
	End     func()                // ends the hub
	Raise   func(code string)     // puts an item on top of the inbox
	Crash   func(point string)    // lets tests kill a hub during a write; nil
}

// Office is the shared state of a hub. Store is set once, before first use, and is nil if it could not be opened.
type Office struct {
	Options
	Store *store.Store

	mu        sync.Mutex
	commits   atomic.Uint64              // number of decisions and declarations, without records
	minted    map[string][]time.Time     // times of new codes in the last minute, by server
	withdrawn map[string]string          // code of the last withdrawn item, by server and kind
	flood     map[string][]string        // codes of a flood that are kept, by server and kind
	problems  map[string]control.Problem // by code
	cli       bool                       // decisions may come over the socket
	windowOn  bool                       // a window switched approvals.cli on
	leaving   bool
	again     bool   // another hub replaces this one at once
	damage    string // damage met while using the store
}

func New(opts Options) *Office {
	return &Office{
		Options: opts, minted: map[string][]time.Time{}, withdrawn: map[string]string{}, flood: map[string][]string{}, problems: map[string]control.Problem{},
	}
}

func (o *Office) Lock() { o.mu.Lock() }

func (o *Office) Unlock() { o.mu.Unlock() }

// Commits counts decisions and declarations. What was read at one count stays valid until the next. It needs no lock.
func (o *Office) Commits() uint64 { return o.commits.Load() }

// Leave ends the hub: from now on every call is answered "in a moment". again means that another hub replaces it at once.
func (o *Office) Leave(again bool) {
	o.leaving, o.again = true, o.again || again
	o.End()
}

func (o *Office) Leaving() bool { return o.leaving }

// TakesCLI reports whether decisions may come over the socket.
func (o *Office) TakesCLI() bool { return o.cli }

// WindowOn reports whether a window turned approvals.cli on.
func (o *Office) WindowOn() bool { return o.windowOn }

func (o *Office) Again() bool { return o.again }

// CrashPoint is a place where a test can kill the hub.
func (o *Office) CrashPoint(point string) {
	if o.Crash != nil {
		o.Crash(point)
	}
}

// Wrapper holds what one live wrapper has said about its server.
type Wrapper struct {
	Server   string // id
	Client   string
	Entry    string   // the client as its entry names it; pin.ProbeClient for a look
	Session  string   // of the session
	Name     string   // of its own entry, cleaned for people
	Secrets  []string // of its command, to mask them in its logs
	Declared map[string]*review.Declaration
	Launched *review.Launched // nil before the report
	Reported uint64           // order of its last report, 0 before the first
	Era      string           // of that report
}
