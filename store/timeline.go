package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
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
)

// Records are the newest matches (before Before, if set), newest last: at most Limit, which defaults to 200 and is at most 10,000 (All has
// no limit). With After or Oldest they are the first matches after that record, or of all, so that a follower misses nothing; ErrNotFound
// if retention removed the named record.
func (s *Store) Records(q Query) ([]Record, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	var found []Record
	err := s.View(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		if q.After != "" || q.Oldest {
			from := ch.sequenceOf(q.After)
			if from == 0 && q.After != "" {
				return fmt.Errorf("record %.80q: %w", q.After, ErrNotFound)
			}
			for r := range ch.records(from + 1) {
				if q.Matches(r) {
					found = append(found, *r)
				}
				if len(found) == q.Limit {
					break
				}
			}
			return nil
		}
		c := tx.bucket(bucketActivity).Cursor()
		k, v := c.Last()
		if q.Before != "" {
			from := ch.sequenceOf(q.Before)
			if from == 0 {
				return fmt.Errorf("record %.80q: %w", q.Before, ErrNotFound)
			}
			c.Seek(sequenceKey(from))
			k, v = c.Prev()
		}
		for ; k != nil && len(found) < q.Limit; k, v = c.Prev() {
			r, arrival, err := decodeRecord(v)
			if err != nil {
				continue // Verify reports it; the rest of the timeline is still useful
			}
			// A record can't have happened after it arrived, and arrivals never decrease, so nothing older can match. (Records from a spool
			// arrive late.)
			if !q.Since.IsZero() && arrival < q.Since.UnixNano() {
				break
			}
			if q.Matches(&r) {
				found = append(found, r)
			}
		}
		slices.Reverse(found)
		return nil
	})
	return found, err
}

// All calls f for every match, oldest first, until it returns an error. It reads one state of the store and keeps one record in memory: for
// exports.
func (s *Store) All(q Query, f func(Record) error) error {
	return s.View(func(tx *Tx) error {
		for r := range tx.chain().records(0) {
			if q.Matches(r) {
				if err := f(*r); err != nil {
					return err
				}
			}
		}
		return nil
	})
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
