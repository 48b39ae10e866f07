package clientconfig

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
)

// How long copies are kept: the newest backupsKept of each file, and none older than backupsFor. They contain the file's secrets, so they
// are not kept for ever.
const (
	backupsKept = 20
	backupsFor  = 90 * 24 * time.Hour
)

// ErrNoBackup: no backup has this ID.
var ErrNoBackup = errors.New("no such backup; run sallyport backups to see them")

// ErrManyBackups: the IDs of several backups begin like this.
var ErrManyBackups = errors.New("several backups match; give more of the ID (see sallyport backups)")

// Backups is the folder of the copies made before each change. Next to each copy, named by time and content, is a small file that says
// where it came from.
type Backups struct {
	Dir string
	Now func() time.Time // nil: time.Now
}

// Backup is one copy.
type Backup struct {
	ID     string    `json:"id"`   // time and the first digits of the digest
	Path   string    `json:"path"` // the client's file
	Time   time.Time `json:"time"`
	SHA256 string    `json:"sha256"`
	Size   int       `json:"size"`
	File   string    `json:"file"` // name of the copy in the folder
}

const aboutSuffix = ".about.json"

// Keep copies a file's text, and removes copies that are too old or too many. If the same text of this file is kept already, that copy gets
// the new date and keeps its ID.
func (b *Backups) Keep(path string, raw []byte) (Backup, error) {
	if err := b.make(); err != nil {
		return Backup{}, err
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	before, err := b.List()
	if err != nil {
		return Backup{}, err
	}
	kept, err := b.keep(path, raw, before)
	if err != nil {
		return Backup{}, err
	}
	now := kept.Time
	left := backupsKept - 1
	for _, old := range before {
		if old.ID == kept.ID {
			continue
		}
		same := old.Path == path
		if same && left > 0 && now.Sub(old.Time) < backupsFor {
			left--
			continue
		}
		if same || now.Sub(old.Time) >= backupsFor {
			b.remove(old)
		}
	}
	return kept, nil
}

// make creates the folder if necessary.
func (b *Backups) make() error {
	if b == nil || b.Dir == "" {
		return errors.New("the folder for backups is missing")
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(b.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a folder", b.Dir)
	}
	return nil
}

func (b *Backups) keep(path string, raw []byte, before []Backup) (Backup, error) {
	sum := sha256.Sum256(raw)
	digest := hex.EncodeToString(sum[:])
	now := b.now().UTC().Truncate(time.Millisecond)
	for _, old := range before {
		if old.Path != path || old.SHA256 != digest {
			continue
		}
		if _, err := b.Text(old); err == nil {
			old.Time = now
			return old, b.describe(old)
		}
	}
	kept := Backup{Path: path, SHA256: digest, Size: len(raw)}
	for taken := true; taken; now = now.Add(time.Millisecond) {
		kept.ID, kept.Time = now.Format("20060102-150405.000")+"-"+digest[:8], now
		taken = slices.ContainsFunc(before, func(old Backup) bool { return old.ID == kept.ID })
	}
	kept.File = kept.ID + "." + filepath.Base(path)
	if err := create(filepath.Join(b.Dir, kept.File), raw); err != nil {
		return Backup{}, err
	}
	if err := b.describe(kept); err != nil {
		os.Remove(filepath.Join(b.Dir, kept.File))
		return Backup{}, err
	}
	return kept, nil
}

// describe writes the file next to a copy, whole or not at all.
func (b *Backups) describe(kept Backup) error {
	about, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return disk.WriteWhole(filepath.Join(b.Dir, kept.ID+aboutSuffix), about)
}

// List returns the copies, newest first, without those whose describing file can't be read.
func (b *Backups) List() ([]Backup, error) {
	names, err := os.ReadDir(b.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Backup
	for _, name := range names {
		if !strings.HasSuffix(name.Name(), aboutSuffix) {
			continue
		}
		raw, err := Read(filepath.Join(b.Dir, name.Name()))
		var kept Backup
		if err != nil || json.Unmarshal(raw, &kept) != nil || kept.ID+aboutSuffix != name.Name() || kept.File != filepath.Base(kept.File) {
			continue
		}
		all = append(all, kept)
	}
	slices.SortFunc(all, func(a, b Backup) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return all, nil
}

// Find returns the copy with this ID, or the only one whose ID starts with it.
func (b *Backups) Find(id string) (Backup, error) {
	all, err := b.List()
	if err != nil {
		return Backup{}, err
	}
	var found []Backup
	for _, kept := range all {
		if kept.ID == id {
			return kept, nil
		}
		if id != "" && strings.HasPrefix(kept.ID, id) {
			found = append(found, kept)
		}
	}
	switch len(found) {
	case 0:
		return Backup{}, ErrNoBackup
	case 1:
		return found[0], nil
	}
	return Backup{}, ErrManyBackups
}

// Text is the content of a copy, checked against its digest.
func (b *Backups) Text(kept Backup) ([]byte, error) {
	raw, err := Read(filepath.Join(b.Dir, kept.File))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != kept.SHA256 {
		return nil, fmt.Errorf("backup %s was changed after it was made, so it was not used", kept.ID)
	}
	return raw, nil
}

// Restore writes a copy back over its file. The current content is backed up first; a missing file is created.
func (b *Backups) Restore(id string) (Backup, error) {
	kept, err := b.Find(id)
	if err != nil {
		return Backup{}, err
	}
	raw, err := b.Text(kept)
	if err != nil {
		return Backup{}, err
	}
	was, err := Read(kept.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := create(kept.Path, raw); err != nil {
			return Backup{}, writing(kept.Path, err)
		}
		return kept, nil
	case err != nil:
		return Backup{}, err
	case bytes.Equal(was, raw):
		return kept, nil
	}
	_, err = Write(kept.Path, was, raw, b)
	return kept, err
}

func (b *Backups) now() time.Time {
	if b.Now == nil {
		return time.Now()
	}
	return b.Now()
}

func (b *Backups) remove(old Backup) {
	os.Remove(filepath.Join(b.Dir, old.File))
	os.Remove(filepath.Join(b.Dir, old.ID+aboutSuffix))
}

// create creates a file of ours that is missing or already has this text.
func create(path string, raw []byte) error {
	err := disk.WriteNew(path, raw)
	if errors.Is(err, fs.ErrExist) {
		if there, e := Read(path); e == nil && bytes.Equal(there, raw) {
			return nil
		}
	}
	return err
}
