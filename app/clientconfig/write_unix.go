//go:build unix

package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepOwner gives the new file the owner of the old one. Where that is not ours to give, the file is left alone: a
// client's file that changes hands may be one that the client cannot read any more.
func keepOwner(file *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return file.Chown(int(was.Uid), int(was.Gid))
}

// writable asks the mode first: to root, and to whoever owns the folder, a file that a person made read-only would look
// writable, since it is replaced and not written.
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

// syncFolder makes a rename durable. Its failure loses nothing: after a power cut the old file stands there.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		folder.Sync()
		folder.Close()
	}
}
