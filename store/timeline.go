package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Query selects part of the timeline. Empty fields match everything.
type Query = vocab.Query

const (
	defaultLimit = 200
	maxLimit     = 10000
	mostDetail   = 16 << 20
)

// upwards reports whether a query goes from older to newer records.
func upwards(q Query) bool { return q.After != "" || q.Oldest }

// Records are the newest matches (before Before, if set), newest last: at most Limit, which defaults to 200 and is at most 10,000. With
// After or Oldest they are the first matches after that record, or of all, so that a follower misses nothing; ErrNotFound if retention
// removed the named record.
//
// Texts kept with calls make records large: the newest come without them (Record has them), and after 16 MiB of them the first matches end
// before Limit; the caller goes on with After.
func (s *Store) Records(q Query) ([]Record, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	var found []Record
	err := s.View(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		matches, err := ch.matches(q)
		if err != nil {
			return err
		}
		size := 0
		for r := range matches {
			if !upwards(q) {
				r.Detail = vocab.WithoutPayload(r.Detail)
			}
			size += len(r.Detail)
			if found = append(found, *r); len(found) == q.Limit || size > mostDetail {
				break
			}
		}
		return nil
	})
	if !upwards(q) {
		slices.Reverse(found)
	}
	return found, err
}

// matches are the records that a query asks for, in the order it looks for them.
func (ch chain) matches(q Query) (iter.Seq[*Record], error) {
	up := upwards(q)
	from, named := uint64(math.MaxUint64), cmp.Or(q.After, q.Before)
	if up {
		from, named = 1, q.After
	}
	if named != "" {
		at := ch.sequenceOf(named)
		switch {
		case at == 0:
			return nil, fmt.Errorf("record %.80q: %w", named, ErrNotFound)
		case up:
			from = at + 1
		default:
			from = at - 1
		}
	}
	read := ch.backwards(from)
	switch {
	case soughtBy(q).narrow():
		read = ch.picked(ch.candidates(q, from, up))
	case up:
		read = ch.records(from)
	}
	return func(yield func(*Record) bool) {
		for r := range read {
			if q.Matches(r) && !yield(r) {
				return
			}
		}
	}, nil
}

// picked are the records at these sequences, as far as they can be read.
func (ch chain) picked(sequences iter.Seq[uint64]) iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for n := range sequences {
			if r, ok := ch.recordAt(n); ok && !yield(&r) {
				return
			}
		}
	}
}

func (s *Store) Record(id string) (Record, error) {
	var r Record
	err := s.View(func(tx *Tx) error {
		defer marked()
		n := tx.chain().sequenceOf(id)
		if n == 0 {
			return fmt.Errorf("record %.80q: %w", id, ErrNotFound)
		}
		var err error
		r, _, err = decodeRecord(tx.bucket(bucketActivity).Get(sequenceKey(n)))
		return err
	})
	return r, err
}

// records are the readable records from a sequence on.
func (ch chain) records(from uint64) iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		c := ch.bucket(bucketActivity).Cursor()
		step := func(move func() ([]byte, []byte)) ([]byte, []byte) {
			defer marked() // around the cursor only: a panic in the loop's body is the caller's
			return move()
		}
		k, v := step(func() ([]byte, []byte) { return c.Seek(sequenceKey(from)) })
		for ; k != nil; k, v = step(c.Next) {
			if r, _, err := decodeRecord(v); err == nil && !yield(&r) {
				return
			}
		}
	}
}

// backwards are the readable records from a sequence down.
func (ch chain) backwards(from uint64) iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		c := ch.bucket(bucketActivity).Cursor()
		k, v := c.Seek(sequenceKey(from))
		if k == nil {
			k, v = c.Last()
		} else if sequenceIn(k) > from {
			k, v = c.Prev()
		}
		for ; k != nil; k, v = c.Prev() {
			if r, _, err := decodeRecord(v); err == nil && !yield(&r) { // Verify reports what can't be read
				return
			}
		}
	}
}

func sequenceIn(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// Record is one line of the activity timeline, as the socket carries it too.
type Record = vocab.Record

// lasting reports which kinds retention removes last.
func lasting(kind vocab.RecordKind) bool {
	switch kind {
	case vocab.RecordApproval, vocab.RecordRejection, vocab.RecordRelease, vocab.RecordDrift, vocab.RecordConfigChange:
		return true
	default:
		return false
	}
}

// maxDetail limits the detail of one record: a timeline is no place for payloads.
const maxDetail = 1 << 20

// settle makes any record storable: a time that JSON can express, a detail that is JSON.
func settle(r *Record, now time.Time) {
	if y := r.Time.UTC().Year(); r.Time.IsZero() || y < 1 || y > 9999 {
		r.Time = now
	}
	r.Time = r.Time.UTC().Round(0)
	if r.ID == "" || len(r.ID) > 256 {
		r.ID = vocab.NewRecordID(r.Time)
	}
	// encoding/json writes an invalid byte as an escape, but the character which that decodes to as itself: without this, reading and
	// writing a record would change its hash.
	for _, text := range []*string{&r.ID, (*string)(&r.Kind), (*string)(&r.Status), &r.Server, &r.Tool, &r.Code, &r.Mode, &r.Summary, &r.Client, &r.Session, &r.Request, &r.ServerID} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	r.Detail = bytes.ToValidUTF8(r.Detail, []byte("\uFFFD"))
	switch {
	case len(r.Detail) > maxDetail:
		r.Detail, _ = json.Marshal(map[string]int{"cut": len(r.Detail)})
	case len(r.Detail) > 0 && !json.Valid(r.Detail):
		r.Detail, _ = json.Marshal(string(r.Detail))
	}
	r.Prev, r.Hash = "", ""
}
