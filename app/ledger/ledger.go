// Package ledger reads and writes what the store holds about one server, in one transaction: what it declares (Seen), what of that was
// allowed (Pins), and its launches. Facts is the input of a review; approving, rejecting and undoing write through Put and PutPin, which
// skip unchanged values. It decides nothing, and knows neither the hub nor its lock: it only needs a transaction.
package ledger

import (
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
	Pins   map[string][]store.Pin  // by item, one per era
	Seen   map[string][]store.Seen // by item, see Forms
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
	l := &Ledger{Server: server, Pins: map[string][]store.Pin{}, Seen: map[string][]store.Seen{}}
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
		l.Seen[s.Item] = inOrder(append(l.Seen[s.Item], s))
	}
	return l, nil
}

// Facts are the input of a review, sorted by key, and the forms of an item by era.
func (l *Ledger) Facts() review.Facts {
	f := review.Facts{FirstUse: l.Server.FirstUse, Blocked: l.Server.Blocked, Findings: review.ReadFindings(l.Server.Findings)}
	keys := slices.Collect(maps.Keys(l.Seen))
	for key, pins := range l.Pins {
		if _, ok := l.Seen[key]; !ok && Known(pins) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	both := l.inBothEras()
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
		forms := l.facts(key, both)
		if len(forms) == 0 {
			f.Items = append(f.Items, item)
		}
		for _, form := range forms {
			one := item
			one.Declared, one.Era, one.FirstSeen, one.Findings = form.Declared, form.Era, form.FirstSeen, form.Findings
			f.Items = append(f.Items, one)
		}
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

// Base is the last approved definition, to diff against, that of the given era if there is one; "" if there is none at all. A definition that
// was only seen does not count.
func (l *Ledger) Base(key, era string) store.Pin {
	if key == review.KeyLaunch {
		return l.launchBase()
	}
	var last store.Pin
	for _, p := range l.Pins[key] {
		if p.Digest != "" && p.Era == era {
			return p
		}
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
