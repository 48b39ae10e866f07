package ledger

import (
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Approve allows the declared definition, replacing the one allowed before in that era, and in one in which nothing is declared any more.
func (l *Ledger) Approve(tx *store.Tx, seen store.Seen, code string, now time.Time) error {
	p, digest := l.Pin(seen.Item, seen.Era), seen.Digest
	before := p.Digest
	p.Digest, p.Raw, p.Text, p.State, p.ApprovedBy, p.ApprovedAt, p.Waits, p.Code = digest, seen.Raw, seen.Text, vocab.PartApproved, vocab.ByPerson, now, false, code
	p.Refused = slices.DeleteFunc(slices.Clone(p.Refused), func(d string) bool { return d == digest })
	// A block took back the approvals of both eras; the decision restores only what was shown.
	for _, other := range slices.Clone(l.Pins[seen.Item]) {
		if other.Era == seen.Era {
			continue
		}
		other.Waits = false
		if seen.Item != review.KeyLaunch && !l.declaresIn(other.Era) { // nothing comes back from an era that is over
			other = unapproved(other)
		}
		other.Refused = slices.DeleteFunc(slices.Clone(other.Refused), func(d string) bool { return d == digest })
		if err := l.putOrDrop(tx, other); err != nil {
			return err
		}
	}
	action := vocab.ActionApprove
	if before != "" && before != digest {
		action = vocab.ActionReplace
	}
	return l.putNoted(tx, p, store.Event{At: now, Action: action, By: vocab.ByPerson, Digest: digest, Before: before, Code: code})
}

// putNoted writes a pin, and an event of its history.
func (l *Ledger) putNoted(tx *store.Tx, p store.Pin, e store.Event) error {
	return errors.Join(l.PutPin(tx, p), addHistory(tx, p, e))
}

func addHistory(tx *store.Tx, p store.Pin, e store.Event) error {
	e.ServerID, e.Item, e.Era = p.ServerID, p.Item, p.Era
	return tx.AddHistory(e)
}

// Trust allows what is declared at first use, unread.
func (l *Ledger) Trust(tx *store.Tx, seen store.Seen, now time.Time) error {
	return l.allow(tx, seen, vocab.ActionTrust, vocab.ByTrustClean, now)
}

// allow allows a definition without a person's decision.
func (l *Ledger) allow(tx *store.Tx, seen store.Seen, action vocab.Action, by vocab.By, now time.Time) error {
	p := l.Pin(seen.Item, seen.Era)
	p.Digest, p.Raw, p.Text, p.State, p.ApprovedBy, p.ApprovedAt, p.Waits = seen.Digest, seen.Raw, seen.Text, vocab.PartApproved, by, now, false
	return l.putNoted(tx, p, store.Event{At: now, Action: action, By: by, Digest: seen.Digest})
}

// Reject blocks the declared definition as long as it stays the same. An earlier approval stays, unless it was for this definition.
func (l *Ledger) Reject(tx *store.Tx, seen store.Seen, state vocab.PartState, code string, now time.Time) error {
	for _, other := range l.Pins[seen.Item] { // a block applies to every era, and so does its decision
		if !other.Waits && !(state == vocab.PartApproved && other.Digest == seen.Digest) {
			continue
		}
		other.Waits, other.State = false, vocab.PartRejected
		if err := l.PutPin(tx, other); err != nil {
			return err
		}
	}
	p := l.Pin(seen.Item, seen.Era)
	refuse(&p, seen.Digest, now)
	p.Code = code
	if p.Digest == seen.Digest {
		p.State = vocab.PartRejected
	}
	return l.putNoted(tx, p, store.Event{At: now, Action: vocab.ActionReject, By: vocab.ByPerson, Digest: seen.Digest, Code: code})
}

// TakeBack turns the approvals of an item, in every era, into rejections that are pending, and reports whether there were any. Digest and
// Raw stay as the base of the next diff.
func (l *Ledger) TakeBack(tx *store.Tx, key string, by vocab.By, now time.Time) (took bool, err error) {
	for _, p := range slices.Clone(l.Pins[key]) {
		if p.State != vocab.PartApproved {
			continue
		}
		took = true
		refuse(&p, p.Digest, now)
		p.State, p.Waits = vocab.PartRejected, true
		if err := l.putNoted(tx, p, store.Event{At: now, Action: vocab.ActionBlock, By: by, Digest: p.Digest}); err != nil {
			return took, err
		}
	}
	return took, nil
}

// ForgetAllowed deletes the pins that an item's decision made. The launch is forgotten with them, unless something else of the server is
// still allowed.
func (l *Ledger) ForgetAllowed(tx *store.Tx, it store.Item, now time.Time) (items []string, err error) {
	forget := func(key string, of func(store.Pin) bool) error {
		for _, p := range slices.Clone(l.Pins[key]) {
			if p.State != vocab.PartApproved || !of(p) {
				continue
			}
			if !slices.Contains(items, key) {
				items = append(items, key)
			}
			digest := p.Digest
			p = unapproved(p)
			event := store.Event{At: now, Action: vocab.ActionUndo, By: vocab.ByPerson, Digest: digest, Code: it.Code}
			if err := errors.Join(l.putOrDrop(tx, p), addHistory(tx, p, event)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, part := range it.Parts {
		if part.Item == review.KeyLaunch || part.State != vocab.PartNew {
			continue
		}
		if err := forget(part.Item, func(p store.Pin) bool { return p.Code == it.Code && p.ApprovedBy == vocab.ByPerson }); err != nil {
			return nil, err
		}
	}
	for key := range l.Pins {
		if key != review.KeyLaunch && slices.ContainsFunc(l.Pins[key], func(p store.Pin) bool { return p.State == vocab.PartApproved }) {
			return items, nil
		}
	}
	return items, forget(review.KeyLaunch, func(store.Pin) bool { return true })
}

// unapproved keeps only the rejections of a pin.
func unapproved(p store.Pin) store.Pin {
	p.Digest, p.Raw, p.Text, p.State, p.ApprovedBy, p.ApprovedAt, p.Waits, p.Code, p.Unvalidated = "", nil, "", vocab.PartRejected, "", time.Time{}, false, "", ""
	return p
}

// putOrDrop writes a pin, or deletes it if it neither allows nor rejects anything.
func (l *Ledger) putOrDrop(tx *store.Tx, p store.Pin) error {
	if p.Digest != "" || len(p.Refused) > 0 {
		return l.PutPin(tx, p)
	}
	return l.dropPin(tx, p)
}

// AsShown makes the launch pending as the item showed it, if the same program runs: newer circumstances are not a different content.
func (l *Ledger) AsShown(tx *store.Tx, it store.Item, now time.Time) error {
	i := slices.IndexFunc(it.Parts, func(p store.Part) bool { return p.Item == review.KeyLaunch })
	if i < 0 || Known(l.Pins[review.KeyLaunch]) {
		return nil
	}
	shown, errShown := pin.ReadLaunch(it.Parts[i].Definition)
	running, errNow := pin.ReadLaunch(l.Launch().Raw)
	if errShown != nil || errNow != nil || !shown.SameCode(running) {
		return nil
	}
	digest := pin.Digest(it.Parts[i].Digest)
	return l.Put(tx, review.KeyLaunch, &review.Declaration{Key: review.KeyLaunch, Era: review.LaunchEra(digest), Digest: digest, Raw: it.Parts[i].Definition}, now)
}
