package e2e

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A snapshot is files and folders by inode; 1 is the root.
type snapshot struct {
	folders map[int]map[string]int
	modes   map[int]fs.FileMode
	texts   map[int][]byte
}

func copied(folders map[int]map[string]int) map[int]map[string]int {
	out := make(map[int]map[string]int, len(folders))
	for folder, names := range folders {
		out[folder] = maps.Clone(names)
	}
	return out
}

// sector is the most that a disk writes whole.
const sector = 512

// state is the disk after a power cut behind the first n changes, if those in keep had reached it, in their order. Of the data in torn only
// some sectors had.
func (tr *tracer) state(n int, keep []bool, torn map[int]*rand.Rand) *snapshot {
	s := &snapshot{folders: copied(tr.first.folders), modes: maps.Clone(tr.made), texts: map[int][]byte{}}
	for file, text := range tr.first.texts {
		s.texts[file] = slices.Clone(text)
	}
	for i, c := range tr.changes[:n] {
		if !keep[i] {
			continue
		}
		switch c.kind {
		case isName:
			names := s.folders[c.file]
			if names == nil {
				names = map[string]int{}
				s.folders[c.file] = names
			}
			if c.other != "" {
				delete(names, c.other)
				if c.from != 0 {
					names[c.other] = c.from
				}
			}
			if delete(names, c.name); c.to != 0 {
				names[c.name] = c.to
			}
		case isData:
			s.grow(c.file, c.at+int64(len(c.data)))
			for from := 0; from < len(c.data); {
				to := min(len(c.data), from+sector-int((c.at+int64(from))%sector))
				if dice := torn[i]; dice == nil || dice.IntN(2) == 0 {
					copy(s.texts[c.file][c.at+int64(from):], c.data[from:to])
				}
				from = to
			}
		case isSize:
			s.grow(c.file, c.size)
			s.texts[c.file] = s.texts[c.file][:c.size]
		case isMode:
			s.modes[c.file] = c.mode
		}
	}
	return s
}

func (s *snapshot) grow(file int, to int64) {
	if more := to - int64(len(s.texts[file])); more > 0 {
		s.texts[file] = append(s.texts[file], make([]byte, more)...)
	}
}

// durable reports which of the first n changes are durable, because their file or folder was synced since.
func (tr *tracer) durable(n int) []bool {
	durable := make([]bool, n)
	upto := map[int]int{}
	for i := n - 1; i >= 0; i-- {
		switch c := tr.changes[i]; c.kind {
		case isSync:
			upto[c.file] = max(upto[c.file], c.upto)
		case isAsked, isAcked, isNothing:
			durable[i] = true
		default:
			durable[i] = i < upto[c.file]
		}
	}
	return durable
}

func (s *snapshot) each(look func(path string, mode fs.FileMode, text []byte)) {
	var walk func(folder int, path string)
	walk = func(folder int, path string) {
		for _, name := range slices.Sorted(maps.Keys(s.folders[folder])) {
			file, path := s.folders[folder][name], filepath.Join(path, name)
			look(path, s.modes[file], s.texts[file])
			if s.modes[file].IsDir() {
				walk(file, path)
			}
		}
	}
	walk(1, "")
}

func (s *snapshot) listing() map[string][]byte {
	all := map[string][]byte{}
	s.each(func(path string, _ fs.FileMode, text []byte) { all[path] = text })
	return all
}

func (s *snapshot) digest() (sum [32]byte) {
	h := sha256.New()
	s.each(func(path string, mode fs.FileMode, text []byte) {
		one := sha256.Sum256(text)
		h.Write([]byte(path + "\x00" + mode.String() + "\x00"))
		h.Write(one[:])
	})
	h.Sum(sum[:0])
	return sum
}

// put writes the state to where the trace was recorded, because paths are in it.
func (s *snapshot) put(t testing.TB, root string) {
	t.Helper()
	empty(t, root)
	s.each(func(path string, mode fs.FileMode, text []byte) {
		path = filepath.Join(root, path)
		err := error(nil)
		if mode.IsDir() {
			err = os.Mkdir(path, mode.Perm())
		} else if err = os.WriteFile(path, text, mode.Perm()); err == nil {
			err = os.Chmod(path, mode.Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// empty empties a folder.
func empty(t testing.TB, root string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		if err == nil {
			err = os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
