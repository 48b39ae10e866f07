// Package approvals is what a person says yes or no to of a server: what it declares, what its launch runs, what it asks its client for.
// It brings the inbox in line with where a server stands (SettleServer), takes decisions over what waits there (DecideServer,
// DecideInteraction, AllowClean), takes them back (Block, Undo), and writes each into the timeline.
//
// Where a server stands is said by package review alone; what the store holds of it, by package ledger. Approvals need the office's lock
// held by whoever calls them, except for the calls of the protocol and of the window, which take it. They know no session and push
// nothing: what they need of the hub are the functions of Hub.
package approvals

import (
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// Hub is what approvals need of the hub. All of it but Rules is called with the lock held.
type Hub struct {
	Settings func(store.Server) policy.Values      // in force for a server
	Wrappers func(server string) []*office.Wrapper // that live, the one that is there longest first
	Wrapper  func(control.Wrapper) *office.Wrapper // behind a connection, nil before it registered
	Refresh  func(server string) error             // reads anew what a server's wrappers are told
	PushAll  func()                                // brings every wrapper up to date
	Rules    func() *inspect.RuleFile              // a person's own, beside the catalogue; needs no lock
}

// Approvals is the department. Its fields are guarded by the office's lock.
type Approvals struct {
	office *office.Office
	hub    Hub
	clean  cleanSets
	files  map[string]pin.FileStamp // by path: what was in them when they stood like this; nil before the store was asked
}

// New is a department over an office that has no store yet.
func New(o *office.Office, hub Hub) *Approvals { return &Approvals{office: o, hub: hub} }

// LedgerOf is what the store holds of the server that an item is about.
func LedgerOf(tx *store.Tx, it store.Item) (*ledger.Ledger, error) {
	l, err := ledger.Read(tx, it.ServerID)
	if office.Absent(err) {
		return nil, office.Answer(control.CodeNotFound, "the server of %s is no longer known", it.Code)
	}
	return l, err
}

// pushDecided brings every wrapper up to date after decisions over servers.
func (a *Approvals) pushDecided(servers ...string) error {
	for _, id := range servers {
		if err := a.hub.Refresh(id); err != nil {
			return err
		}
	}
	a.hub.PushAll()
	return nil
}
