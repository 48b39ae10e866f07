package wrappers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Spool takes in what wrappers that ended without a hub wrote to the disk.
type Spool struct {
	office   *office.Office
	wrappers *Wrappers
	woken    chan struct{} // a wrapper has gone, and may have left a spool

	collecting sync.Mutex // held while tasks are read: who asks for one waits until it is stored
}

// CollectSpool reads the spools of dead wrappers, when the hub starts and whenever a wrapper has gone. A spool counts no more than what its
// wrapper could have sent: the same kinds of records, for that wrapper's server only.
func (p *Spool) CollectSpool() {
	for {
		var again <-chan time.Time
		if p.office.Store != nil {
			asOf := p.office.Now()
			err := errors.Join(control.ReadSpool(p.wrappers.opts.Home.Spool, p.spoolKey, p.TakeOrphans), control.ReadHeld(p.wrappers.opts.Home.Spool, p.spoolKey, p.HoldOrphan), p.CollectTasks())
			p.office.Lock()
			if errors.Is(err, store.ErrCorrupt) {
				p.office.Damaged(err)
			}
			if err != nil {
				p.office.Problem(office.ProblemSpool, office.OneLine(err.Error()), "free up disk space; the records stay where they are until then")
			} else {
				p.office.Solved(office.ProblemSpool)
			}
			p.office.Unlock()
			if left, waits := p.wrappers.held.SettleClaims(asOf); waits {
				again = time.After(left)
			}
		}
		if left, _ := os.ReadDir(p.wrappers.opts.Home.Spool); len(left) > 0 {
			again = time.After(spoolAgain)
		}
		select {
		case <-p.wrappers.opts.Closing:
			return
		case <-p.woken:
		case <-again:
		}
	}
}

// CollectTasks stores the tasks that wrappers started without a hub, also of those that have not come back yet.
func (p *Spool) CollectTasks() error {
	p.collecting.Lock()
	defer p.collecting.Unlock()
	return control.ReadTasks(p.wrappers.opts.Home.Spool, p.spoolKey, func(from control.Register, tasks []control.Task) error {
		s, _, known, err := p.orphan(from)
		if err != nil || !known { // nothing of an unknown server was ever allowed
			return err
		}
		return p.wrappers.tasks.Keep(s.Server, tasks)
	})
}

// spoolAgain is when a spool that is still there is looked at again: its wrapper closes the connection before it ends, and owns the spool
// until then.
const spoolAgain = 2 * time.Second

// Wake has the spool looked at soon. It never blocks.
func (p *Spool) Wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// TakeOrphans stores one batch of a dead wrapper, durably. Records that are already stored are not stored twice.
func (p *Spool) TakeOrphans(from control.Register, sent []control.Record) error {
	s, name, _, err := p.orphan(from)
	if err != nil {
		return err
	}
	p.office.Lock()
	rest, strange, err := p.wrappers.held.ConfirmAll(&s.Wrapper, name, sent)
	p.office.Unlock()
	if err != nil {
		return err
	}
	records, refused := Caused(&s.Wrapper, name, rest)
	if refused += strange; refused > 0 {
		records = append(records, p.office.Record(vocab.RecordProblem, vocab.StatusWarned, store.Record{
			Server: name, ServerID: s.Server, Session: s.Session, Summary: fmt.Sprintf("left out %s that a guard which stopped could not have written", review.Count(refused, "record")),
			Detail: office.Detail(map[string]any{"check": "records", "count": refused}),
		}))
	}
	if len(records) == 0 {
		return nil
	}
	stored, err := p.office.Store.AppendNow(records...)
	p.office.Lock()
	p.wrappers.held.CountPasses(s.Server, stored)
	noted := noteVersions(p.office, s.Server, records, p.wrappers.startedLast(s.Server))
	p.office.Unlock()
	p.office.Changed()
	return errors.Join(err, noted)
}

// orphan is a dead wrapper as its spool describes it, its server's name, and whether the server is known.
func (p *Spool) orphan(from control.Register) (s *liveWrapper, name string, known bool, err error) {
	id, err := identifyOrphan(from)
	if err != nil {
		return nil, "", false, err
	}
	s = &liveWrapper{Wrapper: office.Wrapper{Server: id.ID, Client: cut.Bytes(from.Client, office.MaxName), Session: cut.Bytes(from.Session, office.MaxName), Secrets: id.Secrets}}
	name = identity.PersonName(from.Server.Name)
	err = p.office.Store.View(func(tx *store.Tx) error {
		server, err := tx.Server(id.ID)
		if known = err == nil; known {
			name = server.Name
		} else if !office.Absent(err) {
			return err
		}
		return nil
	})
	return s, name, known, err
}

// identifyOrphan identifies a dead wrapper's server. A spool may name only the server's id.
func identifyOrphan(from control.Register) (identity.Server, error) {
	if from.ServerID == "" {
		return identity.Of(from.Server)
	}
	if raw, err := hex.DecodeString(from.ServerID); err != nil || len(raw) != sha256.Size || from.Server.Transport != identity.TransportStdio && from.Server.Transport != identity.TransportURL {
		return identity.Server{}, errors.New("a server without an id")
	}
	return identity.Server{ID: from.ServerID, Display: from.Server.Transport + ": unknown, the key that its command was kept under is gone"}, nil
}

// spoolKey is the key with which a server's wrappers seal their spools.
func (p *Spool) spoolKey(server string) []byte { return p.office.Store.Derive("spool", server) }

// HoldOrphan stores a response that a wrapper held without a hub before it ended.
func (p *Spool) HoldOrphan(from control.Register, held control.Held) error {
	s, name, known, err := p.orphan(from)
	if err != nil {
		return err
	}
	ready, err := quarantine.Prepare(held, s.Secrets)
	if err != nil {
		return err
	}
	p.office.Lock()
	defer p.office.Unlock()
	if err := p.office.Usable(); err != nil {
		return err
	}
	var more func(*store.Tx) error
	if !known { // its wrapper never registered with a hub, and the item needs a server
		id, err := identifyOrphan(from)
		if err != nil {
			return err
		}
		more = func(tx *store.Tx) error {
			server, _, err := p.wrappers.enlist(tx, s, id, from, p.office.Now())
			if err != nil {
				return err
			}
			return tx.PutServer(server)
		}
	}
	_, notices, err := p.wrappers.held.HoldPrepared(&s.Wrapper, name, ready, more)
	if err != nil {
		return err
	}
	p.wrappers.PushChanged()
	p.office.Tell(notices...)
	return nil
}

// Ended records that what a server had left running was killed. A wrapper and its guard do not both die by accident.
func (p *Spool) Ended(from control.Register, processes int) {
	if p.office.Store == nil {
		return
	}
	s, name := &liveWrapper{}, "a server"
	if known, of, _, err := p.orphan(from); err == nil {
		s, name = known, of
	}
	_, err := p.office.Store.AppendNow(p.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
		Server: name, ServerID: s.Server, Client: s.Client, Session: s.Session,
		Summary: "its guard was killed while it ran; the hub stopped what was left of it",
		Detail:  office.Detail(map[string]any{"check": "leftover", "count": processes}),
	}))
	_ = p.office.FailedReading(err)
	p.office.Changed()
}
