//go:build unix

package clientconfig

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writable checks the mode first: because the file is replaced rather than written, a read-only file would look writable to root or to the
// folder's owner.
func writable(target string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return ErrReadOnly
	}
	for _, path := range []string{target, filepath.Dir(target)} {
		if err := unix.Access(path, unix.W_OK); errors.Is(err, unix.EACCES) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.EPERM) {
			return ErrReadOnly
		}
	}
	return nil
}

func full(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}
