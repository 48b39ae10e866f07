package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/sallyport/sallyport/proxy/disk"
)

const File = "sallyport.db"

const schema = 1

// Options of Open. The zero value opens an existing store, or creates one in a new home.
type Options struct {
	// Key (32 bytes) seals the records instead of the file seal.key, if the system has a better place for keys.
	Key []byte
	// AfterLoss starts an empty store after one was lost (ErrMissing). It carries a Loss: until ClearLoss nothing may be trusted on first
	// use, and no earlier mark of the home counts.
	AfterLoss bool
	// Damage is an ErrCorrupt met while using the store. SetAside believes it even if a walk over the pages finds nothing, because not all
	// damage is a broken page.
	Damage string
	// LockTimeout is how long to wait for another owner; 0 means 300 ms.
	LockTimeout time.Duration
}

// Store is an open store. All methods are safe for concurrent use.
type Store struct {
	*handle
	dir    string
	key    []byte
	fresh  bool
	now    func() time.Time
	heads  heads
	closed atomic.Bool

	appending appending
	// unrolled: at Open the servers or pins did not match their common seal, and no person has decided about it since.
	unrolled atomic.Bool
}

// Loss describes a store that was lost before this one.
type Loss struct {
	At   time.Time `json:"at"`
	Why  string    `json:"why"`
	Kept string    `json:"kept,omitempty"` // path of the old file, "" if it was gone
}

// birth is written once, under the key: if it does not unseal, the store belongs to another key.
type birth struct {
	Schema int       `json:"schema"`
	Born   time.Time `json:"born"`
}

// Open opens the store of a data folder and locks it for this process. Errors are ErrLocked, ErrCorrupt, ErrMissing, ErrSeal, ErrFolder,
// ErrNewer; for any of them the caller approves nothing.
func Open(dir string, options Options) (*Store, error) {
	s, err := open(dir, options)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return s, nil
}

