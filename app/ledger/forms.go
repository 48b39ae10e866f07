package ledger

import (
	"bytes"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// A server may declare an item otherwise in each protocol era: then the item has two forms, which are reviewed one by one. Seen holds the form
// of each era that declares the item. An item that is gone, and the launch, have one.

// Forms are the definitions of an item that are declared now.
func (l *Ledger) Forms(key string) []store.Seen {
	return slices.DeleteFunc(slices.Clone(l.Seen[key]), func(s store.Seen) bool { return s.Removed })
}

// Form is the form of an item with this digest, of the given era unless that is "".
func (l *Ledger) Form(key, era string, digest pin.Digest) (store.Seen, bool) {
	same := l.Same(key, era, digest)
	if len(same) == 0 {
		return store.Seen{}, false
	}
	return same[0], true
}

// Same are the forms with this digest: the one of the given era, or, if that is "", those of all.
func (l *Ledger) Same(key, era string, digest pin.Digest) []store.Seen {
	return slices.DeleteFunc(l.Forms(key), func(s store.Seen) bool {
		return s.Digest != string(digest) || era != "" && s.Era != era
	})
}

// Launch is the launch as last seen, empty if it never was.
func (l *Ledger) Launch() store.Seen {
	if seen := l.Seen[review.KeyLaunch]; len(seen) > 0 {
		return seen[0]
	}
	return store.Seen{}
}

// facts are what is declared of an item, one for each different form. If the server declares something in both eras, a form is named by its era
// unless the other era has the same.
func (l *Ledger) facts(key string, both bool) (forms []review.ItemFacts) {
	for _, s := range l.Forms(key) {
		findings := review.ReadFindings(s.Findings)
		at := slices.IndexFunc(forms, func(f review.ItemFacts) bool { return f.Declared == pin.Digest(s.Digest) })
		if at < 0 {
			form := review.ItemFacts{Declared: pin.Digest(s.Digest), FirstSeen: s.FirstAt, Findings: findings}
			if both && key != review.KeyLaunch {
				form.Era = s.Era
			}
			forms = append(forms, form)
			continue
		}
		same := &forms[at]
		same.Era, same.Findings = "", review.Together(same.Findings, findings)
		if s.FirstAt.Before(same.FirstSeen) {
			same.FirstSeen = s.FirstAt
		}
	}
	return forms
}

// inBothEras reports whether the server is known to declare something in each era.
func (l *Ledger) inBothEras() bool {
	one := ""
	for key, seen := range l.Seen {
		for _, s := range seen {
			if key == review.KeyLaunch || s.Removed || s.Era == one {
				continue
			}
			if one != "" {
				return true
			}
			one = s.Era
		}
	}
	return false
}

// declaresIn reports whether the server is known to declare anything in an era.
func (l *Ledger) declaresIn(era string) bool {
	for key := range l.Seen {
		if slices.ContainsFunc(l.Forms(key), func(s store.Seen) bool { return key != review.KeyLaunch && s.Era == era }) {
			return true
		}
	}
	return false
}

// See writes what the server declares now in one era, skipping unchanged items.
func (l *Ledger) See(tx *store.Tx, era string, now map[string]*review.Declaration, at time.Time) error {
	for key, d := range now {
		if err := l.Put(tx, key, d, at); err != nil {
			return err
		}
	}
	for key := range l.Seen {
		if now[key] != nil || key == review.KeyLaunch { // servers don't declare their launch
			continue
		}
		if err := l.gone(tx, key, era, at); err != nil {
			return err
		}
	}
	return nil
}

// gone takes back what an era declared of an item. The item is removed with its last form.
func (l *Ledger) gone(tx *store.Tx, key, era string, at time.Time) error {
	i := slices.IndexFunc(l.Seen[key], func(s store.Seen) bool { return s.Era == era && !s.Removed })
	if i < 0 {
		return nil
	}
	l.Wrote = true
	if len(l.Seen[key]) > 1 || !Known(l.Pins[key]) {
		return l.dropSeen(tx, l.Seen[key][i])
	}
	have := l.Seen[key][i]
	have.Removed, have.LastAt = true, at
	return l.putSeen(tx, have)
}

// Put writes one item as declared now in the era of d.
func (l *Ledger) Put(tx *store.Tx, key string, d *review.Declaration, at time.Time) error {
	var have, before store.Seen // in this era, and what it takes the place of
	for _, s := range l.Seen[key] {
		d = review.KeepsAcross(d, s)
		if s.Era == d.Era {
			have, before = s, s
		} else if s.Removed || key == review.KeyLaunch {
			before = s
		}
	}
	findings := review.WriteFindings(d.Findings)
	if have.Digest != "" && !have.Removed && have.Digest == string(d.Digest) && have.Text == d.Text && bytes.Equal(have.Findings, findings) {
		return nil
	}
	if before.Digest != "" && before.Era != d.Era {
		if err := l.dropSeen(tx, before); err != nil {
			return err
		}
	}
	s := store.Seen{ServerID: l.Server.ID, Item: key, Era: d.Era, Digest: string(d.Digest), Raw: d.Raw, Text: d.Text, Findings: findings, FirstAt: at, LastAt: at}
	if before.Digest != "" {
		s.FirstAt = before.FirstAt
	}
	if err := l.putSeen(tx, s); err != nil {
		return err
	}
	if key == review.KeyLaunch {
		return l.keepProgram(tx, d.Raw, at)
	}
	return nil
}

func (l *Ledger) putSeen(tx *store.Tx, s store.Seen) error {
	others := slices.DeleteFunc(slices.Clone(l.Seen[s.Item]), func(have store.Seen) bool { return have.Era == s.Era })
	l.Seen[s.Item], l.Wrote = inOrder(append(others, s)), true
	return tx.PutSeen(s)
}

func (l *Ledger) dropSeen(tx *store.Tx, s store.Seen) error {
	l.Seen[s.Item] = slices.DeleteFunc(slices.Clone(l.Seen[s.Item]), func(have store.Seen) bool { return have.Era == s.Era })
	if len(l.Seen[s.Item]) == 0 {
		delete(l.Seen, s.Item)
	}
	return tx.DeleteSeen(l.Server.ID, s.Era, s.Item)
}

// inOrder sorts forms by their eras, the older one first.
func inOrder(forms []store.Seen) []store.Seen {
	slices.SortFunc(forms, func(a, b store.Seen) int { return bytes.Compare([]byte(a.Era), []byte(b.Era)) })
	return forms
}
