package approvals

import (
	"cmp"
	"slices"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/store"
)

// maxHistory is how many events a person is shown: more than anybody reads, and the timeline has them all.
const maxHistory = 500

// History is what was decided about the parts of a server, newest first. For the window, which runs in this process.
func (a *Approvals) History(name string) (events []store.Event, err error) {
	a.office.Lock()
	defer a.office.Unlock()
	if err := a.office.Usable(); err != nil {
		return nil, err
	}
	err = a.office.Store.View(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, name)
		if err != nil {
			return err
		}
		events, err = tx.History(server.ID, "")
		return err
	})
	slices.Reverse(events) // of one moment, the later one first
	slices.SortStableFunc(events, func(a, b store.Event) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	return events[:min(len(events), maxHistory)], a.office.Failed(err)
}
