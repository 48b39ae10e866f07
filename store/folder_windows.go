package store

import (
	"fmt"
	"os"
)

// checkFolder makes the folder where there is none and refuses a link. The profile folder's access list, which the folder
// inherits, keeps other users out.
func checkFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("data folder %s: %w: it is a link or a file", dir, ErrFolder)
	}
	return nil
}

// openPrivate opens a regular file, never through a link.
func openPrivate(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it must be a plain file", path, ErrFolder)
	}
	return os.OpenFile(path, flag, 0o600)
}

// syncFolder: a rename on NTFS is journalled; a folder cannot be synced.
func syncFolder(string) error { return nil }

// unlock: the lock ends with the handle.
func unlock(*os.File) {}

// abandon gives the lock back, which here takes the file.
func abandon(f *os.File, _ bool) error { return f.Close() }
