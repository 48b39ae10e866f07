// Package ledger reads and writes what the store holds about one server, in one transaction: what it declares (Seen), what of that was
// allowed (Pins), and its launches. Facts is the input of a review; approving, rejecting and undoing write through Put and PutPin, which
// skip unchanged values. It decides nothing, and knows neither the hub nor its lock: it only needs a transaction.
package ledger

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Ledger is what the store holds about one server, read in one transaction.
type Ledger struct {
	Server store.Server
	Pins   map[string][]store.Pin // by item, one per era
	Seen   map[string]store.Seen
	Wrote  bool
}

func ReadAll(tx *store.Tx) ([]*Ledger, error) {
	servers := tx.Servers()
	all := make([]*Ledger, 0, len(servers))
	for _, server := range servers {
		l, err := Read(tx, server.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func Read(tx *store.Tx, id string) (*Ledger, error) {
	server, err := tx.Server(id)
	if err != nil {
		return nil, err
	}
	l := &Ledger{Server: server, Pins: map[string][]store.Pin{}, Seen: map[string]store.Seen{}}
	pins, _, err := tx.Pins(id) // an invalid seal means that there is no pin: its item is new
	if err != nil {
		return nil, err
	}
	for _, p := range pins {
		l.Pins[p.Item] = append(l.Pins[p.Item], p)
	}
	seen, err := tx.Seen(id)
	if err != nil {
		return nil, err
	}
	for _, s := range seen {
		if have, ok := l.Seen[s.Item]; !ok || have.LastAt.Before(s.LastAt) {
			l.Seen[s.Item] = s
		}
	}
	return l, nil
}

// Facts are the input of a review, sorted by key.
func (l *Ledger) Facts() review.Facts {
	f := review.Facts{FirstUse: l.Server.FirstUse, Blocked: l.Server.Blocked, Findings: review.ReadFindings(l.Server.Findings)}
	keys := slices.Collect(maps.Keys(l.Seen))
	for key, pins := range l.Pins {
		if _, ok := l.Seen[key]; !ok && Known(pins) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		item := review.ItemFacts{Key: key, Known: Known(l.Pins[key])}
		for _, p := range l.Pins[key] {
			if p.State == vocab.PartApproved {
				item.Approved = append(item.Approved, pin.Digest(p.Digest))
				item.ApprovedBy = approvedBy(p.ApprovedBy)
			}
			for _, d := range p.Refused {
				item.Refused = append(item.Refused, pin.Digest(d))
			}
			item.Held = item.Held || p.Waits
		}
		if s, ok := l.Seen[key]; ok && !s.Removed {
			item.Declared, item.Era, item.FirstSeen = pin.Digest(s.Digest), s.Era, s.FirstAt
			item.Findings = review.ReadFindings(s.Findings)
		}
		f.Items = append(f.Items, item)
	}
	return f
}

func Known(pins []store.Pin) bool {
	return slices.ContainsFunc(pins, func(p store.Pin) bool { return p.Digest != "" })
}

// Approves is the comparison that allows an item.
func (l *Ledger) Approves(key string, digest pin.Digest) bool {
	return slices.ContainsFunc(l.Pins[key], func(p store.Pin) bool { return p.State == vocab.PartApproved && p.Digest == string(digest) })
}

// Base is the last approved definition, to diff against; "" if there is none. A definition that was only seen does not count.
func (l *Ledger) Base(key string) store.Pin {
	if key == review.KeyLaunch {
		return l.launchBase()
	}
	var last store.Pin
	for _, p := range l.Pins[key] {
		if p.Digest != "" && (last.Digest == "" || p.ApprovedAt.After(last.ApprovedAt)) {
			last = p
		}
	}
	return last
}

// Pin is the pin of an item in an era, a new one if there is none.
func (l *Ledger) Pin(key, era string) store.Pin {
	for _, p := range l.Pins[key] {
		if p.Era == era {
			return p
		}
	}
	return store.Pin{ServerID: l.Server.ID, Item: key, Era: era, State: vocab.PartRejected}
}

func (l *Ledger) PutPin(tx *store.Tx, p store.Pin) error {
	l.Wrote = true
	for i, have := range l.Pins[p.Item] {
		if have.Era == p.Era {
			l.Pins[p.Item][i] = p
			return tx.PutPin(p)
		}
	}
	l.Pins[p.Item] = append(l.Pins[p.Item], p)
	return tx.PutPin(p)
}

func (l *Ledger) dropPin(tx *store.Tx, p store.Pin) error {
	l.Pins[p.Item] = slices.DeleteFunc(slices.Clone(l.Pins[p.Item]), func(other store.Pin) bool { return other.Era == p.Era })
	l.Wrote = true
	return tx.DeletePin(p.ServerID, p.Era, p.Item)
}

func (l *Ledger) PutServer(tx *store.Tx) error {
	l.Wrote = true
	return tx.PutServer(l.Server)
}

// See writes what the server declares now, skipping unchanged items.
func (l *Ledger) See(tx *store.Tx, now map[string]*review.Declaration, at time.Time) error {
	for key, d := range now {
		if err := l.Put(tx, key, d, at); err != nil {
			return err
		}
	}
	for key, have := range l.Seen {
		if now[key] != nil || have.Removed || key == review.KeyLaunch { // servers don't declare their launch
			continue
		}
		l.Wrote = true
		if !Known(l.Pins[key]) {
			delete(l.Seen, key)
			if err := tx.DeleteSeen(l.Server.ID, have.Era, key); err != nil {
				return err
			}
			continue
		}
		have.Removed, have.LastAt = true, at
		l.Seen[key] = have
		if err := tx.PutSeen(have); err != nil {
			return err
		}
	}
	return nil
}

// Put writes one item as declared now.
func (l *Ledger) Put(tx *store.Tx, key string, d *review.Declaration, at time.Time) error {
	have, ok := l.Seen[key]
	if ok {
		d = review.KeepsAcross(d, have)
	}
	findings := review.WriteFindings(d.Findings)
	if ok && !have.Removed && have.Era == d.Era && have.Digest == string(d.Digest) && bytes.Equal(have.Findings, findings) {
		return nil
	}
	if ok && have.Era != d.Era {
		if err := tx.DeleteSeen(l.Server.ID, have.Era, key); err != nil {
			return err
		}
	}
	s := store.Seen{ServerID: l.Server.ID, Item: key, Era: d.Era, Digest: string(d.Digest), Raw: d.Raw, Findings: findings, FirstAt: at, LastAt: at}
	if ok {
		s.FirstAt = have.FirstAt
	}
	if err := tx.PutSeen(s); err != nil {
		return err
	}
	l.Seen[key], l.Wrote = s, true
	if key == review.KeyLaunch {
		return l.keepProgram(tx, d.Raw, at)
	}
	return nil
}

// maxRefused limits the rejections remembered per item; beyond it the oldest is asked about again.
const maxRefused = 32

func refuse(p *store.Pin, digest string, at time.Time) {
	if digest == "" || slices.Contains(p.Refused, digest) {
		return
	}
	refused := append(slices.Clone(p.Refused), digest)
	p.Refused = refused[max(0, len(refused)-maxRefused):]
	p.RejectedAt = at
}

func approvedBy(by vocab.By) string {
	if by == vocab.ByTrustClean {
		return "trusted on first use, never read"
	}
	return string(by)
}
