package store

import (
	"fmt"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Tx is a transaction. It ends with the function it was given to and is used by one goroutine.
type Tx struct {
	sealed
	now    func() time.Time
	rolled bool // servers, pins or values of the home changed: the roll is sealed anew before the commit
	taken  bool // Reseal: what is there now is this home's
	heads  *heads
}

func (s *Store) tx(tx *bolt.Tx) *Tx {
	return &Tx{sealed: sealed{tx: tx, key: s.key}, now: s.now, heads: &s.heads}
}

// Update runs f in a transaction that writes. When it returns nil all of it is on the disk, otherwise none of it happened.
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
			return shield(f, s.tx(btx))
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
