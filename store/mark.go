package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/disk"
)

// markFile repeats a mark of the home outside the store. A lost store would take the mark with it, and so the only place where a person
// could decide what comes next.
const markFile = "home.mark"

// KeepMark writes mark next to the store, sealed with the store's key: anyone who could forge it could forge the store too.
func (s *Store) KeepMark(mark string) error {
	if markKept(s.dir, s.key, mark) {
		return nil
	}
	value := []byte(mark)
	sealed := append(seal(s.key, []byte("mark"), []byte(markFile), value), value...)
	if err := disk.WriteWhole(filepath.Join(s.dir, markFile), sealed); err != nil {
		return fmt.Errorf("write %s: %w", markFile, err)
	}
	return nil
}

// MarkKept reports whether KeepMark wrote this mark under the folder's current key. It is for a home whose store cannot be opened.
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
	f, err := disk.Open(filepath.Join(dir, markFile), os.O_RDONLY)
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
