package store

import (
	bolt "go.etcd.io/bbolt"
)

// metaLater is the note that the store has the buckets which earlier versions did not make. It is sealed, and one of the values
// whose roll is sealed: where it stands, a bucket that is missing is damage, and where it does not, the store is an
// earlier one, or somebody took the note away and the roll says so.
var metaLater = []byte("buckets")

// lacksLater says that a store was made before the later buckets were.
func lacksLater(tx *bolt.Tx) bool {
	meta := tx.Bucket(bucketMeta)
	return meta != nil && meta.Get(metaLater) == nil
}

// addLater makes what a store of an earlier version has not. It is done at Open, after everything else about the store was
// found in order, and in one transaction with its note: from then on a missing bucket is damage in every store.
func (s *Store) addLater() error {
	lacks := false
	err := s.view(func(tx *bolt.Tx) error {
		lacks = lacksLater(tx)
		return nil
	})
	if err != nil || !lacks {
		return err
	}
	return s.update(func(btx *bolt.Tx) error {
		for _, b := range buckets {
			if !b.later {
				continue
			}
			if _, err := btx.CreateBucketIfNotExists(b.name); err != nil {
				return err
			}
		}
		tx := &Tx{tx: btx, key: s.key, now: s.now}
		if err := tx.put(bucketMeta, metaLater, true); err != nil {
			return err
		}
		if s.unrolled.Load() {
			return nil // it stays so until a person has looked
		}
		return tx.sealRoll()
	})
}

// blankLater says that a bucket is one of the later ones and holds nothing, or is not there yet.
func (tx *Tx) blankLater(name []byte) bool {
	defer marked()
	for _, b := range buckets {
		if b.later && string(b.name) == string(name) {
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