func open(dir string, options Options) (*Store, error) {
	if err := disk.OwnFolder(dir); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	path := filepath.Join(dir, File)
	key, err := options.key(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	loss, err := Lost(dir)
	if err != nil {
		return nil, err
	}
	_, err = os.Lstat(path)
	absent := errors.Is(err, fs.ErrNotExist)
	if absent && !options.AfterLoss && (loss != nil || options.Key == nil && key != nil) {
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	}

	timeout := options.LockTimeout
	if timeout == 0 {
		timeout = 300 * time.Millisecond
	}
	file, err := openFile(path, timeout)
	if err != nil {
		return nil, err
	}
	s := &Store{handle: file, dir: dir, key: key, now: time.Now}
	if err := s.note(guard(func() error { return s.settle(options, loss, absent) })); err != nil {
		_ = s.close()
		return nil, err
	}
	return s, nil
}

// openFile opens the file under its lock. NoSync stays off: a power cut would lose data (a kill would not).
func openFile(path string, timeout time.Duration) (_ *handle, err error) {
	var db *bolt.DB
	var seen *os.File // when bbolt panics, it leaves the file open and locked
	defer func() {
		if err != nil && seen != nil {
			disk.Unlock(seen)
			_ = seen.Close()
		}
	}()
	err = guard(func() error {
		var err error
		db, err = bolt.Open(path, 0o600, &bolt.Options{
			Timeout:      timeout,
			FreelistType: bolt.FreelistMapType,
			OpenFile: func(path string, flag int, _ os.FileMode) (*os.File, error) {
				f, err := disk.Open(path, flag)
				seen = f
				return f, err
			},
		})
		return err
	})
	switch {
	case err == nil:
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrLocked)
	case errors.Is(err, ErrFolder):
		return nil, err
	case errors.Is(err, ErrCorrupt), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%s: %w: %v", path, ErrCorrupt, err)
	default:
		if info, statErr := os.Lstat(path); statErr == nil && info.Mode().IsRegular() {
			var pathErr *fs.PathError
			if !errors.As(err, &pathErr) {
				return nil, fmt.Errorf("%s: %w: %v", path, ErrCorrupt, err)
			}
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h := &handle{db: db, file: seen, page: db.Info().PageSize, broken: make(chan struct{})}
	if err := h.note(h.checkMetas()); err != nil {
		_ = h.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// settle decides, under the file's lock, what the file is: this home's store, the first one of a new home, or neither.
func (s *Store) settle(options Options, loss *Loss, absent bool) error {
	state, err := s.look()
	if err != nil {
		return err
	}
	hasKey := s.key != nil
	switch {
	case state == blank && options.Key == nil && hasKey && !absent && !options.AfterLoss:
		// The key is written first, so there was a store here; a file without a bucket is not it.
		return ErrMissing
	case state == blank && options.Key == nil && hasKey && loss == nil:
		return s.begin(&Loss{At: s.now().UTC(), Why: "the store was gone or empty"})
	case state == blank, state == unused && !hasKey:
		return s.begin(loss)
	case !hasKey:
		return fmt.Errorf("%s is gone: %w", filepath.Join(s.dir, keyFile), ErrSeal)
	}
	err = s.view(func(btx *bolt.Tx) error {
		tx := s.tx(btx)
		var b birth
		if err := tx.get(bucketMeta, metaBirth, &b); err != nil {
			return err
		}
		if b.Schema > schema {
			return ErrNewer
		}
		s.unrolled.Store(!tx.rollHolds())
		return tx.probe()
	})
	if err != nil {
		return err
	}
	if err := s.addLater(); err != nil {
		return err
	}
	// A good copy of the lost store was put back.
	return removeLoss(s.dir)
}

type fileState int

const (
	blank  fileState = iota // no bucket of ours
	unused                  // initialised, but never used
	used
)

func (s *Store) look() (fileState, error) {
	state := blank
	err := s.view(func(tx *bolt.Tx) error {
		// bbolt trusts its own page count; a truncated file would fault later, at an unpredictable page.
		info, err := os.Stat(s.db.Path())
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w: %d bytes are missing at its end", ErrCorrupt, tx.Size()-info.Size())
		}
		if tx.Bucket(bucketMeta) == nil {
			if k, _ := tx.Cursor().First(); k != nil {
				return fmt.Errorf("%w: it is not a store of ours", ErrCorrupt)
			}
			return nil
		}
		state = unused
		for _, b := range buckets {
			bucket := tx.Bucket(b.name)
			if bucket == nil && b.later > laterOf(tx) {
				continue
			}
			if bucket == nil {
				return fmt.Errorf("%w: bucket %s is gone", ErrCorrupt, b.name)
			}
			if k, _ := bucket.Cursor().First(); k != nil && string(b.name) != string(bucketMeta) {
				state = used
			}
		}
		return nil
	})
	return state, err
}

// begin writes the first content of a store, then the key: after a kill in between, the next Open starts over.
func (s *Store) begin(loss *Loss) error {
	writesKey := s.key == nil
	if writesKey {
		s.key = make([]byte, keyBytes)
		rand.Read(s.key) // ends the program if there is no randomness
	}
	err := s.update(func(btx *bolt.Tx) error {
		for _, b := range buckets {
			if btx.Bucket(b.name) != nil {
				if err := btx.DeleteBucket(b.name); err != nil {
					return err
				}
			}
			if _, err := btx.CreateBucket(b.name); err != nil {
				return err
			}
		}
		tx := s.tx(btx)
		if loss != nil {
			if err := tx.put(bucketMeta, metaLoss, loss); err != nil {
				return err
			}
		}
		return cmp.Or(
			tx.put(bucketMeta, metaBirth, birth{Schema: schema, Born: s.now().UTC()}), tx.put(bucketMeta, metaLater, laterNow),
			tx.chain().putHead(head{}), tx.sealRoll(),
		)
	})
	if err != nil {
		return err
	}
	if writesKey {
		if err := writeKey(s.dir, s.key); err != nil {
			return err
		}
	}
	s.fresh = true
	if err := disk.SyncFolder(s.dir); err != nil {
		return err
	}
	return removeLoss(s.dir)
}

// probe reads everything the hub will need, so that damage shows at Open and not during a decision.
func (tx *Tx) probe() error {
	for _, b := range buckets {
		if b.later > laterOf(tx.tx) {
			continue
		}
		if b.sealed {
			tx.each(b.name, nil, func(_, sealed []byte) { _ = len(sealed) })
			continue
		}
		tx.bucket(b.name).Cursor().Last()
	}
	return nil
}

// Fresh reports whether this Open created the store, in a new home or after a loss.
func (s *Store) Fresh() bool { return s.fresh }

// Loss describes the store that was lost before this one, nil if none was or a person has seen it.
func (s *Store) Loss() (*Loss, error) {
	var loss *Loss
	err := s.View(func(tx *Tx) error { return tx.get(bucketMeta, metaLoss, &loss) })
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return loss, err
}

// ClearLoss records that a person has seen the loss; this store is now the home's.
func (tx *Tx) ClearLoss() error {
	return tx.delete(bucketMeta, metaLoss)
}

// Close releases the file and its lock, once the transactions in progress have ended.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	return s.close()
}

// usable is nil as long as the file can be used. After damage every further use is refused: earlier results may still be shown, but nothing
// new may follow from the store.
func (s *Store) usable() error {
	if err := s.damaged.Load(); err != nil {
		return *err
	}
	if s.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Errors that callers decide on. For all of them nothing unapproved passes.
var (
	// ErrLocked: another process owns the store.
	ErrLocked = errors.New("another Sallyport has it")
	// ErrCorrupt: the file can't be read as a store. Keep it with SetAside, never delete it.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrMissing: the folder has a seal key or a note of a lost store, but no store, so it is not a new home.
	ErrMissing = errors.New("the store is missing beside its seal key")
	// ErrSeal: a record, or the whole store, is not sealed with this key.
	ErrSeal     = errors.New("the seal does not hold")
	ErrNotFound = errors.New("not found")
	// ErrFolder: the data folder or a file in it is not ours alone.
	ErrFolder = disk.ErrNotOurs
	// ErrNewer: the store was written by a later version.
	ErrNewer  = errors.New("the store was written by a newer Sallyport")
	ErrClosed = errors.New("the store is closed")
)
