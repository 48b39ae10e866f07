package approvals

import (
	"cmp"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Block takes approvals back. It only tightens, so it may come from anywhere.
func (a *Approvals) Block(_ control.Peer, b control.Block) (out control.Blocked, err error) {
	a.office.Lock()
	defer a.office.Unlock()
	if err := a.office.Usable(); err != nil {
		return out, err
	}
	var id string
	err = a.office.Update(func(tx *store.Tx) (bool, error) {
		server, err := office.FindServer(tx, b.Server)
		if err != nil {
			if it, unknown := tx.Item(b.Server); unknown == nil && it.Kind == vocab.ItemResponseHeld {
				err = office.Answer(control.CodeBadRequest, "%s is a held response; delete it with `sallyport discard %s`", it.Code, it.Code)
			}
			return false, err
		}
		id, out.Server, out.Shown = server.ID, server.Name, office.ShownIn(tx, server)
		l, err := ledger.Read(tx, id)
		if err != nil {
			return false, err
		}
		now := a.office.Now()
		keys, words := b.Items, "blocked"
		if len(keys) == 0 {
			words = "blocked along with the whole server"
			for key := range l.Pins {
				if key != review.KeyLaunch { // the launch is unchanged; a decision about the rest unblocks the server
					keys = append(keys, key)
				}
			}
			slices.Sort(keys)
			l.Server.Blocked, l.Server.BlockedBy = true, vocab.ByPerson
			review.ForgetAsked(&l.Server)
			if err := l.PutServer(tx); err != nil {
				return false, err
			}
		}
		for _, key := range keys {
			if len(b.Items) > 0 && !ledger.Known(l.Pins[key]) {
				return false, office.Answer(control.CodeNotFound, "%s has no allowed item called %s", l.Server.Name, legible.Escape(cut.Bytes(key, 128)))
			}
			took, err := l.TakeBack(tx, key, vocab.ByPerson, now)
			if err != nil {
				return false, err
			}
			if took {
				out.Items = append(out.Items, key)
			}
		}
		if _, err := a.SettleServer(tx, l, now); err != nil {
			return false, err
		}
		codes := ledger.WaitingCodes(tx, id)
		out.Code = cmp.Or(codes[vocab.ItemChanged], codes[vocab.ItemNewServer], codes[vocab.ItemLaunch])
		if slices.Equal(b.Items, []string{review.KeyLaunch}) {
			out.Code = codes[vocab.ItemLaunch]
		}
		if !l.Wrote {
			return false, nil
		}
		return true, a.office.NoteDecision(tx, l.Server, vocab.RecordRejection, out.Code, out.Items, words, map[string]any{"check": "block"})
	})
	if err == nil {
		err = a.pushDecided(id)
	}
	return out, a.office.Failed(err)
}

// Undo takes back that a new server was allowed: what the item allowed is new again, and pending under its old code, because a code always
// names the same content. It allows nothing, so it needs no digest. The response is like Block's.
func (a *Approvals) Undo(code string) (out control.Blocked, err error) {
	a.office.Lock()
	defer a.office.Unlock()
	if err := a.office.Usable(); err != nil {
		return out, err
	}
	var id string
	err = a.office.Update(func(tx *store.Tx) (bool, error) {
		it, err := tx.Item(code)
		if office.Absent(err) {
			return false, office.Answer(control.CodeNotFound, "no item %s", code)
		}
		if err != nil {
			return false, err
		}
		if it.Kind != vocab.ItemNewServer || it.Decided != vocab.DecidedApproved {
			return false, office.Answer(control.CodeBadRequest, "%s is not a new server you allowed", it.Code)
		}
		l, err := ledger.Read(tx, it.ServerID)
		if err != nil {
			return false, err
		}
		id, out.Server, out.Shown = it.ServerID, l.Server.Name, office.ShownIn(tx, l.Server)
		now := a.office.Now()
		if out.Items, err = l.ForgetAllowed(tx, it, now); err != nil {
			return false, err
		}
		if len(out.Items) == 0 {
			return false, office.Answer(control.CodeStale, "everything %s allowed has changed since", it.Code)
		}
		if err := l.AsShown(tx, it, now); err != nil {
			return false, err
		}
		if err := reopen(tx, it, review.ContentOf(l.Server, review.Of(l.Facts()), vocab.ItemNewServer, l.LaunchDrift), now); err != nil {
			return false, err
		}
		if _, err := a.SettleServer(tx, l, now); err != nil {
			return false, err
		}
		if waits, err := tx.WaitingFor(id, vocab.ItemNewServer); err == nil {
			out.Code = waits.Code
		}
		return true, a.office.NoteDecision(tx, l.Server, vocab.RecordRejection, it.Code, out.Items, "allowed before, new again", map[string]any{"check": "undo"})
	})
	if err == nil {
		err = a.pushDecided(id)
	}
	return out, a.office.Failed(err)
}

// reopen makes a decided item pending again if the pending content is exactly its own, including what was left out.
func reopen(tx *store.Tx, it store.Item, want *review.Content, now time.Time) error {
	if want == nil || want.Digest() != it.Digest {
		return nil // the server declares something else now, which gets a code of its own
	}
	rest, err := tx.WaitingFor(it.ServerID, it.Kind)
	switch {
	case err == nil:
		rest.Decided, rest.DecidedAt, rest.Next = vocab.DecidedSuperseded, now, it.Code
		if err := tx.PutItem(rest); err != nil {
			return err
		}
	case !office.Absent(err):
		return err
	}
	it.Decided, it.DecidedAt, it.Next, it.Updated = "", time.Time{}, "", now
	it.Parts = slices.Clone(it.Parts)
	for i := range it.Parts {
		it.Parts[i].Definition, it.Parts[i].Approved, it.Parts[i].Text = nil, nil, ""
	}
	return tx.PutItem(it)
}

// maxHistory is how many events a person is shown. The timeline has all of them.
const maxHistory = 500

// History lists the decisions about a server's items, newest first. For the window, in this process.
func (a *Approvals) History(name string) (events []store.Event, err error) {
	err = a.office.Answering(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, name)
		if err != nil {
			return err
		}
		events, err = tx.History(server.ID, "")
		return err
	})
	slices.Reverse(events) // of events at one moment, the later one first
	slices.SortStableFunc(events, func(a, b store.Event) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	return events[:min(len(events), maxHistory)], err
}
