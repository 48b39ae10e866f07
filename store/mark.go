package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// markFile repeats, outside the store, a mark that the home was made with. A lost store would take the mark with it, and
// with the mark the only place where a person could decide what comes next.
const markFile = "home.mark"

// KeepMark writes mark beside the store, sealed with the store's key: whoever could forge it could forge the store too.
func (s *Store) KeepMark(mark string) error {
	if markKept(s.dir, s.key, mark) {
		return nil
	}
	value := []byte(mark)
	path := filepath.Join(s.dir, markFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", markFile, err)
	}
	if err := writeNew(s.dir, markFile, append(seal(s.key, []byte("mark"), []byte(markFile), value), value...)); err != nil {
		return fmt.Errorf("write %s: %w", markFile, err)
	}
	return nil
}

// MarkKept says whether KeepMark wrote this mark under the key that is in the folder now. It is for a home whose store
// cannot be opened.
func MarkKept(dir string, options Options, mark string) bool {
	key := options.Key
	if key == nil {
		var err error
		if key, err = readKey(dir); err != nil {
			return false
		}
	}
	return markKept(dir, key, mark)
}

func markKept(dir string, key []byte, mark string) bool {
	f, err := openPrivate(filepath.Join(dir, markFile), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	sealed, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return false
	}
	value, err := unseal(key, []byte("mark"), []byte(markFile), sealed)
	return err == nil && string(value) == mark
}

// writeNew puts a new file into the folder, whole or not at all, never over one that is there.
func writeNew(dir, name string, raw []byte) error {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: %w", path, ErrFolder)
	}
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := openPrivate(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	return syncFolder(dir)
}
