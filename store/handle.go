package store

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/sallyport/sallyport/proxy/disk"
)

// closeTimeout is how long Close waits for bbolt if the file is damaged. For an intact file it waits as long as it takes.
const closeTimeout = 2 * time.Second

// handle is the open file. For an intact file it adds nothing to bbolt. On a damaged one bbolt panics, and if it holds a lock then,
// everyone afterwards waits for ever. The hub must replace such a store by one that blocks everything, wherever the damage is first met.
type handle struct {
	db   *bolt.DB
	file *os.File // bbolt's file
	page int      // page size in bytes

	writing sync.Mutex // held by the one writer, so that no one waits for bbolt's own lock
	meeting sync.Mutex // held while bbolt takes its lock over the meta pages, so that the next caller knows about damage found there
	damaged atomic.Pointer[error]
	broken  chan struct{} // closed once the file is known to be damaged
	seen    atomic.Uint64 // the newest commit seen
	stuck   atomic.Bool   // a commit did not finish
}

// update runs f in a writing transaction. It does what bbolt's Update does, except after a panic: bbolt's rollback reads the free pages
// again, which on a damaged file panics again, with the writers' lock held. This one reads nothing.
func (h *handle) update(f func(*bolt.Tx) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	tx, err := h.start(true)
	if err != nil {
		return err
	}
	defer func() {
		if !h.stuck.Load() { // a stuck transaction is still in use
			_ = tx.Rollback() // does nothing after a commit
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	if err := h.checkFreelist(); err != nil {
		return err
	}
	id := uint64(tx.ID())
	if err := h.commit(tx); err != nil {
		return err
	}
	h.advance(id)
	return nil
}

// commit needs the lock over the meta pages, and the one over the memory map if the file grows. A transaction that meets new damage while
// it starts keeps both for ever; then this commit is abandoned, or neither its writer nor Close would ever return.
func (h *handle) commit(tx *bolt.Tx) error {
	ended, err := h.unlessBroken(tx.Commit)
	if !ended {
		h.stuck.Store(true)
		return fmt.Errorf("%w: a commit came to no end", ErrCorrupt)
	}
	return err
}

// unlessBroken runs a call of bbolt. On a damaged file it waits no longer than closeTimeout; most damage leaves no lock held.
func (h *handle) unlessBroken(f func() error) (ended bool, err error) {
	done := make(chan error, 1)
	go func() { done <- guard(f) }()
	select {
	case err := <-done:
		return true, err
	case <-h.broken:
	}
	select {
	case err := <-done:
		return true, err
	case <-time.After(closeTimeout):
		return false, nil
	}
}

// view runs f in a reading transaction.
func (h *handle) view(f func(*bolt.Tx) error) error {
	tx, err := h.start(false)
	if err != nil {
		return err
	}
	defer h.leave(tx)
	return f(tx)
}

func (h *handle) start(writable bool) (*bolt.Tx, error) {
	h.meeting.Lock()
	defer h.meeting.Unlock()
	if err := h.damaged.Load(); err != nil {
		return nil, *err
	}
	var tx *bolt.Tx
	err := h.note(guard(func() error {
		if _, err := h.readMeta(); err != nil {
			return err
		}
		seen := h.seen.Load() // read before it begins: a commit may finish meanwhile
		var err error
		if tx, err = h.db.Begin(writable); err != nil {
			return err
		}
		on := uint64(tx.ID())
		if writable {
			on-- // the number is that of the next commit
		}
		if on < seen {
			_ = tx.Rollback()
			return fmt.Errorf("%w: it went back by %d commits", ErrCorrupt, seen-on)
		}
		h.advance(on)
		return nil
	}))
	return tx, err
}

// leave ends a reading transaction in the background: a commit that outgrows the memory map waits for all readers to leave, and the next
// transaction's start waits for that commit. If a start meets damage meanwhile, the lock that leaving needs may never be released; then
// leave does not wait.
func (h *handle) leave(tx *bolt.Tx) {
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = guard(tx.Rollback)
	}()
	select {
	case <-left:
	case <-h.broken:
	}
}

// note records damage: from then on every use is refused.
func (h *handle) note(err error) error {
	if errors.Is(err, ErrCorrupt) && h.damaged.CompareAndSwap(nil, &err) {
		close(h.broken)
	}
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// close releases the file and its lock, even if bbolt can't.
func (h *handle) close() error {
	ended, err := h.unlessBroken(h.db.Close)
	if ended {
		return h.note(err)
	}
	err = fmt.Errorf("%w: it could not be closed", ErrCorrupt)
	disk.Unlock(h.file)
	if h.stuck.Load() { // a commit is using the file
		return err
	}
	return errors.Join(err, h.file.Close())
}
