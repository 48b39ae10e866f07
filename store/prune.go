package store

import (
	"errors"
	"fmt"
	"time"
)

// anchor replaces records that retention removed and carries the chain over the gap. It is sealed, so a removal can't be disguised as retention
// without the key.
type anchor struct {
	From    uint64    `json:"from"`
	To      uint64    `json:"to"`
	Prev    string    `json:"prev"` // hash before the gap
	Hash    string    `json:"hash"` // of the last removed record
	Records int       `json:"records"`
	Until   time.Time `json:"until"` // time of the last removed record
}

// covers reports whether retention removed the record of m. Of the last record it removed, the hash is still known.
func (a anchor) covers(m Mark) bool {
	return a.From <= m.Sequence && m.Sequence <= a.To && (m.Sequence < a.To || m.Hash == a.Hash)
}

// Pruned says what retention removed.
type Pruned struct {
	Records int
	Bytes   int64
}

// pruneStep limits one transaction, so that a decision never waits for a long prune.
const pruneStep = 2000

// Prune removes records from the old end: first those older than keep, then, while the rest exceeds maxBytes, the oldest of the others.
// Decisions and drift go last. 0 means no limit. An anchor replaces what is removed, so that the chain still verifies. The file does not
// shrink; its free pages are reused.
func (s *Store) Prune(now time.Time, keep time.Duration, maxBytes int64) (Pruned, error) {
	var total Pruned
	passes := []struct {
		lasting bool
		wanted  func(h head, arrival int64) bool
	}{
		{false, func(_ head, arrival int64) bool { return keep > 0 && arrival < now.Add(-keep).UnixNano() }},
		{false, func(h head, _ int64) bool { return maxBytes > 0 && h.Bytes > maxBytes }},
		{true, func(h head, _ int64) bool { return maxBytes > 0 && h.Bytes > maxBytes }},
	}
	for _, pass := range passes {
		from := uint64(0)
		for more := true; more; {
			err := s.Update(func(tx *Tx) error {
				defer marked()
				taken, next, err := tx.chain().prune(from, pass.lasting, pass.wanted)
				total.Records += taken.Records
				total.Bytes += taken.Bytes
				from, more = next, next != 0
				return err
			})
			if err != nil {
				return total, fmt.Errorf("prune activity: %w", err)
			}
		}
	}
	return total, nil
}

// victim is a record to be removed.
type victim struct {
	sequence uint64
	record   Record
	size     int64
}

// prune removes at most pruneStep records from position from on. next is where to continue, 0 when the pass is over.
func (ch chain) prune(from uint64, takeLasting bool, wanted func(head, int64) bool) (taken Pruned, next uint64, err error) {
	h, err := ch.head()
	if err != nil {
		return taken, 0, err
	}
	var victims []victim
	looked := 0
	c := ch.bucket(bucketActivity).Cursor()
	for k, v := c.Seek(sequenceKey(from)); k != nil; k, v = c.Next() {
		if looked++; looked > 10*pruneStep || len(victims) == pruneStep {
			next = sequenceIn(k)
			break
		}
		r, arrival, err := decodeRecord(v)
		if err != nil {
			return taken, 0, err // Verify must name damage; retention must not wipe it away
		}
		if !wanted(h, arrival) {
			break
		}
		if lasting(r.Kind) != takeLasting {
			continue
		}
		size := footprint(v, r.ID)
		victims = append(victims, victim{sequenceIn(k), r, size})
		h.Records--
		h.Bytes -= size
		taken.Records++
		taken.Bytes += size
	}
	if len(victims) == 0 {
		return taken, next, nil
	}
	if err := errors.Join(ch.anchor(victims), ch.forget(victims), ch.putHead(h)); err != nil {
		return Pruned{}, 0, err
	}
	return taken, next, nil
}

// anchor removes records from the chain and leaves anchors: one for each run of removed records, however many prunes removed them.
func (ch chain) anchor(victims []victim) error {
	anchors, bad := ch.anchors()
	if bad {
		return ErrSeal
	}
	ending := make(map[uint64]uint64, len(anchors)) // last sequence -> first
	for first, a := range anchors {
		ending[a.To] = first
	}
	changed := map[uint64]bool{}
	activity, ids := ch.bucket(bucketActivity), ch.bucket(bucketIDs)
	for _, v := range victims {
		a := anchor{From: v.sequence, To: v.sequence, Prev: v.record.Prev, Hash: v.record.Hash, Records: 1, Until: v.record.Time}
		if first, ok := ending[v.sequence-1]; ok {
			before := anchors[first]
			delete(ending, before.To)
			a.From, a.Prev, a.Records, a.Until = before.From, before.Prev, before.Records+1, later(a.Until, before.Until)
		}
		if behind, ok := anchors[v.sequence+1]; ok {
			delete(anchors, behind.From)
			changed[behind.From] = true
			a.To, a.Hash, a.Records, a.Until = behind.To, behind.Hash, a.Records+behind.Records, later(a.Until, behind.Until)
		}
		anchors[a.From] = a
		ending[a.To] = a.From
		changed[a.From] = true
		if err := errors.Join(activity.Delete(sequenceKey(v.sequence)), ids.Delete([]byte(v.record.ID))); err != nil {
			return err
		}
	}
	for first := range changed {
		if a, ok := anchors[first]; ok {
			if err := ch.put(bucketAnchors, sequenceKey(first), a); err != nil {
				return err
			}
		} else if err := ch.delete(bucketAnchors, sequenceKey(first)); err != nil {
			return err
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// anchors are all anchors by their first sequence; bad means that one is not ours.
func (ch chain) anchors() (all map[uint64]anchor, bad bool) {
	before := ch.bad
	list := list[anchor](ch.sealed, bucketAnchors, nil)
	all = make(map[uint64]anchor, len(list))
	for _, a := range list {
		all[a.From] = a
	}
	return all, ch.bad != before
}
