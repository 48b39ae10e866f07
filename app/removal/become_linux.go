package removal

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

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
	for _, become := range []func() error{
		func() error { return syscall.Setgroups(u.Groups) },
		func() error { return syscall.Setresgid(u.GID, u.GID, u.GID) },
		func() error { return syscall.Setresuid(u.UID, u.UID, u.UID) },
	} {
		if err := become(); err != nil {
			return fmt.Errorf("act as user %d: %w", u.UID, err)
		}
	}
	if os.Getuid() != u.UID || os.Geteuid() != u.UID || os.Getegid() != u.GID || u.UID != 0 && syscall.Setuid(0) == nil {
		return errors.New("this process still has rights of root, so it opens no file")
	}
	syscall.Umask(0o077)
	return nil
}
