package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
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

// collectSpool takes what wrappers that died had written down, when the hub starts and whenever a wrapper has gone. What
// such a file says is worth no more than what its wrapper would have sent: the same kinds, under that wrapper's server.
func (h *Hub) collectSpool() {
	defer h.work.Done()
	for {
		var again <-chan time.Time
		if h.office.Store != nil {
			asOf := h.office.Now()
			err := errors.Join(control.ReadSpool(h.opts.Home.Spool, h.spoolKey, h.takeOrphans), control.ReadHeld(h.opts.Home.Spool, h.spoolKey, h.holdOrphan))
			h.office.Lock()
			if errors.Is(err, store.ErrCorrupt) {
				h.office.Damaged(err)
			}
			if err != nil {
				h.office.Problem(office.ProblemSpool, office.OneLine(err.Error()), "free up disk space; the records stay where they are until then")
			} else {
				h.office.Solved(office.ProblemSpool)
			}
			h.office.Unlock()
			if left, waits := h.SettleClaims(asOf); waits {
				again = time.After(left)
			}
		}
		if left, _ := os.ReadDir(h.opts.Home.Spool); len(left) > 0 {
			again = time.After(spoolAgain)
		}
		select {
		case <-h.closing:
			return
		case <-h.orphans:
		case <-again:
		}
	}
}

// spoolAgain is how soon a spool that was left is looked at again: its wrapper hangs up before it ends, and until then the spool
// is still its own.
const spoolAgain = 2 * time.Second

// wrapperGone has the spool looked at. It never waits.
func (h *Hub) wrapperGone() {
	select {
	case h.orphans <- struct{}{}:
	default:
	}
}

// takeOrphans stores one batch of a dead wrapper, durably; records the store has already are stored once.
func (h *Hub) takeOrphans(from control.Register, sent []control.Record) error {
	s, name, _, err := h.orphan(from)
	if err != nil {
		return err
	}
	h.office.Lock()
	rest, strange, err := h.ConfirmAll(&s.Wrapper, name, sent)
	h.office.Unlock()
	if err != nil {
		return err
	}
	records, refused := caused(&s.Wrapper, name, rest)
	if refused += strange; refused > 0 {
		records = append(records, h.office.Record(vocab.RecordProblem, vocab.StatusWarned, store.Record{
			Server: name, ServerID: s.Server, Session: s.Session, Summary: fmt.Sprintf("left out %s that a guard which stopped could not have written", review.Count(refused, "record")),
			Detail: office.Detail(map[string]any{"check": "records", "count": refused}),
		}))
	}
	if len(records) == 0 {
		return nil
	}
	stored, err := h.office.Store.AppendNow(records...)
	h.office.Lock()
	h.CountPasses(s.Server, stored)
	noted := h.noteVersions(s.Server, records, h.startedLast(s.Server))
	h.office.Unlock()
	h.office.Changed()
	return errors.Join(err, noted)
}

// startedLast is when a wrapper of a server last came or went, as far as this hub has seen: what one that ended says of itself is no
// news after that.
func (h *Hub) startedLast(server string) (last time.Time) {
	for _, s := range h.sessions {
		if s.Server == server && s.since.After(last) {
			last = s.since
		}
	}
	return last
}

// orphan is a wrapper that has gone, as what it left names it: its server's name, and whether the server is known.
func (h *Hub) orphan(from control.Register) (s *liveWrapper, name string, known bool, err error) {
	id, err := identifyOrphan(from)
	if err != nil {
		return nil, "", false, err
	}
	s = &liveWrapper{Wrapper: office.Wrapper{Server: id.ID, Client: cut.Bytes(from.Client, office.MaxName), Session: cut.Bytes(from.Session, office.MaxName), Secrets: id.Secrets}}
	name = identity.PersonName(from.Server.Name)
	err = h.office.Store.View(func(tx *store.Tx) error {
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

// identifyOrphan is identify for what a wrapper left, of whose server the id alone may be left too.
func identifyOrphan(from control.Register) (identity.Server, error) {
	if from.ServerID == "" {
		return identity.Of(from.Server)
	}
	if raw, err := hex.DecodeString(from.ServerID); err != nil || len(raw) != sha256.Size || from.Server.Transport != identity.TransportStdio && from.Server.Transport != identity.TransportURL {
		return identity.Server{}, errors.New("a server without an id")
	}
	return identity.Server{ID: from.ServerID, Display: from.Server.Transport + ": unknown, the key that its command was kept under is gone"}, nil
}

// spoolKey is what the wrappers of a server seal their spools under.
func (h *Hub) spoolKey(server string) []byte { return h.office.Store.Derive("spool", server) }

// holdOrphan stores an answer that was held while no hub was there, and whose wrapper has gone since.
func (h *Hub) holdOrphan(from control.Register, held control.Held) error {
	s, name, known, err := h.orphan(from)
	if err != nil {
		return err
	}
	ready, err := quarantine.Prepare(held, s.Secrets)
	if err != nil {
		return err
	}
	h.office.Lock()
	defer h.office.Unlock()
	if err := h.office.Usable(); err != nil {
		return err
	}
	var more func(*store.Tx) error
	if !known { // its wrapper never met a hub: the item needs a server to belong to
		id, err := identifyOrphan(from)
		if err != nil {
			return err
		}
		more = func(tx *store.Tx) error {
			server, _, err := h.enlist(tx, s, id, from, h.office.Now())
			if err != nil {
				return err
			}
			return tx.PutServer(server)
		}
	}
	_, notice, err := h.HoldPrepared(&s.Wrapper, name, ready, more)
	if err != nil {
		return err
	}
	h.pushChanged()
	if notice != nil {
		h.office.Tell(*notice)
	}
	return nil
}

// Ended writes down that what a server had left running was killed, for nobody who wants no trouble kills a wrapper and its guard.
func (h *Hub) Ended(from control.Register, processes int) {
	if h.office.Store == nil {
		return
	}
	s, name := &liveWrapper{}, "a server"
	if known, of, _, err := h.orphan(from); err == nil {
		s, name = known, of
	}
	_, err := h.office.Store.AppendNow(h.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
		Server: name, ServerID: s.Server, Client: s.Client, Session: s.Session,
		Summary: "its guard was killed while it ran; the hub stopped what was left of it",
		Detail:  office.Detail(map[string]any{"check": "leftover", "count": processes}),
	}))
	_ = h.office.FailedReading(err)
	h.office.Changed()
}
