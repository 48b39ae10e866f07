package display

import (
	"sort"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Status says how the hub is, with the first of what waits.
func (d *Display) Status() (control.Status, error) {
	out, err := d.WholeStatus()
	review.ByAge(out.Waiting)
	out.Waiting = out.Waiting[:min(len(out.Waiting), MaxWaitingTold)]
	return out, err
}

// WholeStatus says how the hub is, with all that waits. It answers without a store too: that is when a person needs it most.
func (d *Display) WholeStatus() (control.Status, error) {
	coverage, err := d.from.Guardian.Coverage(control.CoverageQuery{}) // reads files: not under the lock
	d.office.Lock()
	defer d.office.Unlock()
	out := control.Status{
		RuleSet: d.from.Settings.Rules().RuleSet(), Coverage: &coverage, Hub: d.from.Welcome(control.Peer{}), Home: d.from.Home.Dir,
		Waiting: []control.InboxItem{}, Unseen: d.from.Wrappers.UnseenServers(), // lists, also where the store cannot say
	}
	if err != nil {
		out.Coverage = nil
	}
	shown := map[string]string{}
	var apart []control.Problem
	if d.office.Store != nil {
		err := d.office.Store.View(func(tx *store.Tx) error {
			servers, err := tx.Servers()
			if err != nil {
				return err
			}
			out.Servers, apart = len(servers), review.VersionProblems(servers)
			names := identity.CalledOf(servers)
			for _, s := range servers {
				shown[s.ID] = names.Shown(s)
				for i := range out.Unseen {
					if out.Unseen[i].ID == s.ID {
						out.Unseen[i].Identity = s.Identity
					}
				}
			}
			out.Waiting, err = d.inbox(tx, servers)
			return err
		})
		if err != nil {
			d.office.Failed(err) // status names it among the problems
		}
	}
	out.Wrappers = d.from.Wrappers.Connected(shown)
	if d.from.Lost.Is() {
		out.Waiting = []control.InboxItem{d.from.Lost.Item()}
	}
	for i := range out.Unseen {
		out.Unseen[i].Shown = shown[out.Unseen[i].ID]
	}
	out.WaitingCount, out.WaitingBy = len(out.Waiting), map[string]int{}
	for _, it := range out.Waiting {
		out.WaitingBy[it.Severity]++
	}
	out.Problems = append(append(append([]control.Problem{}, d.office.Problems()...), d.from.Wrappers.UnlistedProblems()...), apart...)
	return out, nil
}

// MaxWaitingTold is how many items status names; the inbox has all of them.
const MaxWaitingTold = 100

// Inbox is what waits for a decision.
func (d *Display) Inbox() (items []control.InboxItem, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if d.from.Lost.Waits() {
		return []control.InboxItem{d.from.Lost.Item()}, nil
	}
	if err := d.office.Usable(); err != nil {
		return nil, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		servers, err := tx.Servers()
		if err != nil {
			return err
		}
		items, err = d.inbox(tx, servers)
		return err
	})
	return items, d.office.Failed(err)
}

func (d *Display) inbox(tx *store.Tx, servers []store.Server) ([]control.InboxItem, error) {
	waiting, err := d.from.Held.WaitingItems(tx)
	if err != nil {
		return nil, err
	}
	byID, names := map[string]store.Server{}, identity.CalledOf(servers)
	for _, s := range servers {
		byID[s.ID] = s
	}
	items := make([]control.InboxItem, len(waiting))
	for i, it := range waiting {
		items[i] = review.InboxItem(it.Item, byID[it.ServerID])
		if server, known := byID[it.ServerID]; known && !review.FileItem(it.Kind) {
			items[i].Shown = names.Shown(server)
			items[i].Title = identity.Retitled(items[i].Title, server, items[i].Shown)
		}
		d.from.Held.TellHeld(tx, it.Held, &items[i])
		if it.Kind == vocab.ItemLaunch {
			l, err := ledger.Read(tx, it.ServerID)
			if err != nil && !office.Absent(err) {
				return nil, err
			}
			items[i].Runs = err == nil && d.from.Approvals.RunsOn(l)
		}
	}
	return items, nil
}

