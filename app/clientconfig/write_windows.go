package clientconfig

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

func writable(_ string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o200 == 0 {
		return ErrReadOnly
	}
	return nil
}

func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// lock does nothing yet: on Windows, comparing the file before the rename is the only protection against another writer.
func (b *Backups) lock() (unlock func(), err error) { return func() {}, nil }
