package display

import (
	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Item is one whole item, with what was last approved next to what is declared now. Versions seen in between are no base for a diff: a
// person compares with what a person allowed.
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
		it, err := office.ItemOf(tx, code)
		if err != nil {
			return err
		}
		if it.Decided == vocab.DecidedSuperseded {
			return office.Stale(tx, it)
		}
		if out, err = d.detail(tx, it); err != nil || review.OfClient(it.Kind) {
			return err
		}
		servers := tx.Servers()
		for _, server := range servers {
			if server.ID == it.ServerID {
				called(&out.InboxItem, server, identity.CalledOf(servers).Shown(server))
			}
		}
		return nil
	})
	review.FoldDetail(&out)
	return out, d.office.Failed(err)
}

// detail is an item with its parts.
func (d *Display) detail(tx *store.Tx, it store.Item) (out control.ItemDetail, err error) {
	switch {
	case it.Kind == vocab.ItemResponseHeld:
		return d.from.Held.HeldItemDetail(tx, it)
	case it.Kind == vocab.ItemSettingsChanged:
		out = control.ItemDetail{InboxItem: review.InboxItem(it, store.Server{}), Decided: it.Decided, Details: settings.Details(it)}
	case review.OfClient(it.Kind):
		out = review.FileItemDetail(it)
	default:
		if out, err = d.serverDetail(tx, it); err != nil {
			return out, err
		}
	}
	now, err := office.Newest(tx, it)
	if err == nil && now.Code != it.Code {
		out.Next = now.Code // the rest of an item that was decided in part
	}
	return out, err
}

// serverDetail is an item about what a server declares, launches or asks for.
func (d *Display) serverDetail(tx *store.Tx, it store.Item) (out control.ItemDetail, err error) {
	l, err := approvals.LedgerOf(tx, it)
	if err != nil {
		return out, err
	}
	out = control.ItemDetail{
		InboxItem: review.InboxItem(it, l.Server), Command: l.Server.Argv, URL: l.Server.URL, Info: l.Server.ServerInfo,
		Findings: review.Listed(review.ReadFindings(it.Findings)), Decided: it.Decided, Details: []control.PartDetail{},
		Sandbox: d.sandboxOf(l.Server), LookedIn: l.Server.Sandbox,
	}
	out.Runs = it.Kind == vocab.ItemLaunch && it.Decided == "" && d.from.Approvals.RunsOn(l)
	if it.Kind == vocab.ItemInteraction {
		out.Details = review.InteractionDetails(it)
		return out, nil
	}
	if it.Kind == vocab.ItemLogin {
		return out, nil
	}
	if it.Kind == vocab.ItemCallWaiting {
		review.CallDetails(&out, it, tx.AllowedCalls().All())
		return out, nil
	}
	for _, p := range it.Parts {
		out.Details = append(out.Details, ledger.PartDetail(l, it, p))
	}
	if it.Kind == vocab.ItemNewServer {
		out.Can, out.Made = review.CanDo(out.Details), ledger.MadeBy(l)
		out.Before, err = ledger.EntryBefore(tx, l.Server)
	}
	return out, err
}
