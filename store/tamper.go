package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// Tampered is the result of checking the seals of a store.
type Tampered struct {
	// Records names each record with an invalid seal: "pins SERVER tool:echo".
	Records []string
	// Rolled means that servers, pins, held responses or exceptions were removed, or older validly sealed ones restored: no pin of this
	// store may be trusted before a person has looked.
	Rolled bool
}

// Any reports whether something else wrote this store.
func (t Tampered) Any() bool { return len(t.Records) > 0 || t.Rolled }

var (
	metaRoll  = []byte("roll")
	metaBirth = []byte("birth")
	metaHead  = []byte("head")
	metaLoss  = []byte("loss")
)

// Tampered checks every seal. The hub calls it at start, before it tells a wrapper what is approved.
func (s *Store) Tampered() (Tampered, error) {
	var found Tampered
	err := s.View(func(tx *Tx) error {
		tx.unsealed(func(bucket, key []byte) {
			found.Records = append(found.Records, fmt.Sprintf("%s %.200q", bucket, key))
		})
		found.Rolled = s.unrolled.Load() || !tx.rollHolds()
		return nil
	})
	return found, err
}

// unsealed calls f for each record with an invalid seal.
func (tx *Tx) unsealed(f func(bucket, key []byte)) {
	for _, b := range buckets {
		if !b.sealed {
			continue
		}
		tx.each(b.name, nil, func(key, sealed []byte) {
			if _, err := unseal(tx.key, b.name, key, sealed); err != nil {
				f(b.name, key)
			}
		})
	}
}

// Reseal accepts the current servers and pins, except those with an invalid seal, as this home's. A person decided that after Tampered; the
// caller has removed what must not be trusted.
func (tx *Tx) Reseal() error {
	type place struct{ bucket, key []byte }
	var bad []place
	tx.unsealed(func(bucket, key []byte) {
		if !bytes.Equal(bucket, bucketMeta) {
			bad = append(bad, place{bucket, bytes.Clone(key)})
		}
	})
	for _, at := range bad {
		if err := tx.delete(at.bucket, at.key); err != nil {
			return err
		}
	}
	tx.taken = true
	return nil
}

var rollBuckets = [][]byte{bucketServers, bucketPins, bucketMeta, bucketHeld, bucketExcepted, bucketAllowed, bucketUsed}

// inRoll reports whether the roll covers a record: not the roll itself, nor the head of the chain, which changes with every record.
func inRoll(bucket, key []byte) bool {
	if bytes.Equal(bucket, bucketMeta) {
		return !bytes.Equal(key, metaRoll) && !bytes.Equal(key, metaHead)
	}
	return slices.ContainsFunc(rollBuckets, func(of []byte) bool { return bytes.Equal(of, bucket) })
}

// roll digests the seals of all servers, pins and values of the home, and of held responses, exceptions and allowed calls, in order. Seals on single
// records would not reveal one that was removed or replaced by its own older form: a rejected item could become approved again, and a
// delivered response could be delivered again.
func (tx *Tx) roll() []byte {
	h := sha256.New()
	for _, bucket := range rollBuckets {
		if tx.blankLater(bucket) {
			continue // so that a store that never held anything keeps the roll of earlier versions
		}
		h.Write(bucket)
		tx.each(bucket, nil, func(key, sealed []byte) {
			if !inRoll(bucket, key) {
				return
			}
			var n [8]byte
			binary.BigEndian.PutUint64(n[:], uint64(len(key)))
			h.Write(n[:])
			h.Write(key)
			h.Write(sealed[:min(len(sealed), sealSize)])
		})
	}
	return h.Sum(nil)
}

func (tx *Tx) sealRoll() error { return tx.put(bucketMeta, metaRoll, tx.roll()) }

func (tx *Tx) rollHolds() bool {
	var kept []byte
	return tx.get(bucketMeta, metaRoll, &kept) == nil && hmac.Equal(kept, tx.roll())
}
