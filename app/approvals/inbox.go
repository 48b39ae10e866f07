package approvals

import (
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	// noisyTimes in noisyWindow is how often an item may come and go before it stays.
	noisyTimes  = 3
	noisyWindow = 24 * time.Hour
)

// SettleServer updates the inbox to a server's state: one item per kind, a new code for new content.
func (a *Approvals) SettleServer(tx *store.Tx, l *ledger.Ledger, now time.Time) (notices []review.Notice, err error) {
	after := review.Of(l.Facts())
	for _, kind := range []vocab.ItemKind{vocab.ItemNewServer, vocab.ItemChanged, vocab.ItemLaunch} {
		want := review.ContentOf(l.Server, after, kind, l.LaunchDrift)
		if want == nil && kind == vocab.ItemChanged {
			stays, err := a.cameAndWent(tx, l, after, now)
			if err != nil {
				return nil, err
			}
			if stays {
				continue
			}
		}
		item, fresh, err := a.office.Settle(tx, want, kind, l.Server.ID, now)
		if err != nil {
			return nil, err
		}
		if fresh {
			l.Wrote = true
			if item != nil {
				notice := review.NoticeOf(*item, l.Server.Name)
				notice.Blocked = kind == vocab.ItemLaunch && !a.RunsOn(l)
				notices = append(notices, notice)
			}
		}
	}
	return notices, nil
}

// cameAndWent is called when no change is pending any more. The third time in a day that content went back to the approved version, the
// server counts as noisy and the item stays pending: somebody may be attacking, and a person should see it.
func (a *Approvals) cameAndWent(tx *store.Tx, l *ledger.Ledger, after review.Standing, now time.Time) (stays bool, err error) {
	have, err := tx.WaitingFor(l.Server.ID, vocab.ItemChanged)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	waited := map[string]bool{}
	for _, p := range have.Parts {
		waited[p.Item] = p.State == vocab.PartChanged || p.State == vocab.PartNew || p.State == vocab.PartApproved
	}
	if !slices.ContainsFunc(have.Parts, func(p store.Part) bool { return p.State != vocab.PartApproved && p.State != vocab.PartRemoved }) {
		return true, nil // it already stays until a person has seen it
	}
	var back []review.Judged
	for _, j := range after.Items {
		if j.State == vocab.PartApproved && waited[j.Key] {
			back = append(back, j)
		}
	}
	if len(back) == 0 {
		return false, nil // decided, or a new item disappeared: not a return
	}
	recent := append(slices.DeleteFunc(slices.Clone(l.Server.Noisy), func(t time.Time) bool { return now.Sub(t) > noisyWindow }), now)
	l.Server.Noisy = recent[max(0, len(recent)-noisyTimes):]
	if err := l.PutServer(tx); err != nil {
		return false, err
	}
	if len(l.Server.Noisy) < noisyTimes {
		return false, nil
	}
	c := review.ContentWith(l.Server, vocab.ItemChanged, back)
	c.Title = review.TitleOf(identity.ShortName(l.Server), vocab.ItemChanged, back, false)
	item, _, err := a.office.Settle(tx, c, vocab.ItemChanged, l.Server.ID, now)
	if err != nil || item.Noisy {
		return err == nil, err
	}
	item.Noisy = true
	return true, tx.PutItem(*item)
}

// SettleAll updates the inbox for every server, at the start after invalid seals.
func (a *Approvals) SettleAll() error {
	return a.office.Update(func(tx *store.Tx) (bool, error) {
		wrote := false
		for _, server := range tx.Servers() {
			l, err := ledger.Read(tx, server.ID)
			if err != nil {
				return false, err
			}
			if _, err := a.SettleServer(tx, l, a.office.Now()); err != nil {
				return false, err
			}
			wrote = wrote || l.Wrote
		}
		return wrote, nil
	})
}
