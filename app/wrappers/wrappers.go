// Package wrappers knows the connected wrappers: what each has said about its server, what its server may do, and which control.State it
// was last sent. It takes what wrappers send (Register, Report, Launch, Records, Stderr, Unseen, Attention), passes it to the departments
// that judge it, and updates every wrapper for which something changed (PushChanged, PushAll). The Spool takes in what dead wrappers left
// on the disk, which counts no more than what they could have sent.
//
// It decides nothing: package review computes a server's State from the store, and its counts are those of the inbox. A State is pushed
// only if it differs from the last one. All States of a server share one base, which is never modified.
//
// Callers must hold the office's lock, except for the calls of the protocol and the window and CollectSpool, which take it, and Starts and
// Caused, which need none. The locks of Starts and of the surroundings are taken inside the office's, never around it.
package wrappers

import (
	"sync"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/providers"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/tasks"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Options are what the wrappers need from the hub. All but Guards and Flow must be set. The functions are called with the lock held.
type Options struct {
	Home    control.Home
	Logs    *logs.Book
	Lost    func() (code string)                    // of the item to start over with after a lost store, "" for none
	Idling  func()                                  // the first wrapper may have come, or the last one gone
	Closing chan struct{}                           // closed when the hub ends
	Work    *sync.WaitGroup                         // an ending hub waits for it
	Guards  *providers.Providers                    // judge what servers declare; nil for none
	SignIn  func(server string) control.SignInState // what wrappers of a remote server are told; nil: nothing
	Flow    *flow.Flow                              // what came out of servers; nil for one that takes nothing in
}

// Wrappers is the department. The office's lock guards its fields, unless they say otherwise.
type Wrappers struct {
	office *office.Office
	opts   Options
	*Spool
	*eras
	*shortened
	Starts *Starts

	settings  *settings.Keeper
	approvals *approvals.Approvals
	held      *quarantine.Quarantine
	tasks     *tasks.Tasks

	around   surroundings
	revision uint64
	sessions map[control.Wrapper]*liveWrapper
	reports  uint64 // number of reports, to order them
	servers  map[string]*standing
	stale    map[string]bool // servers whose wrappers may be outdated (PushChanged)
	waiting  []store.Item    // pending items, without their parts
	counted  uint64          // the number of commits when waiting was read
	resting  resting
	unseen   unseen
	listers  listers

	definitions *definitions
}

// New returns the department of an office that may not have a store yet. Join must follow before the first wrapper connects.
func New(o *office.Office, opts Options) *Wrappers {
	if opts.Flow == nil {
		opts.Flow = flow.New(o.Now, func() {})
	}
	w := &Wrappers{
		office: o, opts: opts, Starts: &Starts{office: o, work: opts.Work},
		revision: uint64(o.Now().UnixMicro()), // grows across restarts too, as wrappers expect
		sessions: map[control.Wrapper]*liveWrapper{}, servers: map[string]*standing{}, stale: map[string]bool{},
		unseen: newUnseen(), listers: listers{office: o, of: map[clientProcess]*lister{}},
	}
	w.definitions = &definitions{w: w, guards: opts.Guards, closing: opts.Closing, work: opts.Work, asking: map[string]bool{}, settled: map[string]bool{}}
	w.eras, w.shortened = &eras{wrappers: w}, &shortened{wrappers: w, of: map[greeted][]string{}}
	w.Spool = &Spool{office: o, wrappers: w, woken: make(chan struct{}, 1)}
	return w
}

// Join sets the departments that the wrappers use. They use the wrappers as well, so they are made afterwards.
func (w *Wrappers) Join(k *settings.Keeper, a *approvals.Approvals, q *quarantine.Quarantine, t *tasks.Tasks) {
	w.settings, w.approvals, w.held, w.tasks = k, a, q, t
}
