package store

import (
	"bytes"
	"encoding/json"

	bolt "go.etcd.io/bbolt"
)

// metaLater is the note of which later buckets the store has, those that earlier versions did not make: their generation. It is
// sealed, and one of the values whose roll is sealed: a bucket that is missing although its generation stands there is damage,
// and where no note stands, the store is an earlier one, or somebody took the note away and the roll says so.
var metaLater = []byte("buckets")

// laterNow is the generation of a store that this version makes: 1 has held responses, 2 an item of each in a bucket of their own.
const laterNow = 2

// laterOf is the generation of a store. One without anything of ours is being made, and lacks nothing.
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
		return 1 // as the first version with later buckets wrote it
	}
	generation := 1
	_ = json.Unmarshal(note, &generation)
	return generation
}

// addLater makes what a store of an earlier version has not. It is done at Open, after everything else about the store was
// found in order, and in one transaction with its note: from then on a missing bucket is damage in every store.
func (s *Store) addLater() error {
	has := 0
	err := s.view(func(tx *bolt.Tx) error {
		has = laterOf(tx)
		return nil
	})
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
			return nil // it stays so until a person has looked
		}
		return tx.sealRoll()
	})
}

// moveHeldItems takes the items of held responses to where they are now kept. An earlier version kept each among the others, where
// a thousand of them were read whenever anything was asked about the inbox. One whose seal does not hold stays, for Tampered to name.
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

// blankLater says that a bucket is one of the later ones and holds nothing, or is not there yet.
func (tx *Tx) blankLater(name []byte) bool {
	defer marked()
	for _, b := range buckets {
		if b.later > 0 && string(b.name) == string(name) {
			bucket := tx.tx.Bucket(name)
			if bucket == nil {
				return true
			}
			first, _ := bucket.Cursor().First()
			return first == nil
		}
	}
	return false
}
