package removal

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrNotHere: the user's number has no place in this system (a container that knows few users), so nothing here is theirs.
var ErrNotHere = errors.New("no such user here")

// Become makes this process, run by root, one of the user below a root folder, for good: every thread of it.
func Become(u User, root string) error {
	if root != "/" {
		if err := syscall.Chroot(root); err != nil {
			return fmt.Errorf("enter %s: %w", root, err)
		}
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	failed := syscall.Setgroups(u.Groups)
	if errors.Is(failed, syscall.EINVAL) { // a group that this system doesn't know; a file of it keeps its wrapper and is named
		failed = syscall.Setgroups(nil)
	}
	if u.UID == os.Getuid() {
		failed = nil // a container may forbid it; nothing is gained by root's own groups
	}
	for _, become := range []func() error{
		func() error { return syscall.Setresgid(u.GID, u.GID, u.GID) },
		func() error { return syscall.Setresuid(u.UID, u.UID, u.UID) },
	} {
		err := become()
		if errors.Is(err, syscall.EINVAL) {
			return ErrNotHere
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return fmt.Errorf("act as user %d: %w", u.UID, failed)
	}
	if os.Getuid() != u.UID || os.Geteuid() != u.UID || os.Getegid() != u.GID || u.UID != 0 && syscall.Setuid(0) == nil {
		return errors.New("this process still has rights of root, so it opens no file")
	}
	syscall.Umask(0o077)
	return nil
}
