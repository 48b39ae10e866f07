package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/disk"
)

// lossFile records, next to the store, that one was lost: a missing store then does not count as a new home, even if the key is gone too.
const lossFile = "store.lost"

// SetAside keeps an unusable store under a dated name and returns that name. It leaves a store alone that another process owns, or that is
// in order (unless Options.Damage says otherwise). Afterwards Open returns ErrMissing until it is called with AfterLoss.
func SetAside(dir string, options Options) (kept string, err error) {
	defer func() {
		if err != nil {
			kept, err = "", fmt.Errorf("set store aside: %w", err)
		}
	}()
	why, err := whyUnusable(dir, options)
	if err != nil {
		return "", err
	}
	now := time.Now().UTC()
	path := filepath.Join(dir, File)
	for n := 0; ; n++ {
		kept = fmt.Sprintf("%s.kept-%s", path, now.Format("20060102T150405Z"))
		if n > 0 {
			kept = fmt.Sprintf("%s-%d", kept, n)
		}
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	// Write the note first: a kill in between must not leave a folder that looks new.
	note, err := json.Marshal(Loss{At: now, Why: why, Kept: kept})
	if err != nil {
		return "", err
	}
	if err := disk.WriteWhole(filepath.Join(dir, lossFile), append(note, '\n')); err != nil {
		return "", fmt.Errorf("write %s: %w", lossFile, err)
	}
	// An invalid seal key would keep every later store from opening.
	if _, err := readKey(dir); options.Key == nil && errors.Is(err, ErrSeal) {
		key := filepath.Join(dir, keyFile)
		if err := disk.Rename(key, key+strings.TrimPrefix(kept, path)); err != nil {
			return "", err
		}
	}
	return kept, disk.Rename(path, kept)
}

// whyUnusable says what is wrong with a store. It is an error if nothing is, or if another process owns it.
func whyUnusable(dir string, options Options) (string, error) {
	s, err := open(dir, options)
	if err == nil {
		damage := s.check()
		_ = s.close()
		if damage == nil && options.Damage != "" {
			return options.Damage, nil
		}
		if damage == nil {
			return "", fmt.Errorf("%s is in order", filepath.Join(dir, File))
		}
		return damage.Error(), nil
	}
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrSeal) {
		return err.Error(), nil
	}
	if _, there := os.Lstat(filepath.Join(dir, File)); errors.Is(err, ErrMissing) && options.Damage != "" && there == nil {
		return options.Damage, nil // its owner found it damaged
	}
	return "", err
}

// check walks every page of the file. bbolt's own check runs in its own goroutine, where guard cannot catch a fault at a key outside the
// memory map, which would end the program. So everything that it will read is read here first.
func (s *Store) check() error {
	return s.note(guard(func() error {
		return s.view(func(tx *bolt.Tx) error {
			if err := tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return readAll(b, maxNesting) }); err != nil {
				return fmt.Errorf("%w: %v", ErrCorrupt, err)
			}
			var first error
			for err := range tx.Check() {
				if first == nil {
					first = fmt.Errorf("%w: %v", ErrCorrupt, err)
				}
			}
			return first
		})
	}))
}

// maxNesting is more levels of buckets than any store of ours has.
const maxNesting = 8

// readAll reads every key and value of a bucket, and looks up each key again, which reads the keys of the branches above it.
func readAll(b *bolt.Bucket, depth int) error {
	if depth == 0 {
		return errors.New("buckets in each other without end")
	}
	var before []byte
	sum := byte(0)
	c := b.Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		if before != nil && bytes.Compare(before, key) >= 0 {
			return fmt.Errorf("key %q is out of order", key)
		}
		before = append(before[:0], key...)
		inner := b.Bucket(key)
		switch {
		case value == nil && inner == nil, value != nil && b.Get(key) == nil:
			return fmt.Errorf("key %q is listed and not found", key)
		case value == nil:
			if err := readAll(inner, depth-1); err != nil {
				return err
			}
		}
		for _, part := range value {
			sum += part
		}
	}
	runtime.KeepAlive(sum) // so that the compiler keeps all reads
	return nil
}

// Lost is the note of a store that was put aside, nil where there is none. One that cannot be read is still a note.
func Lost(dir string) (*Loss, error) {
	raw, err := disk.Read(filepath.Join(dir, lossFile), 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var loss Loss
	if json.Unmarshal(raw, &loss) != nil {
		loss = Loss{Why: "a store was lost; the note about it cannot be read"}
	}
	return &loss, nil
}

func removeLoss(dir string) error {
	if err := os.Remove(filepath.Join(dir, lossFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", lossFile, err)
	}
	return nil
}
