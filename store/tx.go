package store

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Tx is a transaction. It ends with the function it was given to and is for one goroutine.
type Tx struct {
	sealed
	now   func() time.Time
	taken bool // Reseal: accept the current content
	heads *heads
}

func (s *Store) tx(tx *bolt.Tx) *Tx {
	return &Tx{sealed: sealed{tx: tx, key: s.key}, now: s.now, heads: &s.heads}
}

// Update runs f in a writing transaction. When it returns nil, all of it is on disk; otherwise none of it happened.
func (s *Store) Update(f func(*Tx) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	taken := false
	err := s.note(guard(func() error {
		return s.update(func(btx *bolt.Tx) error {
			tx := s.tx(btx)
			if err := shield(f, tx); err != nil {
				return err
			}
			taken = tx.taken
			// An invalid roll found at Open must not be repaired by the next write.
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

// View runs f in a reading transaction, on one state of the store.
func (s *Store) View(f func(*Tx) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.note(guard(func() error {
		return s.view(func(btx *bolt.Tx) error {
			return shield(f, s.tx(btx))
		})
	}))
}

// callerPanic carries a panic of the caller's own code through guard: it is not damage of the file.
type callerPanic struct{ value any }

// damage is a panic of bbolt, marked where it happened, so that it is never mistaken for the caller's.
type damage struct{ value any }

// shield runs the caller's function inside a transaction and separates its panics from those of a damaged file.
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

// guard turns bbolt's panics and memory faults on a damaged file into ErrCorrupt.
func guard(f func() error) (err error) {
	// Reading a page beyond the end of a truncated file is a fault, which would otherwise end the program.
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

// marked marks panics below it as damage of the file.
func marked() {
	if p := recover(); p != nil {
		if _, ok := p.(damage); ok {
			panic(p)
		}
		panic(damage{p})
	}
}

// SetMeta stores a value of the home itself ("cli": first created with --allow-cli-approval; the last accepted settings).
func (tx *Tx) SetMeta(name string, value []byte) error {
	return tx.put(bucketMeta, []byte("home."+name), value)
}

// Meta is a value stored with SetMeta; ErrNotFound, or ErrSeal if something else wrote it.
func (tx *Tx) Meta(name string) ([]byte, error) {
	var value []byte
	err := tx.get(bucketMeta, []byte("home."+name), &value)
	return value, err
}

// SetMetaJSON is SetMeta for a value that MetaJSON reads.
func (tx *Tx) SetMetaJSON(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return tx.SetMeta(name, raw)
}

// MetaJSON reads into value what SetMetaJSON stored.
func (tx *Tx) MetaJSON(name string, value any) error {
	raw, err := tx.Meta(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, value)
}

func (tx *Tx) DeleteMeta(name string) error {
	return tx.delete(bucketMeta, []byte("home."+name))
}
