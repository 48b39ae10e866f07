package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Clean lists the new servers without warnings, and remembers that they were shown; with a digest, it returns what is left of that set.
func (a *Approvals) Clean(q control.CleanQuery) (out control.CleanSet, err error) {
	a.office.Lock()
	defer a.office.Unlock()
	out = control.CleanSet{Items: []control.CleanServer{}, Left: []control.CleanLeft{}}
	if err := a.office.Usable(); err != nil {
		return out, err
	}
	now := a.office.Now()
	var members []cleanMember
	err = a.office.Store.View(func(tx *store.Tx) error {
		waiting := tx.Waiting()
		review.SortItems(waiting, func(it store.Item) store.Item { return it })
		if q.Digest != "" {
			set, err := a.clean.find(q.Digest, now)
			if err != nil {
				return err
			}
			if waiting, out.Left, err = set.still(tx); err != nil {
				return err
			}
		}
		for _, it := range waiting {
			if it.Kind != vocab.ItemNewServer {
				continue
			}
			if !review.AllClean(it) {
				out.Other++
				continue
			}
			row, err := cleanServer(tx, it)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, row)
			members = append(members, cleanMember{code: it.Code, digest: it.Digest, server: row.Server, shown: row.Shown})
		}
		return nil
	})
	switch {
	case err != nil:
		return out, a.office.Failed(err)
	case q.Digest != "":
		out.Digest = q.Digest
	case len(members) > 0:
		out.Digest = a.clean.keep(members, now)
	}
	return out, nil
}

// cleanServer is one server of the list, with what its declared tools can do.
func cleanServer(tx *store.Tx, it store.Item) (control.CleanServer, error) {
	l, err := ledger.Read(tx, it.ServerID)
	if err != nil {
		return control.CleanServer{}, err
	}
	server := l.Server
	var details []control.PartDetail
	row := control.CleanServer{
		Code: it.Code, Server: server.Name, Shown: office.ShownIn(tx, server), Identity: server.Identity, Digest: it.Digest, Command: server.Argv, URL: server.URL, Parts: []string{}, Loaders: []string{},
	}
	for _, p := range it.Parts {
		row.Parts = append(row.Parts, p.Item)
		if form, err := pin.ReadLaunch(l.Launch().Raw); err == nil && p.Item == review.KeyLaunch {
			row.Loaders = form.CodeLoaders()
		}
		if seen, ok := l.Form(p.Item, p.Era, pin.Digest(p.Digest)); ok {
			d := control.PartDetail{Item: p.Item, Definition: seen.Raw}
			d.Does = review.Does(d)
			details = append(details, d)
		}
	}
	row.Parts, row.Can = slices.Compact(row.Parts), review.CanDo(details)
	for _, item := range row.Parts {
		if strings.HasPrefix(item, string(pin.Tool)+":") {
			row.Tools++
		}
	}
	row.Before, err = ledger.EntryBefore(tx, server)
	return row, err
}

// still returns the items of a set that are pending as they were shown, in the same order, and those left out.
func (s cleanSet) still(tx *store.Tx) (same []store.Item, left []control.CleanLeft, err error) {
	left = []control.CleanLeft{}
	for _, m := range s.members {
		it, err := office.Undecided(tx, control.Decide{Code: m.code, Digest: m.digest})
		var changed *control.Error
		switch {
		case errors.As(err, &changed):
			left = append(left, leftOut(m, changed))
		case err != nil:
			return nil, nil, err
		case !review.AllClean(it):
			left = append(left, control.CleanLeft{Code: m.code, Server: m.server, Shown: m.shown, Why: "has a warning now", See: m.code})
		default:
			same = append(same, it)
		}
	}
	return same, left, nil
}

func leftOut(m cleanMember, changed *control.Error) control.CleanLeft {
	out := control.CleanLeft{Code: m.code, Server: m.server, Shown: m.shown, Why: strings.TrimPrefix(changed.Message, m.code+" "), See: changed.See}
	if changed.See != "" {
		out.Why = "changed since"
	}
	return out
}

