package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteWhole replaces the content of a file of ours. A reader, also after a power cut, sees the old text or the new one; once it returns
// nil, only the new one.
func WriteWhole(path string, raw []byte) error { return write(path, raw, Rename) }

// WriteNew is WriteWhole for a file that must not exist yet; else fs.ErrExist.
func WriteNew(path string, raw []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return write(path, raw, func(fresh, path string) error {
		if err := renameNew(fresh, path); err != nil {
			return err
		}
		return SyncFolder(filepath.Dir(path))
	})
}

func write(path string, raw []byte, place func(fresh, path string) error) error {
	d, err := Begin(path)
	if err != nil {
		return err
	}
	_, err = d.Write(raw)
	if err = errors.Join(err, d.Sync(), d.Close()); err == nil {
		err = place(d.Name(), path)
	}
	if err != nil {
		_ = os.Remove(d.Name()) // fails harmlessly if it is in place
	}
	return err
}

// A Draft is a file of ours that is written next to its final place. Its name ends in ".new".
type Draft struct {
	*os.File
	path string
}

// Begin creates the draft of a file, and removes one that a killed process left.
func Begin(path string) (*Draft, error) {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := Open(fresh, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return &Draft{f, path}, nil
}

// Place makes the content durable and moves it into place. The file stays open.
func (d *Draft) Place() error {
	if err := d.Sync(); err != nil {
		return err
	}
	return Rename(d.Name(), d.path)
}

// Drop discards a draft.
func (d *Draft) Drop() {
	d.Close()
	_ = os.Remove(d.Name())
}

// Rename renames within one folder, durably.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(to))
}

// Replace writes raw in place of another program's file, old: the new file gets its mode, owner and attributes. A symbolic link at path
// would be replaced; follow it first. place moves the finished file, whose name it gets, over path, or removes it and says why.
func Replace(path string, old fs.FileInfo, raw []byte, place func(fresh string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".sallyport-*.tmp") // 0600 until it has its owner
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	for _, keep := range []func() error{
		func() error { return keepOwner(f, old) },
		func() error { return f.Chmod(old.Mode().Perm()) },
		func() error { return keepAttributes(f, path) },
		f.Sync,
	} {
		if err == nil {
			err = keep()
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	if err := place(f.Name()); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// OwnFolder creates dir (and missing parents) for its owner only and durably, or checks it.
func OwnFolder(dir string) error {
	err := CheckFolder(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolder(dir); err != nil {
		return fmt.Errorf("create the folder %s: %w", dir, err)
	}
	return CheckFolder(dir)
}

func makeFolder(dir string) error {
	above := filepath.Dir(dir)
	if _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := makeFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(above)
}

// ErrNotOurs is wrapped by the error for a file or folder that is not this user's alone, or not a file or folder at all.
var ErrNotOurs = errors.New("not this user's alone")

// refusal is an ErrNotOurs that says what is wrong and what to do.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrNotOurs }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Read is the content of a file of ours, but no more than its first most bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
