package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Tampered is what the seals say about a store.
type Tampered struct {
	// Records names each record that was not sealed with this key at its place: "pins SERVER tool:echo".
	Records []string
	// Rolled says that servers, pins, held answers or exceptions were taken away or older ones brought back, each with a seal
	// that holds: no pin of this store may be trusted before a person has looked.
	Rolled bool
}

// Any says that something else wrote this store.
func (t Tampered) Any() bool { return len(t.Records) > 0 || t.Rolled }

var (
	metaRoll  = []byte("roll")
	metaBirth = []byte("birth")
	metaHead  = []byte("head")
	metaLoss  = []byte("loss")
)

// Tampered looks at every seal. The hub asks at start, before it tells a wrapper what is approved.
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

// Reseal takes the servers and pins that are there, less those whose own seal does not hold, as this home's. A person
// decided it after Tampered; the caller has taken away what must not be trusted.
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

// roll digests the seals of all servers, pins and values of the home, of held answers and exceptions, in order. A seal on each
// record alone does not see one that is taken away or replaced by its own older form: an item once approved, rejected since,
// would be open again, and an answer that was handed over could be handed over again.
func (tx *Tx) roll() []byte {
	h := sha256.New()
	for _, bucket := range [][]byte{bucketServers, bucketPins, bucketMeta, bucketHeld, bucketExcepted} {
		if tx.blankLater(bucket) {
			continue // so that the roll of a store which never held anything is what earlier versions made it
		}
		h.Write(bucket)
		tx.each(bucket, nil, func(key, sealed []byte) {
			if &bucket[0] == &bucketMeta[0] && (bytes.Equal(key, metaRoll) || bytes.Equal(key, metaHead)) {
				return // the roll itself, and the head that moves with every record
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
