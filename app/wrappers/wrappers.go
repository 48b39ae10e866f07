// Package wrappers knows the wrappers that are connected: what each has said of its server, what its server may do, and what it has been
// told of that (control.State). It takes what wrappers send (Register, Report, Launch, Records, Stderr, Unseen, Attention), hands it to the
// departments that judge it, and brings every wrapper up to date when something changed for it (PushChanged, PushAll). What wrappers that
// died left on the disk comes in by the Spool, and is worth no more than what they would have sent.
//
// It decides nothing: the State of a server is computed by package review from what the store holds, and the numbers in it are those of the
// inbox. A State is pushed where it differs from the last one, and every State of a server shares one base, which is never changed afterwards.
//
// Wrappers need the office's lock held by whoever calls them, except for the calls of the protocol and of the window, and CollectSpool,
// which take it, and Starts and Caused, which need none. Locks of Starts and of the surroundings are taken inside the office's, never around it.
package wrappers

import (
	"sync"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Options are what the wrappers need of the hub. All must be set. The functions are called with the lock held.
type Options struct {
	Home    control.Home
	Logs    *logs.Book
	Lost    func() (code string) // of the item by which a person can start over, "" where there is none
	Idling  func()               // the first wrapper may have come, or the last one gone
	Closing chan struct{}        // closed when the hub ends
	Work    *sync.WaitGroup      // what a hub that ends waits for
}

// Wrappers is the department. Its fields are guarded by the office's lock, but for what says otherwise.
type Wrappers struct {
	office *office.Office
	opts   Options
	*Spool
	Starts *Starts

	settings  *settings.Keeper
	approvals *approvals.Approvals
	held      *quarantine.Quarantine

	around   surroundings
	revision uint64
	sessions map[control.Wrapper]*liveWrapper
	reports  uint64 // counts reports, to order them
	servers  map[string]*standing
	stale    map[string]bool // servers whose wrappers may know something old (PushChanged)
	waiting  []store.Item    // what waits, without its parts
	counted  uint64          // of which number of commits waiting was read
	resting  resting
	unseen   unseen
	listers  listers
}

// New is a department over an office that has no store yet. Join must follow before a wrapper comes.
func New(o *office.Office, opts Options) *Wrappers {
	w := &Wrappers{
		office: o, opts: opts, Starts: &Starts{office: o, work: opts.Work},
		revision: uint64(o.Now().UnixMicro()), // grows over restarts too, as wrappers expect
		sessions: map[control.Wrapper]*liveWrapper{}, servers: map[string]*standing{}, stale: map[string]bool{},
		resting: resting{office: o}, unseen: newUnseen(), listers: listers{office: o, of: map[clientProcess]*lister{}},
	}
	w.Spool = &Spool{office: o, wrappers: w, woken: make(chan struct{}, 1)}
	return w
}

// Join names the departments that the wrappers ask. Those ask the wrappers as well, so they are made after them.
func (w *Wrappers) Join(k *settings.Keeper, a *approvals.Approvals, q *quarantine.Quarantine) {
	w.settings, w.approvals, w.held = k, a, q
}
