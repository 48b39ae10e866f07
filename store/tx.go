package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

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
	bucketAnchors  = []byte("anchors")     // first sequence -> what retention took
	bucketHeld     = []byte("held")        // code of the inbox item -> what is known of a held answer
	bucketHeldText = []byte("held-text")   // code -> its text, bound by the sealed record
	bucketHeldItem = []byte("held-items")  // code -> the item as it was when the response was held
	bucketExcepted = []byte("exceptions")
)

// Every bucket, and whether its values are sealed one by one: the activity chain is sealed by its head, and a held text by the
// record of it, so that nobody reads through a quarter of a gigabyte at start. later is the generation of stores that has it
// first, 0 for all (later.go).
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
}

// Tx is a transaction. It ends with the function it was given to and is used by one goroutine.
type Tx struct {
	tx     *bolt.Tx
	key    []byte
	now    func() time.Time
	rolled bool // servers, pins or values of the home changed: the roll is sealed anew before the commit
	taken  bool // Reseal: what is there now is this home's
	bad    int  // records left out of a list because of their seal
	heads  *heads
}

// Update runs f in a transaction that writes. When it returns nil all of it is on the disk, otherwise none of it happened.
func (s *Store) Update(f func(*Tx) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	taken := false
	err := s.note(guard(func() error {
		return s.update(func(btx *bolt.Tx) error {
			tx := &Tx{tx: btx, key: s.key, now: s.now, heads: &s.heads}
			if err := shield(f, tx); err != nil {
				return err
			}
			taken = tx.taken
			// A roll that did not hold at Open is not mended by whoever happens to write next.
			if tx.taken || tx.rolled && !s.unrolled.Load() {
				return tx.sealRoll()
			}
			return nil
		})
	}))
	if err == nil && taken {
		s.unrolled.Store(false)
	}
	return err
}

// View runs f in a transaction that reads one state of the store.
func (s *Store) View(f func(*Tx) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.note(guard(func() error {
		return s.view(func(btx *bolt.Tx) error {
			return shield(f, &Tx{tx: btx, key: s.key, now: s.now, heads: &s.heads})
		})
	}))
}

// callerPanic carries a panic of the caller's own code through guard: it is no damage of the file.
type callerPanic struct{ value any }

// damage is a panic of bbolt, marked where it happened, so that it is never mistaken for one of the caller.
type damage struct{ value any }

// shield runs the caller's function inside a transaction and tells its panics from those of a damaged file.
func shield(f func(*Tx) error, tx *Tx) error {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case damage:
			panic(p)
		default:
			panic(callerPanic{p})
		}
	}()
	return f(tx)
}

// guard turns what bbolt does on a damaged file, a panic or a fault in its memory map, into ErrCorrupt.
func guard(f func() error) (err error) {
	// A page past the end of a file that was cut is a fault, not an error; without this it ends the program.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case callerPanic:
			panic(p.value)
		case damage:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p.value)
		default:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	return f()
}

// marked marks panics that start below it as damage of the file.
func marked() {
	if p := recover(); p != nil {
		if _, ok := p.(damage); ok {
			panic(p)
		}
		panic(damage{p})
	}
}

func (tx *Tx) bucket(name []byte) *bolt.Bucket {
	b := tx.tx.Bucket(name)
	if b == nil {
		panic(damage{fmt.Sprintf("bucket %s is gone", name)})
	}
	return b
}

// put seals a value and writes it.
func (tx *Tx) put(bucket, key []byte, value any) error {
	defer marked()
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	sealed := append(seal(tx.key, bucket, key, raw), raw...)
	if err := tx.bucket(bucket).Put(key, sealed); err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	return nil
}

// get reads a sealed value.
func (tx *Tx) get(bucket, key []byte, value any) error {
	defer marked()
	sealed := tx.bucket(bucket).Get(key)
	if sealed == nil {
		return fmt.Errorf("%s %.80q: %w", bucket, key, ErrNotFound)
	}
	raw, err := unseal(tx.key, bucket, key, sealed)
	if err == nil {
		err = json.Unmarshal(raw, value)
	}
	if err != nil {
		return fmt.Errorf("%s %.80q: %w", bucket, key, err)
	}
	return nil
}

func (tx *Tx) delete(bucket, key []byte) error {
	defer marked()
	if err := tx.bucket(bucket).Delete(key); err != nil {
		return fmt.Errorf("store %s: %w", bucket, err)
	}
	return nil
}

func (tx *Tx) deletePrefix(bucket, prefix []byte) error {
	var keys [][]byte
	tx.each(bucket, prefix, func(key, _ []byte) { keys = append(keys, bytes.Clone(key)) })
	for _, key := range keys {
		if err := tx.delete(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

// each walks the raw records of a bucket whose keys start with prefix, in order.
func (tx *Tx) each(bucket, prefix []byte, f func(key, sealed []byte)) {
	defer marked()
	c := tx.bucket(bucket).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		f(k, v)
	}
}

// list reads the values under a prefix. Those whose seal does not hold are counted in tx.bad and left out.
func list[T any](tx *Tx, bucket, prefix []byte) ([]T, error) {
	var values []T
	tx.each(bucket, prefix, func(key, sealed []byte) {
		var value T
		raw, err := unseal(tx.key, bucket, key, sealed)
		if err != nil || json.Unmarshal(raw, &value) != nil {
			tx.bad++
			return
		}
		values = append(values, value)
	})
	return values, nil
}

// next is the following number of a bucket's own sequence, as a key that sorts.
func (tx *Tx) next(bucket []byte) ([]byte, error) {
	defer marked()
	n, err := tx.bucket(bucket).NextSequence()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", bucket, err)
	}
	return sequenceKey(n), nil
}

func sequenceKey(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n)
}

// SetMeta keeps one value of the home itself ("cli": first made with --allow-cli-approval; the settings accepted last).
func (tx *Tx) SetMeta(name string, value []byte) error {
	tx.rolled = true
	return tx.put(bucketMeta, []byte("home."+name), value)
}

// Meta is a value kept with SetMeta; ErrNotFound, or ErrSeal if something else wrote it.
func (tx *Tx) Meta(name string) ([]byte, error) {
	var value []byte
	err := tx.get(bucketMeta, []byte("home."+name), &value)
	return value, err
}

// DeleteMeta takes a value away.
func (tx *Tx) DeleteMeta(name string) error {
	tx.rolled = true
	return tx.delete(bucketMeta, []byte("home."+name))
}
