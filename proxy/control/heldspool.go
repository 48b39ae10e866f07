package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sallyport/sallyport/proxy/disk"
)

// heldSuffix is how the file of a held answer ends that no hub has acknowledged. It is written before the client hears that
// the answer was held, and goes when a hub has stored it.
const heldSuffix = ".held"

// heldFile is such a file: one JSON value.
type heldFile struct {
	Spool    int      `json:"spool"`
	Register Register `json:"register"`
	Held     Held     `json:"held"`
	Sealed   []byte   `json:"sealed,omitempty"` // what was asked, and the server's command
}

// heldSpool keeps the held answers of one wrapper that no hub has, each in a file that is locked while the wrapper lives.
// Its one caller is Link, which holds a lock.
type heldSpool struct {
	dir      string
	register Register
	files    []spooledHeld
}

type spooledHeld struct {
	f    *os.File
	path string
	id   string
	key  *SpoolKey
}

// add writes one down, durably, under a key where there is one.
func (s *heldSpool) add(h Held, key *SpoolKey) (err error) {
	if err := disk.CheckFolder(filepath.Dir(s.dir)); err != nil {
		return err // a home that was removed is not made again
	}
	if err := disk.OwnFolder(s.dir); err != nil {
		return err
	}
	file := heldFile{Spool: 1, Register: s.register, Held: h}
	if file.Sealed, err = key.seal(&file.Register, &file.Held); err != nil {
		return err
	}
	encoded, err := encode(file)
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, h.ID+heldSuffix)
	d, err := lockedDraft(path)
	if err != nil {
		return fmt.Errorf("keep a held response: %w", err)
	}
	if _, err = d.Write(encoded); err == nil {
		err = d.Place()
	}
	if err != nil {
		d.Drop()
		return fmt.Errorf("keep a held response: %w", err)
	}
	s.files = append(s.files, spooledHeld{d.File, path, h.ID, key})
	return nil
}

// first is the oldest of them, nil where there is none.
func (s *heldSpool) first() *spooledHeld {
	if len(s.files) == 0 {
		return nil
	}
	return &s.files[0]
}

// sent removes one that a hub has stored.
func (s *heldSpool) sent(id string) { s.drop(id, os.Remove) }

// aside leaves one where it is, under a name that nobody reads.
func (s *heldSpool) aside(id string) {
	s.drop(id, func(path string) error { return os.Rename(path, path+".refused") })
}

func (s *heldSpool) drop(id string, dispose func(path string) error) {
	s.files = slices.DeleteFunc(s.files, func(one spooledHeld) bool {
		if one.id != id {
			return false
		}
		_ = dispose(one.path)
		one.f.Close()
		return true
	})
}

// close gives the locks back: a hub finds what is left.
func (s *heldSpool) close() {
	for _, one := range s.files {
		one.f.Close()
	}
	s.files = nil
}

func readHeld(f *os.File, keys Keys, into *heldFile) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxLineToHub))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(bytes.TrimSpace(raw), into); err != nil || into.Spool != 1 {
		return errors.Join(err, errors.New("not a held response: move it away"))
	}
	unseal(into.Sealed, keys, &into.Register, &into.Held)
	return nil
}

// ReadHeld delivers the held answers that wrappers which died left in dir; it is to ReadSpool what Hold is to Records. take
// returns nil only when the answer is durable; its file is removed then. One may be delivered that the hub has: its ID tells.
func ReadHeld(dir string, keys Keys, take func(from Register, h Held) error) error {
	// Of one that was not finished the client was not told yet.
	return eachOrphan(dir, heldSuffix, func(path string) error { return takeHeld(path, keys, take) })
}

func takeHeld(path string, keys Keys, take func(Register, Held) error) error {
	f, err := openOrphan(path)
	if f == nil {
		return err
	}
	defer f.Close()
	var file heldFile
	if err := readHeld(f, keys, &file); err != nil {
		return err
	}
	if err := take(file.Register, file.Held); err != nil {
		return err
	}
	return os.Remove(path)
}
