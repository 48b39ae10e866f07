//go:build unix

package control

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkFolder looks with lstat: a symbolic link under a name that we would have chosen was put there by somebody else.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder %s: %w", dir, err)
	}
	switch stat, known := info.Sys().(*syscall.Stat_t); {
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("folder %s is a symbolic link: put a real folder there, or name the one it leads to", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is no folder: move it away", dir)
	case !known || int(stat.Uid) != os.Getuid():
		return fmt.Errorf("folder %s belongs to another user: move it away", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("folder %s is open to other users (mode %04o): look at what is in it, then chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// OpenFile opens a file of ours in a folder of ours: never through a symbolic link, created for its owner only, and refused
// where it is no plain file, belongs to somebody else or is open to others.
func OpenFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o600) // O_NONBLOCK: a pipe put there must not hang us
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if err := checkFile(path, info); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkFile(path string, info os.FileInfo) error {
	stat, known := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode().Perm(); {
	case !info.Mode().IsRegular() || !known || int(stat.Uid) != os.Getuid():
		return fmt.Errorf("%s is not a file of this user alone: move it away", path)
	case mode&0o022 != 0: // somebody else may have written it
		return fmt.Errorf("%s can be changed by other users (mode %04o): look at what is in it, then chmod 600 %s", path, mode, path)
	case mode&0o077 != 0:
		return fmt.Errorf("%s can be read by other users (mode %04o): chmod 600 %s", path, mode, path)
	}
	return nil
}

// lock takes an exclusive lock that ends with the process, however it ends. It does not wait: false is "somebody has it".
func lock(f *os.File) (bool, error) {
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
