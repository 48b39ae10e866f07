package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Query selects part of the timeline. Empty fields match everything.
type Query struct {
	Server string
	// ServerID is the server that Server names, "" if several have the name.
	ServerID string

	Tool   string
	Kind   string // or several, separated by commas
	Status string // likewise
	Since  time.Time
	Limit  int
	After  string // a record id: only what was stored after it
	Oldest bool   // without After: start at the old end
	Before string // a record id: only what was stored before it; ignored with After or Oldest
	Text   string // in server, tool, code or summary, ignoring case
}

const (
	defaultLimit = 200
	maxLimit     = 10000
)

func (q Query) matches(r *Record) bool {
	return q.of(r) && (q.Tool == "" || q.Tool == r.Tool) &&
		among(q.Kind, r.Kind) && among(q.Status, r.Status) &&
		(q.Since.IsZero() || !r.Time.Before(q.Since)) && q.says(r)
}

// of reports whether a record is of the requested server: by id if both have one, else by name.
func (q Query) of(r *Record) bool {
	if q.ServerID != "" && r.ServerID != "" {
		return q.ServerID == r.ServerID
	}
	return q.Server == "" || q.Server == r.Server
}

// among reports whether a word is in a comma-separated list; an empty list matches all.
func among[Word ~string](asked string, word Word) bool {
	if asked == "" || asked == string(word) {
		return true
	}
	for one := range strings.SplitSeq(asked, ",") {
		if one == string(word) {
			return true
		}
	}
	return false
}

func (q Query) says(r *Record) bool {
	if q.Text == "" {
		return true
	}
	sought := strings.ToLower(q.Text)
	for _, text := range [...]string{r.Summary, r.Server, r.Tool, r.Code} {
		if strings.Contains(strings.ToLower(text), sought) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(r.Named()), sought)
}

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
			return ch.records(from+1, func(r *Record) (bool, error) {
				if q.matches(r) {
					found = append(found, *r)
				}
				return len(found) < q.Limit, nil
			})
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
			if q.matches(&r) {
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
		return tx.chain().records(0, func(r *Record) (bool, error) {
			if !q.matches(r) {
				return true, nil
			}
			err := f(*r)
			return err == nil, err
		})
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

// records calls f for the readable records from a sequence on, until it returns false or an error.
func (ch chain) records(from uint64, f func(*Record) (bool, error)) error {
	type item struct{ k, v []byte }
	c := ch.bucket(bucketActivity).Cursor()
	step := func(move func() ([]byte, []byte)) item {
		defer marked() // around the cursor only: a panic in f is the caller's
		k, v := move()
		return item{k, v}
	}
	for it := step(func() ([]byte, []byte) { return c.Seek(sequenceKey(from)) }); it.k != nil; it = step(c.Next) {
		r, _, err := decodeRecord(it.v)
		if err != nil {
			continue
		}
		if more, err := f(&r); err != nil || !more {
			return err
		}
	}
	return nil
}

func sequenceIn(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}
