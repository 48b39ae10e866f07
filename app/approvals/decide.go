package approvals

import (
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// DecideServer decides on a new server or on changes of one.
func (a *Approvals) DecideServer(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (bool, error) {
	l, err := LedgerOf(tx, it)
	if err != nil {
		return false, err
	}
	out.Server = l.Server.Name
	reconsidered := it.Decided != ""
	if reconsidered && !stillDeclared(l, &it, d) {
		return false, goneSince(tx, it)
	}
	chosen, err := office.Selection(it, d)
	if err != nil {
		return false, err
	}
	now := a.office.Now()
	if err := decideParts(tx, l, it, d, chosen, out, now); err != nil {
		return false, err
	}
	if len(chosen) == 0 {
		if !reconsidered {
			out.Next = it.Code
		}
		return false, nil
	}
	if l.Server.FirstUse.IsZero() {
		l.Server.FirstUse = now
	}
	l.Server.Noisy = nil
	if !d.Reject && it.Kind != vocab.ItemLaunch {
		l.Server.Blocked, l.Server.BlockedBy = false, ""
	}
	if err := l.PutServer(tx); err != nil {
		return false, err
	}
	it.Decided, it.DecidedAt = vocab.DecidedApproved, now
	if d.Reject || reconsidered && len(out.Left) > 0 {
		it.Decided = vocab.DecidedRejected // the rest can still be allowed by its code
	}
	if err := tx.PutItem(it); err != nil {
		return false, err
	}
	if err := a.settleDecided(tx, l, out.Approved, now); err != nil {
		return false, err
	}
	if len(out.Left) > 0 {
		if rest, err := tx.WaitingFor(l.Server.ID, it.Kind); err == nil && rest.Code != it.Code {
			out.Next, it.Next = rest.Code, rest.Code
			if err := tx.PutItem(it); err != nil {
				return false, err
			}
		}
	}
	if err := a.noteDecided(tx, l.Server, d, it, out); err != nil {
		return false, err
	}
	return true, a.noteUnvalidated(tx, l)
}

// stillDeclared keeps the parts of a rejected item that are still declared as shown, and reports whether there are any. Other parts may be
// gone or decided since; that is no reason to block these for ever.
func stillDeclared(l *ledger.Ledger, it *store.Item, d control.Decide) bool {
	it.Parts = slices.DeleteFunc(slices.Clone(it.Parts), func(p store.Part) bool {
		return p.State != vocab.PartRemoved && !slices.Contains(d.Items, p.Item) && !slices.Contains(d.Items, review.PartKey(p)) && len(declared(l, p)) == 0
	})
	for i, p := range it.Parts {
		seen, _ := l.Form(p.Item, p.Era, pin.Digest(p.Digest))
		it.Parts[i].Findings = seen.Findings
	}
	return len(it.Parts) > 0
}

// declared is what a server still declares as the item shows it: the form of one era, or that of all which have the same.
func declared(l *ledger.Ledger, p store.Part) []store.Seen {
	return l.Same(p.Item, p.Era, pin.Digest(p.Digest))
}

// decideParts writes a decision into the ledger, and the definitions that it is about into the item's parts, unless they are huge.
func decideParts(tx *store.Tx, l *ledger.Ledger, it store.Item, d control.Decide, chosen map[string]bool, out *control.Decided, now time.Time) (err error) {
	var kept int
	for i := range it.Parts {
		part := &it.Parts[i]
		if part.State == vocab.PartRemoved {
			continue
		}
		forms := declared(l, *part)
		if len(forms) == 0 {
			// Only a rejected item comes here: pending ones always match what is declared.
			return goneSince(tx, it)
		}
		if form, base := forms[0], l.Base(part.Item, part.Era); kept+len(form.Raw)+len(base.Raw)+len(form.Text) <= 1<<20 {
			part.Definition, part.Approved, part.Text = form.Raw, base.Raw, form.Text
			kept += len(form.Raw) + len(base.Raw) + len(form.Text)
		}
		switch {
		case !chosen[review.PartKey(*part)]:
			out.Left = review.WithKind(out.Left, part.Item)
			continue
		case d.Reject:
			out.Rejected = review.WithKind(out.Rejected, part.Item)
		default:
			out.Approved = review.WithKind(out.Approved, part.Item)
		}
		for _, seen := range forms {
			switch {
			case d.Reject:
				err = l.Reject(tx, seen, part.State, it.Code, now)
			case part.State != vocab.PartApproved:
				err = l.Approve(tx, seen, it.Code, now)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// settleDecided updates the launch and the inbox of a server after a decision.
func (a *Approvals) settleDecided(tx *store.Tx, l *ledger.Ledger, approved []string, now time.Time) error {
	if slices.Contains(approved, review.KeyLaunch) {
		if err := l.KeepLaunch(tx, a.liveLaunches(l.Server.ID)); err != nil {
			return err
		}
	}
	if err := a.SeeLaunch(tx, l, now); err != nil {
		return err
	}
	// Another process of the server may still declare what was just replaced: that is pending now.
	for era, live := range a.live(l.Server.ID) {
		if err := l.See(tx, era, replaced(l, era, live, approved), now); err != nil {
			return err
		}
	}
	_, err := a.SettleServer(tx, l, now)
	return err
}

func (a *Approvals) noteDecided(tx *store.Tx, server store.Server, d control.Decide, it store.Item, out *control.Decided) error {
	kind, keys, words := vocab.RecordApproval, out.Approved, "allowed"
	if d.Reject {
		kind, keys, words = vocab.RecordRejection, out.Rejected, "rejected"
	}
	more := map[string]any{"left": office.CutList(out.Left), "next": out.Next, "digest": it.Digest}
	if d.Together > 1 {
		more["together"] = d.Together
	}
	office.AddReason(more, d.Reason)
	return a.office.NoteDecision(tx, server, kind, it.Code, keys, words, more)
}

// goneSince refuses to reconsider what the server no longer declares.
func goneSince(tx *store.Tx, it store.Item) error {
	now := &control.Error{Code: control.CodeStale, Message: fmt.Sprintf("the server changed what it declares since %s was rejected", it.Code)}
	if waits, err := tx.WaitingFor(it.ServerID, it.Kind); err == nil {
		now.Message, now.See = fmt.Sprintf("%s changed since, see %s", it.Code, waits.Code), waits.Code
	}
	return now
}

// replaced is what is declared now in one era, where another live process may still declare the old version of an item whose approval was
// just replaced.
func replaced(l *ledger.Ledger, era string, live []map[string]*review.Declaration, approved []string) map[string]*review.Declaration {
	now := map[string]*review.Declaration{}
	for key := range l.Seen {
		for _, s := range l.Forms(key) {
			if s.Era == era {
				now[key] = review.DeclaredIn(s)
			}
		}
	}
	for _, key := range approved {
		for _, declared := range live {
			if d := declared[key]; d != nil && !l.Approves(key, d.Digest) {
				now[key] = d
				break
			}
		}
	}
	return now
}
