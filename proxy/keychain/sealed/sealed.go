// Package sealed is a file of secrets for where the operating system has no keychain that can be used: secrets.sealed in a home, encrypted
// with the key in secrets.key beside it. Both are for this user alone.
//
// [In] names the file of a home. Read is what it holds; Change is the only way to write, one process at a time. A reader, also after a kill or
// a power cut, sees what was there before a write or after it. A file without anything in it doesn't exist, and neither does its key.
//
// A file or key that is damaged, missing, a link or open to others is an error that says what to do. It is never taken for an empty file, and
// never written over. No error has a name or value in it.
//
// The key lies beside the file. So this keeps secrets out of a backup or search that has only one of the two, and out of logs and screens; it
// does not keep them from a program of the same user. The package must not know what the values are for.
package sealed

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/disk"
)

// What a home has.
const (
	Name     = "secrets.sealed"
	keyName  = "secrets.key"
	lockName = "secrets.lock"
)

// Key finds an entry. Kinds are apart from each other.
type Key struct{ Kind, Name string }

// Entry is a value, or the note that it was deleted: one that is somewhere else must not come back in its place.
type Entry struct {
	Value string
	Gone  bool
}

// File is the file of one home. The zero File is none.
type File struct{ dir, scope string }

// In is the file of the home in folder dir. A file of another scope can't be opened.
func In(dir, scope string) File { return File{dir, scope} }

// IsZero reports whether there is no such file.
func (f File) IsZero() bool { return f.dir == "" }

// Path is where the file is, or would be.
func (f File) Path() string { return f.path(Name) }

func (f File) path(name string) string { return filepath.Join(f.dir, name) }

// Read returns what the file holds; nothing if there is no file. It doesn't wait for a writer.
func (f File) Read(ctx context.Context) (map[Key]Entry, error) {
	entries, err := f.read()
	if err == nil {
		return entries, nil
	}
	// A writer may have replaced the file and its key between our two looks. Once we have the lock, there is no writer.
	if _, there := os.Lstat(f.dir); there != nil {
		return nil, err
	}
	unlock, lockErr := f.lock(ctx)
	if lockErr != nil {
		return nil, err
	}
	defer unlock()
	return f.read()
}

// read is what the file holds now.
func (f File) read() (map[Key]Entry, error) {
	if f.IsZero() {
		return map[Key]Entry{}, nil
	}
	raw, err := f.load(Name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[Key]Entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := f.load(keyName, keySize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.broken("%s is missing", keyName)
	}
	if err != nil {
		return nil, err
	}
	return f.open(raw, key)
}

// Draft is the file while one process may change it. What it puts or drops is on the disk when the call returns.
type Draft struct {
	file    File
	entries map[Key]Entry
}

// Change calls do while no other process can change the file. It waits for one that does, see waitForOthers.
func (f File) Change(ctx context.Context, do func(*Draft) error) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return f.change(do)
}

// TryChange is Change that waits for no other process. It reports whether do was called.
func (f File) TryChange(do func(*Draft) error) (bool, error) {
	unlock, err := f.tryLock()
	if unlock == nil || err != nil {
		return false, err
	}
	defer unlock()
	return true, f.change(do)
}

func (f File) change(do func(*Draft) error) error {
	entries, err := f.read()
	if err != nil {
		return err
	}
	return do(&Draft{f, entries})
}

// Get is one entry.
func (d *Draft) Get(key Key) (Entry, bool) {
	entry, there := d.entries[key]
	return entry, there
}

// Put writes an entry, in place of one that is there.
func (d *Draft) Put(key Key, entry Entry) error {
	if old, there := d.entries[key]; there && old == entry {
		return nil
	}
	next := maps.Clone(d.entries)
	next[key] = entry
	return d.write(next)
}

// Drop removes an entry. After the last one, the file and its key are gone.
func (d *Draft) Drop(key Key) error {
	if _, there := d.entries[key]; !there {
		return nil
	}
	next := maps.Clone(d.entries)
	delete(next, key)
	return d.write(next)
}

func (d *Draft) write(next map[Key]Entry) error {
	var err error
	if len(next) == 0 {
		err = d.file.remove()
	} else {
		err = d.file.save(next)
	}
	if err == nil {
		d.entries = next
	}
	return err
}

// remove deletes the file before its key: a key without a file means nothing, a file without a key can't be opened. A killed writer may have
// left a draft of either.
func (f File) remove() error {
	for _, name := range []string{Name, Name + ".new", keyName + ".new", keyName} {
		if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := disk.SyncFolder(f.dir); err != nil {
			return err
		}
	}
	return nil
}

func (f File) save(next map[Key]Entry) error {
	key, err := f.key()
	if err != nil {
		return err
	}
	raw, err := f.seal(next, key)
	if err != nil {
		return err
	}
	return disk.WriteWhole(f.Path(), raw)
}
