//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkFolder makes the folder where there is none and refuses one that others may enter or that is not ours. Lstat: a link
// that somebody else can turn is no folder of ours.
func checkFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("data folder %s: %w: it is a link or a file", dir, ErrFolder)
	case !ours(info):
		return fmt.Errorf("data folder %s: %w: it belongs to another user", dir, ErrFolder)
	case info.Mode().Perm() != 0o700:
		return fmt.Errorf("data folder %s: %w: mode %04o, run chmod 700 on it", dir, ErrFolder, info.Mode().Perm())
	}
	return nil
}

// openPrivate opens a regular file that is ours alone, made with 0600, never through a link.
func openPrivate(path string, flag int) (*os.File, error) {
	// O_NONBLOCK: a named pipe in the file's place must not hang the hub.
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !ours(info) || info.Mode().Perm()&0o077 != 0) {
		err = fmt.Errorf("%s: %w: look who wrote it, then run chmod 600 on it", path, ErrFolder)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == uint32(os.Getuid())
}

// syncFolder makes a rename last through a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

// unlock gives the file lock back. Closing alone does not where a memory map was left behind: it keeps the open file alive.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// abandon gives the lock back, and the file where no commit is left in the middle of it.
func abandon(f *os.File, used bool) error {
	unlock(f)
	if used {
		return nil
	}
	return f.Close()
}
