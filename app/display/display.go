// Package display is what people are shown: how all is (Status, Light), what waits and what an item holds (Inbox, Item), each server as a row
// with its light (ServerRows) or whole (ServerWhole), the timeline (Activity, Record, Verify), what servers print (Log). The command line and
// the window are told the same. It decides and changes nothing; the one thing it writes is what a window remembers of itself (Remember).
//
// It puts together what the departments know, so it may know all of them; none knows it, and it has no state. Its calls take the office's
// lock, after the files of clients were read.
package display

import (
	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/lost"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/wrappers"
	"github.com/sallyport/sallyport/proxy/control"
)

// Sources are where it is read. All must be set.
type Sources struct {
	Home      control.Home
	Welcome   func(control.Peer) control.Welcome // which hub this is
	Approvals *approvals.Approvals
	Guardian  *guardian.Guardian
	Held      *quarantine.Quarantine
	Settings  *settings.Keeper
	Wrappers  *wrappers.Wrappers
	Logs      *logs.Book
	Lost      *lost.Store
}

// Display is the department.
type Display struct {
	office *office.Office
	from   Sources
}

// New is a display over an office that has no store yet.
func New(o *office.Office, from Sources) *Display { return &Display{office: o, from: from} }
