package display

import (
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Status is the state of the hub, with the first pending items.
func (d *Display) Status() (control.Status, error) {
	out, err := d.WholeStatus()
	review.ByAge(out.Waiting)
	out.Waiting = out.Waiting[:min(len(out.Waiting), MaxWaitingTold)]
	return out, err
}

// WholeStatus is the state of the hub, with all pending items. It also works without a store, which is when people need it most.
func (d *Display) WholeStatus() (control.Status, error) {
	coverage, err := d.from.Guardian.Coverage(control.CoverageQuery{}) // reads files: not under the lock
	d.office.Lock()
	defer d.office.Unlock()
	out := control.Status{
		RuleSet: d.from.Settings.Rules().RuleSet(), Coverage: &coverage, Hub: d.from.Welcome(control.Peer{}), Home: d.from.Home.Dir,
		Waiting: []control.InboxItem{}, Unseen: d.from.Wrappers.UnseenServers(), // empty lists if the store is unusable
	}
	if err != nil {
		out.Coverage = nil
	}
	known, shown := map[string]store.Server{}, map[string]string{}
	var apart []control.Problem
	if d.office.Store != nil {
		err := d.office.Store.View(func(tx *store.Tx) error {
			servers := tx.Servers()
			out.Servers, apart = len(servers), review.VersionProblems(servers)
			names := identity.CalledOf(servers)
			for _, s := range servers {
				known[s.ID], shown[s.ID] = s, names.Shown(s)
			}
			out.Waiting, err = d.inbox(tx, servers)
			return err
		})
		if err != nil {
			d.office.Failed(err) // it is in the list of problems now
		}
	}
	out.Wrappers = d.from.Wrappers.Connected(shown)
	if d.from.Lost.Is() {
		out.Waiting = []control.InboxItem{d.from.Lost.Item()}
	}
	for i, u := range out.Unseen {
		out.Unseen[i].Identity, out.Unseen[i].Shown = known[u.ID].Identity, shown[u.ID]
	}
	out.WaitingCount, out.WaitingBy = len(out.Waiting), map[vocab.Severity]int{}
	for _, it := range out.Waiting {
		out.WaitingBy[it.Severity]++
	}
	out.Problems = append(append(append([]control.Problem{}, d.office.Problems()...), d.from.Wrappers.Problems()...), apart...)
	return out, nil
}

// MaxWaitingTold limits the items in a status; the inbox has all of them.
const MaxWaitingTold = 100
