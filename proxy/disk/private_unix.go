//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckFolder refuses a folder that is not this user's alone. It uses lstat: if a name that we chose is a symbolic link, somebody else put
// it there.
func CheckFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder %s: %w", dir, err)
	}
	switch mode := info.Mode().Perm(); {
	case info.Mode()&os.ModeSymlink != 0:
		return refuse("folder %s is a symbolic link: put a real folder there, or name the one it leads to", dir)
	case !info.IsDir():
		return refuse("%s is not a folder: move it away", dir)
	case !ours(info):
		return refuse("folder %s belongs to another user: move it away", dir)
	case mode&0o077 != 0:
		return refuse("folder %s is open to other users (mode %04o): look at what is in it, then chmod 700 %s", dir, mode, dir)
	}
	return nil
}

// Open opens a file of ours in a folder of ours: never through a symbolic link, created for its owner only, and refused if it is not a
// plain file, belongs to somebody else or is open to others.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o600) // O_NONBLOCK: a pipe put there must not hang us
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkFile(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkFile(path string, info fs.FileInfo) error {
	switch mode := info.Mode().Perm(); {
	case !info.Mode().IsRegular() || !ours(info):
		return refuse("%s is not a file of this user alone: move it away", path)
	case mode&0o022 != 0: // somebody else may have written it
		return refuse("%s can be changed by other users (mode %04o): look at what is in it, then chmod 600 %s", path, mode, path)
	case mode&0o077 != 0:
		return refuse("%s can be read by other users (mode %04o): chmod 600 %s", path, mode, path)
	}
	return nil
}

func ours(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Getuid()
}

// Lock takes an exclusive lock that ends with the process, however it ends. It does not wait: false means that somebody else has it.
func Lock(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return false, nil
		default:
			return false, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

// Unlock releases a lock. Closing the file does not, if a memory map of it is left.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// SyncFolder makes created, renamed and removed names in a folder survive a power cut. It ignores a file system that can't sync folders,
// and a folder that we can write but not read.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); !errors.Is(err, unix.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// keepOwner gives the new file the owner of the old one. If we can't, nothing is replaced: with another owner, its program might no longer
// be able to read the file.
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
