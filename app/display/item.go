package display

import (
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
