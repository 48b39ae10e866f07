package clientconfig

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// keepOwner has nothing to do: a new file takes its access list from the folder, as the client's own does.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func writable(_ string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o200 == 0 {
		return ErrReadOnly
	}
	return nil
}

func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func syncFolder(string) {}
