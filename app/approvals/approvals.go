// Package approvals handles a person's decisions about a server: what it declares, what its launch runs, what it asks its client for. It
// updates the inbox to a server's state (SettleServer), takes decisions (DecideServer, DecideInteraction, AllowClean), takes them back
// (Block, Undo), and records each in the timeline.
//
// Package review alone computes a server's state; package ledger reads and writes what the store holds about it. Callers must hold the
// office's lock, except for the calls of the protocol and the window, which take it. Approvals know no session and push nothing: the
// functions of Hub do.
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

// Hub has the functions of the hub that approvals need. All of them but Rules are called with the lock held.
type Hub struct {
	Settings func(store.Server) policy.Values                              // in force for a server
	Wrappers func(server string) []*office.Wrapper                         // live ones, oldest first
	Wrapper  func(w control.Wrapper, call string) (*office.Wrapper, error) // of a connection, for a call that needs the store
	Refresh  func(server string) error                                     // recomputes the State of a server's wrappers
	PushAll  func()                                                        // brings every wrapper up to date
	Cut      func(server string) (members, restart []string)               // see control.Decided
	Rules    func() *inspect.RuleFile                                      // a person's own, in addition to the catalogue; needs no lock
}

// Approvals is the department. Its fields are guarded by the office's lock.
type Approvals struct {
	office *office.Office
	hub    Hub
	clean  cleanSets
	files  map[string]pin.FileStamp // by path: stamps of known files; nil before they were loaded
}

func New(o *office.Office, hub Hub) *Approvals { return &Approvals{office: o, hub: hub} }

// LedgerOf is the ledger of an item's server.
func LedgerOf(tx *store.Tx, it store.Item) (*ledger.Ledger, error) {
	l, err := ledger.Read(tx, it.ServerID)
	if office.Absent(err) {
		return nil, office.Answer(control.CodeNotFound, "the server of %s is no longer known", it.Code)
	}
	return l, err
}

// pushDecided updates every wrapper after decisions about servers.
func (a *Approvals) pushDecided(servers ...string) error {
	for _, id := range servers {
		if err := a.hub.Refresh(id); err != nil {
			return err
		}
	}
	a.hub.PushAll()
	return nil
}