// AllowClean allows what is left of a set, in one transaction. Each server's approval is bound to the digest of its own item.
func (a *Approvals) AllowClean(peer control.Peer, q control.CleanQuery) (out control.CleanDecided, err error) {
	a.office.Lock()
	defer a.office.Unlock()
	set, unknown := a.clean.find(q.Digest, a.office.Now())
	codes := make([]string, len(set.members))
	for i, m := range set.members {
		codes[i] = m.code
	}
	if err := a.office.Decides(peer, codes...); err != nil {
		return out, err
	}
	if unknown != nil {
		return out, unknown
	}
	var servers []string
	err = a.office.Update(func(tx *store.Tx) (wrote bool, err error) {
		servers = nil
		out = control.CleanDecided{Digest: q.Digest, Items: []control.CleanAllowed{}}
		same, left, err := set.still(tx)
		if err != nil {
			return false, err
		}
		out.Left = left
		for _, it := range same {
			one := control.Decided{Code: it.Code}
			some, err := a.DecideServer(tx, it, control.Decide{Code: it.Code, Digest: it.Digest, Together: len(same)}, &one)
			if err != nil {
				return false, err
			}
			server, err := tx.Server(it.ServerID)
			if err != nil {
				return false, err
			}
			wrote = wrote || some
			servers = append(servers, it.ServerID)
			out.Items = append(out.Items, control.CleanAllowed{Code: it.Code, Server: server.Name, Shown: office.ShownIn(tx, server), Identity: server.Identity, Approved: one.Approved})
		}
		return wrote, nil
	})
	if err == nil {
		err = a.pushDecided(servers...)
	}
	for i, id := range servers[:min(len(servers), len(out.Items))] {
		out.Items[i].Cut, out.Items[i].Restart = a.hub.Cut(id)
	}
	return out, a.office.Failed(err)
}

const (
	// cleanSetLife is how long a shown set can be allowed.
	cleanSetLife = time.Hour
	// maxCleanSets is more than anybody looks at in an hour; the oldest are dropped.
	maxCleanSets = 64
)

// cleanSets are the sets of new servers that were shown, by digest. They are only in memory: after a restart a person looks again.
type cleanSets struct {
	shown []cleanSet // oldest first
}

// cleanSet is what one decision can allow: the listed items, each with its digest at that time.
type cleanSet struct {
	digest  string
	at      time.Time
	members []cleanMember
}

type cleanMember struct {
	code, digest string
	server       string // its name then, to name it if it is left out
	shown        string // see control.Server
}

// digestOfSet covers every item of the set, in an order independent of the inbox.
func digestOfSet(members []cleanMember) string {
	lines := make([]string, len(members))
	for i, m := range members {
		lines[i] = m.code + " " + m.digest
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte("sallyport clean set 1\n" + strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// keep remembers a shown set and returns its digest.
func (c *cleanSets) keep(members []cleanMember, now time.Time) string {
	digest := digestOfSet(members)
	c.shown = slices.DeleteFunc(c.shown, func(s cleanSet) bool { return s.digest == digest || now.Sub(s.at) >= cleanSetLife })
	c.shown = append(c.shown, cleanSet{digest: digest, at: now, members: members})
	if over := len(c.shown) - maxCleanSets; over > 0 {
		c.shown = slices.Delete(c.shown, 0, over)
	}
	return digest
}

// find is the set that was shown under a digest in the last hour.
func (c *cleanSets) find(digest string, now time.Time) (cleanSet, error) {
	for _, s := range c.shown {
		if s.digest == digest && now.Sub(s.at) < cleanSetLife {
			return s, nil
		}
	}
	return cleanSet{}, office.Answer(control.CodeNotFound, "no list with this digest was shown in the last hour; run `sallyport approve --clean` again")
}
