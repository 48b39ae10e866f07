// Package display has what people see, on the command line and in the window alike: the overall state (Status, Light), the inbox (Inbox,
// Item), the servers with their lights (ServerRows, ServerWhole), the timeline (Activity, Record, Verify) and servers' output (Log). It
// decides nothing, and writes only what a window remembers about itself (Remember).
//
// It combines what the departments know, so it imports all of them; none imports it, and it has no state. Its calls read clients' files
// first and take the office's lock afterwards.
package display

import (
	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/lost"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/witness"
	"github.com/sallyport/sallyport/app/wrappers"
	"github.com/sallyport/sallyport/proxy/control"
)

// Sources are where it reads from. All must be set.
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
	Witness   *witness.Witness
}

type Display struct {
	office *office.Office
	from   Sources
}

func New(o *office.Office, from Sources) *Display { return &Display{office: o, from: from} }
