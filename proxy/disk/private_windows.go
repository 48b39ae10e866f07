package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// CheckFolder refuses a link. The folder inherits the access list of the profile folder, which keeps other users out.
func CheckFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder %s: %w", dir, err)
	}
	if !info.IsDir() {
		return refuse("%s is not a folder: move it away", dir)
	}
	return nil
}

// Open opens a plain file of ours, never through a link. Access follows from the profile folder.
func Open(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, refuse("%s is not a plain file: move it away", path)
	}
	return os.OpenFile(path, flag, 0o600)
}

// Lock is used by the hub and by wrappers' spools, neither of which runs here: an AF_UNIX socket names no peer on Windows, so nothing would
// prove either end.
func Lock(*os.File) (bool, error) { return false, errors.New("the hub does not run on Windows yet") }

// Unlock: the lock ends with the handle.
func Unlock(*os.File) {}

// SyncFolder: a rename on NTFS is journalled; a folder cannot be synced.
func SyncFolder(string) error { return nil }

// keepOwner does nothing: a new file takes its access list from the folder, as the old one did.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
