package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/disk"
)

var (
	// ErrChanged: the file is no longer what was read. Nothing was written; read it again.
	ErrChanged = errors.New("the file changed since it was read; nothing was written, try again")

	// ErrOverwritten: another program wrote the file right after us.
	ErrOverwritten = errors.New("another program wrote it at the same time")

	// ErrReadOnly: the file or its folder can't be written. Nothing was written.
	ErrReadOnly = errors.New("the file is read-only; nothing was written, make it writable and try again")
)

// Write replaces a client's file, which contained was when it was read, with now, after a backup of was. A symbolic link stays and its
// target is replaced; mode and owner stay. On any error the file is unchanged, except for one that the error names: the new content could
// not be read back.
func Write(path string, was, now []byte, backups *Backups) (Backup, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Backup{}, writing(path, err)
	}
	info, err := unchanged(target, was)
	if err != nil {
		return Backup{}, writing(path, err)
	}
	if err := writable(target, info); err != nil {
		return Backup{}, writing(path, err)
	}
	if err := backups.make(); err != nil {
		return Backup{}, fmt.Errorf("couldn't back up %s: %w; nothing was changed", path, plain(err))
	}
	unlock, err := backups.lock()
	if err != nil {
		return Backup{}, fmt.Errorf("couldn't back up %s: %w; nothing was changed", path, plain(err))
	}
	defer unlock()
	kept, err := backups.Keep(path, was)
	if err != nil {
		return Backup{}, fmt.Errorf("couldn't back up %s: %w; nothing was changed", path, plain(err))
	}
	if err := replace(target, info, was, now); err != nil {
		return kept, writing(path, err)
	}
	if written, err := Read(target); err != nil || !bytes.Equal(written, now) {
		return kept, fmt.Errorf("%s changed while Sallyport wrote it: %w; the version before is backup %s", path, ErrOverwritten, kept.ID)
	}
	return kept, nil
}

// unchanged reads the file again and compares it with what was read.
func unchanged(target string, was []byte) (fs.FileInfo, error) {
	raw, info, err := read(target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(raw, was) {
		return nil, ErrChanged
	}
	return info, err
}

// replace writes a new file next to the old one and moves it over it. A reader sees the old text or the new one.
func replace(target string, info fs.FileInfo, was, now []byte) error {
	return disk.Replace(target, info, now, func(fresh string) error {
		_, err := unchanged(target, was)
		if err == nil {
			err = putInPlace(fresh, target, was, now)
		}
		if err != nil && !errors.As(err, new(*strandedError)) {
			os.Remove(fresh)
		}
		return err
	})
}

// putInPlace exchanges the new file with the old one and checks the old one: if another program wrote after the last look, its text is
// there, and is put back. If files can't be exchanged, the new one is renamed over the old one, and a write in the instant since the last
// look is lost.
func putInPlace(fresh, target string, was, now []byte) error {
	err := disk.Swap(fresh, target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return os.Rename(fresh, target)
	case errors.Is(err, fs.ErrNotExist):
		return ErrChanged
	case err != nil:
		return err
	}
	if old, err := Read(fresh); err == nil && bytes.Equal(old, was) {
		os.Remove(fresh) // if removing fails, the file is still written
		return nil
	}
	// Once to give it back; a second time only if it was written again meanwhile.
	for range 2 {
		if err := disk.Swap(fresh, target); err != nil {
			return &strandedError{fresh, err}
		}
		if out, err := Read(fresh); err == nil && bytes.Equal(out, now) {
			return ErrChanged
		}
	}
	return ErrChanged
}

// A strandedError means that another program's text could not be put back.
type strandedError struct {
	path string
	err  error
}

func (e *strandedError) Error() string {
	return fmt.Sprintf("%v; the version another program wrote at the same time is in %s", e.err, e.path)
}

func writing(path string, err error) error {
	switch {
	case errors.Is(err, ErrChanged), errors.Is(err, ErrReadOnly):
		return fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", path, ErrReadOnly)
	case errors.As(err, new(*strandedError)):
		return fmt.Errorf("write %s: %w", path, err)
	case full(err):
		return fmt.Errorf("%s: the disk is full; nothing was changed, free some space and try again", path)
	}
	return fmt.Errorf("write %s: %w; nothing was changed", path, plain(err))
}

// plain drops the path of a temporary file, which means nothing to a person.
func plain(err error) error {
	var where *fs.PathError
	var both *os.LinkError
	switch {
	case errors.As(err, &where):
		return where.Err
	case errors.As(err, &both):
		return both.Err
	}
	return err
}

// Read returns a client's whole file. Its error wraps fs.ErrNotExist or fs.ErrPermission if applicable.
func Read(path string) ([]byte, error) {
	raw, _, err := read(path)
	return raw, err
}

func read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait for its writer
	if err != nil {
		if _, link := os.Lstat(path); link == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s is a link to a file that doesn't exist", path)
		}
		return nil, nil, reading(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, reading(path, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, nil, reading(path, err)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, reading(path, err)
	}
	if len(raw) > maxFile {
		return nil, nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	return raw, info, nil
}

func reading(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("no permission to read %s (%w); allow Sallyport to read it", path, fs.ErrPermission)
	}
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return fmt.Errorf("read %s: %w", path, err)
}
