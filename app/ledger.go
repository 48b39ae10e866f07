package app

import (
	"bytes"
	"slices"
	"sort"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// ledger is what the store holds of one server, read in one transaction.
type ledger struct {
	server store.Server
	pins   map[string][]store.Pin // by item, one an era
	seen   map[string]store.Seen
	wrote  bool
}

// readLedgers are those of all servers.
func readLedgers(tx *store.Tx) ([]*ledger, error) {
	servers, err := tx.Servers()
	if err != nil {
		return nil, err
	}
	all := make([]*ledger, 0, len(servers))
	for _, server := range servers {
		l, err := readLedger(tx, server.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func readLedger(tx *store.Tx, id string) (*ledger, error) {
	server, err := tx.Server(id)
	if err != nil {
		return nil, err
	}
	l := &ledger{server: server, pins: map[string][]store.Pin{}, seen: map[string]store.Seen{}}
	pins, _, err := tx.Pins(id) // one whose seal does not hold is not there: its item is new
	if err != nil {
		return nil, err
	}
	for _, p := range pins {
		l.pins[p.Item] = append(l.pins[p.Item], p)
	}
	seen, err := tx.Seen(id)
	if err != nil {
		return nil, err
	}
	for _, s := range seen {
		if have, ok := l.seen[s.Item]; !ok || have.LastAt.Before(s.LastAt) {
			l.seen[s.Item] = s
		}
	}
	return l, nil
}

// facts are what review decides from, sorted by key.
func (l *ledger) facts() review.Facts {
	f := review.Facts{FirstUse: l.server.FirstUse, Blocked: l.server.Blocked, Findings: review.ReadFindings(l.server.Findings)}
	keys := make([]string, 0, len(l.seen)+len(l.pins))
	for key := range l.seen {
		keys = append(keys, key)
	}
	for key, pins := range l.pins {
		if _, ok := l.seen[key]; !ok && known(pins) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	for _, key := range keys {
		item := review.ItemFacts{Key: key, Known: known(l.pins[key])}
		for _, p := range l.pins[key] {
			if p.State == store.Approved {
				item.Approved = append(item.Approved, pin.Digest(p.Digest))
				item.ApprovedBy = approvedBy(p.ApprovedBy)
			}
			for _, d := range p.Refused {
				item.Refused = append(item.Refused, pin.Digest(d))
			}
			item.Held = item.Held || p.Waits
		}
		if s, ok := l.seen[key]; ok && !s.Removed {
			item.Declared, item.Era, item.FirstSeen = pin.Digest(s.Digest), s.Era, s.FirstAt
			item.Findings = review.ReadFindings(s.Findings)
		}
		f.Items = append(f.Items, item)
	}
	return f
}

func known(pins []store.Pin) bool {
	return slices.ContainsFunc(pins, func(p store.Pin) bool { return p.Digest != "" })
}

// approves is the equality that lets an item through.
func (l *ledger) approves(key string, digest pin.Digest) bool {
	return slices.ContainsFunc(l.pins[key], func(p store.Pin) bool { return p.State == store.Approved && p.Digest == string(digest) })
}

// base is what a diff is against: what was approved last, "" if nothing ever was. What was only seen is no base.
func (l *ledger) base(key string) store.Pin {
	if key == review.KeyLaunch {
		return l.launchBase()
	}
	var last store.Pin
	for _, p := range l.pins[key] {
		if p.Digest != "" && (last.Digest == "" || p.ApprovedAt.After(last.ApprovedAt)) {
			last = p
		}
	}
	return last
}

// pin is the pin of an item in an era, a new one where there is none.
func (l *ledger) pin(key, era string) store.Pin {
	for _, p := range l.pins[key] {
		if p.Era == era {
			return p
		}
	}
	return store.Pin{ServerID: l.server.ID, Item: key, Era: era, State: store.Rejected}
}

func (l *ledger) putPin(tx *store.Tx, p store.Pin) error {
	l.wrote = true
	for i, have := range l.pins[p.Item] {
		if have.Era == p.Era {
			l.pins[p.Item][i] = p
			return tx.PutPin(p)
		}
	}
	l.pins[p.Item] = append(l.pins[p.Item], p)
	return tx.PutPin(p)
}

func (l *ledger) putServer(tx *store.Tx) error {
	l.wrote = true
	return tx.PutServer(l.server)
}

// see writes what the server declares now. Nothing is written for an item that is as it was.
func (l *ledger) see(tx *store.Tx, now map[string]*review.Declaration, at time.Time) error {
	for key, d := range now {
		if err := l.put(tx, key, d, at); err != nil {
			return err
		}
	}
	for key, have := range l.seen {
		if now[key] != nil || have.Removed || key == review.KeyLaunch { // no server declares its launch
			continue
		}
		l.wrote = true
		if !known(l.pins[key]) {
			delete(l.seen, key)
			if err := tx.DeleteSeen(l.server.ID, have.Era, key); err != nil {
				return err
			}
			continue
		}
		have.Removed, have.LastAt = true, at
		l.seen[key] = have
		if err := tx.PutSeen(have); err != nil {
			return err
		}
	}
	return nil
}

// put writes one item as it is declared now.
func (l *ledger) put(tx *store.Tx, key string, d *review.Declaration, at time.Time) error {
	have, ok := l.seen[key]
	if ok {
		d = review.KeepsAcross(d, have)
	}
	findings := review.WriteFindings(d.Findings)
	if ok && !have.Removed && have.Era == d.Era && have.Digest == string(d.Digest) && bytes.Equal(have.Findings, findings) {
		return nil
	}
	if ok && have.Era != d.Era {
		if err := tx.DeleteSeen(l.server.ID, have.Era, key); err != nil {
			return err
		}
	}
	s := store.Seen{ServerID: l.server.ID, Item: key, Era: d.Era, Digest: string(d.Digest), Raw: d.Raw, Findings: findings, FirstAt: at, LastAt: at}
	if ok {
		s.FirstAt = have.FirstAt
	}
	if err := tx.PutSeen(s); err != nil {
		return err
	}
	l.seen[key], l.wrote = s, true
	if key == review.KeyLaunch {
		return l.keepProgram(tx, d.Raw, at)
	}
	return nil
}

// maxRefused bounds what is remembered of one item's refused definitions; past it the oldest is asked about again.
const maxRefused = 32

func refuse(p *store.Pin, digest string, at time.Time) {
	if digest == "" || slices.Contains(p.Refused, digest) {
		return
	}
	p.Refused = append(slices.Clone(p.Refused), digest)
	if n := len(p.Refused); n > maxRefused {
		p.Refused = p.Refused[n-maxRefused:]
	}
	p.RejectedAt = at
}

// takeBack turns an approved pin into one that waits as rejected; Digest and Raw stay as the base of the next diff.
func takeBack(p *store.Pin, at time.Time) {
	refuse(p, p.Digest, at)
	p.State, p.Waits = store.Rejected, true
}

func approvedBy(by string) string {
	switch by {
	case store.ByTrustClean:
		return "trusted on first use, never read"
	case "":
		return ""
	}
	return "person"
}
