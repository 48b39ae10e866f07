package store

import (
	"bytes"
	"encoding/json"

	bolt "go.etcd.io/bbolt"
)

// metaLater records which buckets, added in later versions, the store has: their generation. The value is sealed and part of the roll. If a
// bucket of that generation is missing, the store is damaged. If the note is missing, the store is older, or somebody removed the note and
// the roll shows it.
var metaLater = []byte("buckets")

// laterNow is the generation of a new store: 1 has held responses, 2 keeps their items in a bucket of their own, 3 has glances at records, 4
// has tasks, 5 has calls that are allowed for good, 6 has what a person used.
const laterNow = 6

// laterOf is the generation of a store. One without content is just being made, and lacks nothing.
func laterOf(tx *bolt.Tx) int {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return laterNow
	}
	note := meta.Get(metaLater)
	if len(note) < sealSize {
		return 0
	}
	if note = note[sealSize:]; bytes.Equal(note, []byte("true")) {
		return 1 // as written by the first version with later buckets
	}
	generation := 1
	_ = json.Unmarshal(note, &generation)
	return generation
}

// addLater creates the buckets that an older store lacks. Open calls it once everything else about the store was found in order, in one
// transaction with the note: from then on a missing bucket is damage in every store.
func (s *Store) addLater() error {
	has := 0
	err := s.view(func(tx *bolt.Tx) error { has = laterOf(tx); return nil })
	if err != nil || has >= laterNow {
		return err
	}
	return s.update(func(btx *bolt.Tx) error {
		for _, b := range buckets {
			if b.later <= has {
				continue
			}
			if _, err := btx.CreateBucketIfNotExists(b.name); err != nil {
				return err
			}
		}
		tx := s.tx(btx)
		if err := tx.moveHeldItems(); err != nil {
			return err
		}
		if err := tx.put(bucketMeta, metaLater, laterNow); err != nil {
			return err
		}
		if s.unrolled.Load() {
			return nil // unchanged until a person has looked
		}
		return tx.sealRoll()
	})
}

// moveHeldItems moves the items of held responses to their own bucket. Earlier versions kept them among the others, where every question
// about the inbox read all of them. One with an invalid seal stays, for Tampered to name.
func (tx *Tx) moveHeldItems() error {
	var codes [][]byte
	tx.each(bucketHeld, nil, func(key, _ []byte) { codes = append(codes, bytes.Clone(key)) })
	for _, code := range codes {
		for _, from := range [][]byte{bucketInbox, bucketDecided} {
			sealed := tx.bucket(from).Get(code)
			if sealed == nil {
				continue
			}
			raw, err := unseal(tx.key, from, code, sealed)
			if err != nil {
				continue
			}
			if err := tx.put(bucketHeldItem, code, json.RawMessage(bytes.Clone(raw))); err != nil {
				return err
			}
			if err := tx.delete(from, code); err != nil {
				return err
			}
		}
	}
	return nil
}

// blankLater reports whether a bucket is one of the later ones and empty or missing.
func (tx *Tx) blankLater(name []byte) bool {
	defer marked()
	for _, b := range buckets {
		if bytes.Equal(b.name, name) && b.later == 0 {
			return false
		}
	}
	bucket := tx.tx.Bucket(name)
	if bucket == nil {
		return true
	}
	first, _ := bucket.Cursor().First()
	return first == nil
}
