package app

import (
	"fmt"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/witness"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// metaMissing is the store's key for the hash of the last head that the chain lacked, so that the timeline tells of it once.
const metaMissing = "head-missing"

func (h *Hub) newWitness() *witness.Witness {
	return witness.New(witness.Options{
		Keychain: h.opts.Keychain, Every: h.opts.CopyEvery,
		Head: func() (store.Mark, error) {
			if h.office.Store == nil {
				return store.Mark{}, store.ErrClosed // a hub without a usable store has a last look too, when it ends
			}
			return h.office.Store.Head()
		},
		Holds:   func(m store.Mark) (bool, error) { return h.office.Store.Holds(m) },
		Missing: h.headMissing, Found: h.headFound,
	})
}

// headMissing says that the chain is not the one whose head is in the keychain. The copy stays as it is until a person deletes it.
func (h *Hub) headMissing(m store.Mark) {
	what := "the keychain's copy of the head of the activity log is not Sallyport's"
	if m.Sequence != 0 {
		what = fmt.Sprintf("the activity log lacks record %d, which the keychain remembers: its newest records were removed, or an older store was put in its place", m.Sequence)
	}
	h.office.Lock()
	h.office.Problem(office.ProblemHead, what, "find out what changed "+h.opts.Home.Store+"; if you did, delete the entry “Sallyport: activity” in your keychain, and the hub makes a new one")
	h.office.Unlock()
	err := h.office.Commit(func(tx *store.Tx) (bool, error) {
		told, err := tx.Meta(metaMissing)
		if err != nil && !office.Absent(err) || err == nil && string(told) == m.Hash {
			return false, err
		}
		if err := tx.SetMeta(metaMissing, []byte(m.Hash)); err != nil {
			return false, err
		}
		_, err = tx.Append(h.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
			Summary: what, Detail: office.Detail(map[string]any{"check": "head", "sequence": m.Sequence, "hash": m.Hash, "record": m.ID, "copied": m.Time}),
		}))
		return true, err
	})
	_ = h.office.FailedReading(err)
}

func (h *Hub) headFound() {
	h.office.Lock()
	defer h.office.Unlock()
	h.office.Solved(office.ProblemHead)
}
