package app

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

// wrappersOptions are what the wrappers need of the hub. All must be set. The functions are called with the lock held.
type wrappersOptions struct {
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
	opts   wrappersOptions
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

// newWrappers is a department over an office that has no store yet. Join must follow before a wrapper comes.
func newWrappers(o *office.Office, opts wrappersOptions) *Wrappers {
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
