package store

import (
	"encoding/hex"
	"fmt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Verify walks the chain from its old end and detects an edit, a removal, a truncation or a reordering. known is a head kept in a second
// place, nil if there is none: its record must still be in the chain, or have been removed by retention.
func (s *Store) Verify(known *Mark) (vocab.Verified, error) {
	var v vocab.Verified
	err := s.View(func(tx *Tx) error {
		defer marked()
		v = tx.chain().verify(known)
		return nil
	})
	return v, err
}

func (ch chain) verify(known *Mark) vocab.Verified {
	w := walk{ch: ch, known: known, next: 1, met: known == nil || known.Sequence == 0}
	var err error
	if w.end, err = ch.head(); err != nil {
		return w.fail("", 0, "the sealed head of the chain is gone or was changed")
	}
	var bad bool
	if w.anchors, bad = ch.anchors(); bad {
		return w.fail("", 0, "a note of what retention took was changed")
	}
	c := ch.bucket(bucketActivity).Cursor()
	for k, value := c.First(); k != nil; k, value = c.Next() {
		if w.step(sequenceIn(k), value); w.found.Bad != "" {
			return w.found
		}
	}
	if !w.skip(w.end.Sequence+1) || w.next != w.end.Sequence+1 || w.hash != w.end.Hash {
		return w.fail(w.id, w.end.Sequence, "the records after it were taken away")
	}
	if w.found.Records != w.end.Records {
		return w.fail(w.id, w.end.Sequence, "%d records are there, %d were written", w.found.Records, w.end.Records)
	}
	w.found.Head = w.hash
	if !w.met {
		return w.fail(w.id, w.end.Sequence, "the head kept elsewhere is not in this chain: an older store was put in its place")
	}
	w.found.Sealed = known != nil && known.Sequence != 0
	return w.found
}

// walk is the progress of a walk over the chain.
type walk struct {
	ch      chain
	end     head
	anchors map[uint64]anchor
	known   *Mark
	found   vocab.Verified
	hash    string // of the record before
	id      string // of the record before
	next    uint64
	arrival int64
	met     bool // found the record of known, or the gap that it is in
}

func (w *walk) fail(id string, sequence uint64, format string, args ...any) vocab.Verified {
	if id == "" {
		id = fmt.Sprintf("#%d", sequence)
	}
	w.found.Bad, w.found.Reason = id, fmt.Sprintf(format, args...)
	return w.found
}

// skip passes what retention removed, if its anchors fit each other and the records around.
func (w *walk) skip(to uint64) bool {
	for w.next < to {
		a, ok := w.anchors[w.next]
		if !ok || a.Prev != w.hash || a.To >= to {
			return false
		}
		w.next, w.hash = a.To+1, a.Hash
		w.met = w.met || a.From <= w.known.Sequence && w.known.Sequence <= a.To
	}
	return true
}

// step checks the next record.
func (w *walk) step(sequence uint64, value []byte) {
	r, arrived, err := decodeRecord(value)
	if err != nil {
		w.fail("", sequence, "the record cannot be read")
		return
	}
	holds := func() bool {
		sum := chainHash(w.hash, value[recordOverhead:])
		return hex.EncodeToString(sum[:]) == r.Hash
	}
	switch {
	case sequence > w.end.Sequence:
		w.fail(r.ID, sequence, "the record was added without the chain's head")
	case !w.skip(sequence) || sequence != w.next:
		w.fail(r.ID, sequence, "records before it were taken away")
	case r.Prev != w.hash:
		w.fail(r.ID, sequence, "it does not follow on the record before it")
	case !holds():
		w.fail(r.ID, sequence, "the record was changed after it was written")
	case arrived < w.arrival:
		w.fail(r.ID, sequence, "its time of arrival was changed")
	case w.ch.sequenceOf(r.ID) != sequence:
		w.fail(r.ID, sequence, "the index does not lead to it")
	case w.known != nil && sequence == w.known.Sequence && r.Hash != w.known.Hash:
		w.found.Records++
		w.fail(r.ID, sequence, "another head was kept elsewhere for this record: the chain was written anew")
	default:
		w.found.Records++
		w.hash, w.id, w.arrival, w.next = r.Hash, r.ID, arrived, sequence+1
		w.met = w.met || sequence == w.known.Sequence
	}
}
