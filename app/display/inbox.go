package display

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Inbox lists the pending items.
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
		items, err = d.inbox(tx, tx.Servers())
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
		if server, known := byID[it.ServerID]; known && !review.OfClient(it.Kind) {
			called(&items[i], server, names.Shown(server))
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

// called gives an item the shown name of its server.
func called(it *control.InboxItem, server store.Server, shown string) {
	it.Shown, it.Title = shown, identity.Retitled(it.Title, server, shown)
}

// DecidedSince are the items that were decided, or came and went, since then; the newest first.
func (d *Display) DecidedSince(since time.Time) (out []office.DecidedItem, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if d.from.Lost.Waits() {
		return nil, nil // they were in the store
	}
	if err := d.office.Usable(); err != nil {
		return nil, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		for _, it := range tx.DecidedHeads() {
			if it.Decided == vocab.DecidedSuperseded || it.DecidedAt.Before(since) {
				continue
			}
			if it, err = tx.Item(it.Code); err != nil {
				return err
			}
			server, err := tx.Server(it.ServerID)
			if err != nil && !office.Absent(err) {
				return err
			}
			out = append(out, office.DecidedItem{InboxItem: review.InboxItem(it, server), Decided: it.Decided, DecidedAt: it.DecidedAt.UTC()})
		}
		held, err := d.from.Held.DecidedHeld(tx, since)
		out = append(out, held...)
		return err
	})
	slices.SortStableFunc(out, func(a, b office.DecidedItem) int { return b.DecidedAt.Compare(a.DecidedAt) })
	return out, d.office.Failed(err)
}
