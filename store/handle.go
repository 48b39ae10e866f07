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

// closeTimeout is how long Close waits for bbolt where the file is damaged. A whole one it waits for as long as it takes.
const closeTimeout = 2 * time.Second

// handle is the open file. On a file that is in order it adds nothing to bbolt. On a damaged one bbolt panics, and where it
// does so with one of its locks held, everybody who comes after waits for ever: that the hub gives way to one that blocks
// everything must not depend on where the damage is met first.
type handle struct {
	db   *bolt.DB
	file *os.File // what db works on
	page int      // bytes of a page

	writing sync.Mutex // one writer: bbolt's own lock is not waited for inside
	meeting sync.Mutex // held where bbolt takes its lock over the meta pages, so that damage met there is known to the next
	damaged atomic.Pointer[error]
	broken  chan struct{} // closed once damage is known
	seen    atomic.Uint64 // the newest commit that was seen
	stuck   atomic.Bool   // a commit came to no end
}

// update runs f in a transaction that writes. It does what bbolt's Update does but for the way back after a panic: that one
// reads the free pages anew, which on a damaged file is another panic, with the writers' lock held. This one reads nothing.
func (h *handle) update(f func(*bolt.Tx) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	tx, err := h.start(true)
	if err != nil {
		return err
	}
	defer func() {
		if !h.stuck.Load() { // what is stuck is still in use
			_ = tx.Rollback() // after a commit it is none
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

// commit needs the lock over the meta pages, and the one over the memory map where the file grows. A start that meets damage
// after it was looked for keeps both for ever; what waits for them then is given up, or neither its writer nor Close ever came to an end.
func (h *handle) commit(tx *bolt.Tx) error {
	ended := make(chan error, 1)
	go func() { ended <- guard(tx.Commit) }()
	select {
	case err := <-ended:
		return err
	case <-h.broken:
	}
	timeout := time.NewTimer(closeTimeout) // most damage holds no lock
	defer timeout.Stop()
	select {
	case err := <-ended:
		return err
	case <-timeout.C:
		h.stuck.Store(true)
		return fmt.Errorf("%w: a commit came to no end", ErrCorrupt)
	}
}

// view runs f in a transaction that reads.
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
		seen := h.seen.Load() // before it begins: a commit may end beside it
		var err error
		if tx, err = h.db.Begin(writable); err != nil {
			return err
		}
		on := uint64(tx.ID())
		if writable {
			on-- // the number is that of the commit to come
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

// leave ends a transaction that reads. It waits for no start: a commit that outgrows the memory map waits for every reader to
// leave, and the start of the next one waits for that commit. Where a start meets damage meanwhile, the lock that leaving needs
// may never come free; nobody waits for it then.
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

// note keeps damage: from then on every use is refused.
func (h *handle) note(err error) error {
	if errors.Is(err, ErrCorrupt) && h.damaged.CompareAndSwap(nil, &err) {
		close(h.broken)
	}
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// close gives the file and its lock back, also where bbolt cannot any more.
func (h *handle) close() error {
	if h.damaged.Load() == nil {
		return h.note(guard(h.db.Close))
	}
	ended := make(chan error, 1)
	go func() { ended <- guard(h.db.Close) }()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case err := <-ended:
		return err
	case <-timeout.C:
		return errors.Join(fmt.Errorf("%w: it could not be closed", ErrCorrupt), h.abandon())
	}
}

// abandon gives the lock back, and the file where no commit is left in the middle of it.
func (h *handle) abandon() error {
	disk.Unlock(h.file)
	if h.stuck.Load() {
		return nil
	}
	return h.file.Close()
}
