package sealed

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// hold locks the first byte of an empty file, which nobody reads. disk.Lock is the hub's, and does nothing here yet.
func hold(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, fmt.Errorf("lock %s: %w", file.Name(), err)
}
