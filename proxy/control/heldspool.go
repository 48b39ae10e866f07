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

// heldSuffix is the suffix of the file of a held response that no hub has acknowledged. The file is written before the client hears
// that the response is held, and removed when a hub has stored it.
const heldSuffix = ".held"

// heldFile is the content of such a file: one JSON value.
type heldFile struct {
	Spool    int      `json:"spool"`
	Register Register `json:"register"`
	Held     Held     `json:"held"`
	Sealed   []byte   `json:"sealed,omitempty"` // the request and the server's command
}

// heldSpool keeps one wrapper's held responses that no hub has, each in a file that is locked while the wrapper lives. Its only
// caller is Link, which holds a lock.
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

// add spools one durably, sealed if there is a key.
func (s *heldSpool) add(h Held, key *SpoolKey) (err error) {
	if err := disk.CheckFolder(filepath.Dir(s.dir)); err != nil {
		return err // don't recreate a home that was removed
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

// first returns the oldest, nil if there is none.
func (s *heldSpool) first() *spooledHeld {
	if len(s.files) == 0 {
		return nil
	}
	return &s.files[0]
}

// sent removes one that a hub has stored.
func (s *heldSpool) sent(id string) { s.drop(id, os.Remove) }

// aside keeps one under a name that no hub reads.
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

// close releases the locks, so that a hub finds what is left.
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

// ReadHeld delivers the held responses that dead wrappers left in dir; it is to ReadSpool what Hold is to Records. take must return nil
// only when the response is durable; its file is then removed. The hub may get one that it already has, which it can tell by the ID.
func ReadHeld(dir string, keys Keys, take func(from Register, h Held) error) error {
	// If a file is unfinished, its client has not heard of the hold.
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
