package store

import (
	"encoding/hex"
	"fmt"
	"time"

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
		return w.fail(w.id, w.end.Sequence, "%s", w.lacks())
	}
	if w.found.Sealed = w.same; known != nil && known.Sequence != 0 && !w.same {
		w.found.Unsealed = "retention has removed the record whose hash was kept elsewhere"
	}
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
	same    bool // found it with its hash
}

// lacks says what the chain does not have of the head kept in a second place.
func (w *walk) lacks() string {
	if w.known.Sequence <= w.end.Sequence {
		return "another head was kept elsewhere for a record that is gone: the chain was written anew"
	}
	return fmt.Sprintf("%d later records are missing, the last%s: the newest were taken away, or an older store was put in its place", w.known.Sequence-w.end.Sequence, w.known.called())
}

// called is the record of the head for a sentence: its id, and when the head was read.
func (m Mark) called() string {
	if m.ID == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", m.ID, m.Time.UTC().Format(time.RFC3339))
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
		if !w.met && a.covers(*w.known) {
			w.met, w.same = true, w.known.Sequence == a.To
		}
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
		w.fail(r.ID, sequence, "another record was here%s when the head was copied: the chain was written anew, or an older store was put in its place", w.known.called())
	default:
		w.found.Records++
		w.hash, w.id, w.arrival, w.next = r.Hash, r.ID, arrived, sequence+1
		if w.known != nil && sequence == w.known.Sequence {
			w.met, w.same = true, true
		}
	}
}