// Item is one item whole, with what was last approved beside what is declared now. What was only seen in between is no
// base of a diff: a person compares with what a person said yes to.
func (d *Display) Item(code string) (out control.ItemDetail, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if d.from.Lost.Waits() {
		return d.from.Lost.Detail(code)
	}
	if err := d.office.Usable(); err != nil {
		return out, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		it, err := tx.Item(code)
		if office.Absent(err) {
			return office.Answer(control.CodeNotFound, "no item %s; run `sallyport inbox` to see the items", legible.Name(code, "of that code"))
		}
		if err != nil {
			return err
		}
		if it.Decided == vocab.DecidedSuperseded {
			return office.Stale(tx, it)
		}
		defer func() {
			if servers, bad := tx.Servers(); bad == nil && !review.FileItem(it.Kind) {
				for _, s := range servers {
					if s.ID == it.ServerID {
						out.Shown = identity.CalledOf(servers).Shown(s)
						out.Title = identity.Retitled(out.Title, s, out.Shown)
					}
				}
			}
		}()
		if it.Kind == vocab.ItemSettingsChanged {
			out = control.ItemDetail{InboxItem: review.InboxItem(it, store.Server{}), Decided: it.Decided}
			out.Details = settings.Details(it)
			return setNext(tx, it, &out)
		}
		if review.FileItem(it.Kind) {
			out = review.FileItemDetail(it)
			return setNext(tx, it, &out)
		}
		if it.Kind == vocab.ItemResponseHeld {
			out, err = d.from.Held.HeldItemDetail(tx, it)
			return err
		}
		l, err := approvals.LedgerOf(tx, it)
		if err != nil {
			return err
		}
		out = control.ItemDetail{
			InboxItem: review.InboxItem(it, l.Server), Command: l.Server.Argv, URL: l.Server.URL, Info: l.Server.ServerInfo,
			Findings: review.Listed(review.ReadFindings(it.Findings)), Decided: it.Decided, Details: []control.PartDetail{},
		}
		out.Runs = it.Kind == vocab.ItemLaunch && it.Decided == "" && d.from.Approvals.RunsOn(l)
		out.Sandbox, out.LookedIn = d.from.Settings.ValuesFor(l.Server)[sandboxKey], l.Server.Sandbox
		if it.Kind == vocab.ItemInteraction {
			out.Details = review.InteractionDetails(it)
			return setNext(tx, it, &out)
		}
		for _, p := range it.Parts {
			out.Details = append(out.Details, ledger.PartDetail(l, it, p))
		}
		if it.Kind == vocab.ItemNewServer {
			out.Can, out.Made = review.CanDo(out.Details), ledger.MadeBy(l)
			if out.Before, err = ledger.EntryBefore(tx, l.Server); err != nil {
				return err
			}
		}
		return setNext(tx, it, &out)
	})
	review.FoldDetail(&out)
	return out, d.office.Failed(err)
}

// setNext says where the rest of an item that was decided in part is now.
func setNext(tx *store.Tx, it store.Item, out *control.ItemDetail) error {
	now, err := office.Newest(tx, it)
	if err == nil && now.Code != it.Code {
		out.Next = now.Code
	}
	return err
}

// knownServers are all servers that ran or were looked at.
func (d *Display) knownServers() (out []control.Server, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if err := d.office.Usable(); err != nil {
		return nil, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		ledgers, err := ledger.ReadAll(tx)
		names := identity.Called{}
		for _, l := range ledgers {
			names.Add(l.Server)
		}
		for _, l := range ledgers {
			codes := ledger.WaitingCodes(tx, l.Server.ID)
			row := ledger.ServerRow(l, codes)
			row.Shown, row.Held = names.Shown(l.Server), d.from.Held.HeldOf(l.Server.ID)
			row.Sandbox = d.from.Settings.ValuesFor(l.Server)[sandboxKey]
			d.from.Wrappers.AddLive(&row)
			out = append(out, row)
		}
		return err
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].Server < out[j].Server })
	return out, d.office.Failed(err)
}

// Log is part of what a server wrote to its stderr.
func (d *Display) Log(q control.LogQuery) (out control.Log, err error) {
	d.office.Lock()
	if err := d.office.Usable(); err != nil {
		d.office.Unlock()
		return out, err
	}
	var id string
	err = d.office.Store.View(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, q.Server)
		id = server.ID
		return err
	})
	err = d.office.Failed(err)
	d.office.Unlock()
	if err != nil {
		return out, err
	}
	text, next, err := d.from.Logs.Read(id, q)
	if err != nil {
		return out, office.Answer(control.CodeUnavailable, "can't read the log: %s", office.OneLine(err.Error()))
	}
	return control.Log{Text: text, Next: next}, nil
}

// sandboxKey is the setting. The hub builds no sandbox and starts no server: it says which one is set, which files of clients
// are to be hidden, and what each server ran under when it declared itself.
const sandboxKey = "sandbox"
