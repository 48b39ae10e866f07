package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

var (
	bucketMeta     = []byte("meta")
	bucketServers  = []byte("servers")
	bucketPins     = []byte("pins")
	bucketSeen     = []byte("seen")
	bucketHistory  = []byte("history")
	bucketInbox    = []byte("inbox")
	bucketDecided  = []byte("decided")
	bucketActivity = []byte("activity")    // sequence -> record
	bucketIDs      = []byte("activity-id") // record id -> sequence
	bucketAnchors  = []byte("anchors")     // first sequence -> what retention removed
	bucketGlances  = []byte("glances")     // first sequence -> what filters need to know of 256 records, sealed
	bucketHeld     = []byte("held")        // code of the inbox item -> metadata of a held response
	bucketHeldText = []byte("held-text")   // code -> its text, bound by the sealed record
	bucketHeldItem = []byte("held-items")  // code -> the item as it was when the response was held
	bucketExcepted = []byte("exceptions")

	bucketTasks     = []byte("tasks")      // server and id of a task -> the task
	bucketTaskOrder = []byte("task-order") // server and sequence -> the id of a task; only says which is the oldest

	bucketAllowed = []byte("allowed-calls")
	bucketUsed    = []byte("used-values")
)

// All buckets, and whether their values are sealed one by one. The activity chain is sealed by its head, and a held text by its record, so
// that opening a store need not read a quarter of a gigabyte. later is the first generation of stores that has the bucket, 0 for all
// (later.go).
var buckets = []struct {
	name   []byte
	sealed bool
	later  int
}{
	{name: bucketMeta, sealed: true}, {name: bucketServers, sealed: true}, {name: bucketPins, sealed: true}, {name: bucketSeen, sealed: true},
	{name: bucketHistory, sealed: true}, {name: bucketInbox, sealed: true}, {name: bucketDecided, sealed: true}, {name: bucketAnchors, sealed: true},
	{name: bucketActivity}, {name: bucketIDs},
	{name: bucketHeld, sealed: true, later: 1}, {name: bucketHeldText, later: 1}, {name: bucketExcepted, sealed: true, later: 1},
	{name: bucketHeldItem, sealed: true, later: 2},
	{name: bucketGlances, later: 3}, // its seals are checked when it is read: a page that fails is only slower
	{name: bucketTasks, sealed: true, later: 4}, {name: bucketTaskOrder, later: 4},
	{name: bucketAllowed, sealed: true, later: 5}, {name: bucketUsed, sealed: true, later: 6},
}

// sealed gives one transaction access to the buckets, sealing and unsealing their values.
type sealed struct {
	tx     *bolt.Tx
	key    []byte
	bad    int  // records left out of a list because of an invalid seal
	rolled bool // what the roll covers changed: seal it again before the commit
}

func (s *sealed) bucket(name []byte) *bolt.Bucket {
	b := s.tx.Bucket(name)
	if b == nil {
		panic(damage{fmt.Sprintf("bucket %s is gone", name)})
	}
	return b
}

func (s *sealed) put(bucket, key []byte, value any) error {
	defer marked()
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	stored := append(seal(s.key, bucket, key, raw), raw...)
	s.rolled = s.rolled || inRoll(bucket, key)
	if err := s.bucket(bucket).Put(key, stored); err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	return nil
}

func (s *sealed) get(bucket, key []byte, value any) error {
	defer marked()
	stored := s.bucket(bucket).Get(key)
	if stored == nil {
		return fmt.Errorf("%s %.80q: %w", bucket, key, ErrNotFound)
	}
	raw, err := unseal(s.key, bucket, key, stored)
	if err == nil {
		err = json.Unmarshal(raw, value)
	}
	if err != nil {
		return fmt.Errorf("%s %.80q: %w", bucket, key, err)
	}
	return nil
}

func (s *sealed) delete(bucket, key []byte) error {
	defer marked()
	s.rolled = s.rolled || inRoll(bucket, key)
	if err := s.bucket(bucket).Delete(key); err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	return nil
}

// each walks the raw records of a bucket whose keys start with prefix, in order.
func (s *sealed) each(bucket, prefix []byte, f func(key, stored []byte)) {
	defer marked()
	c := s.bucket(bucket).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		f(k, v)
	}
}

// list reads the values under a prefix, leaving out those with an invalid seal, which it counts in bad.
func list[T any](s *sealed, bucket, prefix []byte) []T {
	var values []T
	s.each(bucket, prefix, func(key, stored []byte) {
		var value T
		raw, err := unseal(s.key, bucket, key, stored)
		if err != nil || json.Unmarshal(raw, &value) != nil {
			s.bad++
			return
		}
		values = append(values, value)
	})
	return values
}

// next is the next number of a bucket's own sequence, as a sortable key.
func (s *sealed) next(bucket []byte) ([]byte, error) {
	defer marked()
	n, err := s.bucket(bucket).NextSequence()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", bucket, err)
	}
	return sequenceKey(n), nil
}

func sequenceKey(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n)
}
