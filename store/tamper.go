package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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
		for _, b := range buckets {
			if !b.sealed {
				continue
			}
			tx.each(b.name, nil, func(key, sealed []byte) {
				if _, err := unseal(tx.key, b.name, key, sealed); err != nil {
					found.Records = append(found.Records, fmt.Sprintf("%s %.200q", b.name, key))
				}
			})
		}
		found.Rolled = s.unrolled.Load() || !tx.rollHolds()
		return nil
	})
	return found, err
}

// Reseal accepts the current servers and pins, except those with an invalid seal, as this home's. A person decided that after Tampered; the
// caller has removed what must not be trusted.
func (tx *Tx) Reseal() error {
	for _, b := range buckets {
		if !b.sealed || string(b.name) == string(bucketMeta) {
			continue
		}
		var bad [][]byte
		tx.each(b.name, nil, func(key, sealed []byte) {
			if _, err := unseal(tx.key, b.name, key, sealed); err != nil {
				bad = append(bad, append([]byte(nil), key...))
			}
		})
		for _, key := range bad {
			if err := tx.delete(b.name, key); err != nil {
				return err
			}
		}
	}
	tx.taken = true
	return nil
}

// roll digests the seals of all servers, pins and values of the home, and of held responses and exceptions, in order. Seals on single
// records would not reveal one that was removed or replaced by its own older form: a rejected item could become approved again, and a
// delivered response could be delivered again.
func (tx *Tx) roll() []byte {
	h := sha256.New()
	for _, bucket := range [][]byte{bucketServers, bucketPins, bucketMeta, bucketHeld, bucketExcepted} {
		if tx.blankLater(bucket) {
			continue // so that a store that never held anything keeps the roll of earlier versions
		}
		h.Write(bucket)
		tx.each(bucket, nil, func(key, sealed []byte) {
			if &bucket[0] == &bucketMeta[0] && (bytes.Equal(key, metaRoll) || bytes.Equal(key, metaHead)) {
				return // the roll itself, and the head, which changes with every record
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
