package store

import (
	"encoding/hex"
	"fmt"
)

// Verified is what a walk over the whole chain found.
type Verified struct {
	Records int
	Head    string // hash of the newest record
	// Bad is the id of the first record that is not as it was written ("#N" where it has none), "" when the chain holds.
	Bad    string
	Reason string
	// Sealed says that the head was also compared with one kept outside of this store. Without that the chain is internally
	// consistent; an older copy of the whole file would be, too.
	Sealed bool
}

// Verify walks the chain from its old end and finds an edit, a removal, a truncation or a change of order. known is a head
// that was kept in a second place, nil if there is none: its record must still be in the chain, or have gone by retention.
func (s *Store) Verify(known *Mark) (Verified, error) {
	if err := s.Flush(); err != nil {
		return Verified{}, err
	}
	var v Verified
	err := s.View(func(tx *Tx) error {
		defer marked()
		v = tx.verify(known)
		return nil
	})
	return v, err
}

func (tx *Tx) verify(known *Mark) Verified {
	var v Verified
	fail := func(id string, sequence uint64, format string, args ...any) Verified {
		if id == "" {
			id = fmt.Sprintf("#%d", sequence)
		}
		v.Bad, v.Reason = id, fmt.Sprintf(format, args...)
		return v
	}
	end, err := tx.head()
	if err != nil {
		return fail("", 0, "the sealed head of the chain is gone or was changed")
	}
	anchors, bad := tx.anchors()
	if bad {
		return fail("", 0, "a note of what retention took was changed")
	}
	var (
		hash    string // of the record before
		id      string // of the record before
		next    = uint64(1)
		arrival int64
		met     = known == nil || known.Sequence == 0
	)
	// skip goes over what retention took, as long as its notes fit to each other and to the records around.
	skip := func(to uint64) bool {
		for next < to {
			a, ok := anchors[next]
			if !ok || a.Prev != hash || a.To >= to {
				return false
			}
			next, hash = a.To+1, a.Hash
			met = met || a.From <= known.Sequence && known.Sequence <= a.To
		}
		return true
	}
	c := tx.bucket(bucketActivity).Cursor()
	for k, value := c.First(); k != nil; k, value = c.Next() {
		sequence := sequenceIn(k)
		r, arrived, err := decodeRecord(value)
		if err != nil {
			return fail("", sequence, "the record cannot be read")
		}
		if sequence > end.Sequence {
			return fail(r.ID, sequence, "the record was added without the chain's head")
		}
		if !skip(sequence) || sequence != next {
			return fail(r.ID, sequence, "records before it were taken away")
		}
		if r.Prev != hash {
			return fail(r.ID, sequence, "it does not follow on the record before it")
		}
		sum := chainHash(hash, value[recordOverhead:])
		if hex.EncodeToString(sum[:]) != r.Hash {
			return fail(r.ID, sequence, "the record was changed after it was written")
		}
		if arrived < arrival {
			return fail(r.ID, sequence, "its time of arrival was changed")
		}
		if tx.sequenceOf(r.ID) != sequence {
			return fail(r.ID, sequence, "the index does not lead to it")
		}
		hash, id, arrival = r.Hash, r.ID, arrived
		next = sequence + 1
		v.Records++
		if known != nil && sequence == known.Sequence {
			if hash != known.Hash {
				return fail(id, sequence, "another head was kept elsewhere for this record: the chain was written anew")
			}
			met = true
		}
	}
	if !skip(end.Sequence+1) || next != end.Sequence+1 || hash != end.Hash {
		return fail(id, end.Sequence, "the records after it were taken away")
	}
	if v.Records != end.Records {
		return fail(id, end.Sequence, "%d records are there, %d were written", v.Records, end.Records)
	}
	v.Head = hash
	if !met {
		return fail(id, end.Sequence, "the head kept elsewhere is not in this chain: an older store was put in its place")
	}
	v.Sealed = known != nil && known.Sequence != 0
	return v
}
