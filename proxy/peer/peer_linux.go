package peer

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// CredentialsOf asks the kernel who is at the other end: SO_PEERCRED for pid and user, and SO_PEERPIDFD (Linux 6.5) for a handle that a
// reused pid cannot take over. On older kernels the handle is opened from the pid right after; in between, the peer could end and another
// process get its number.
func CredentialsOf(c *net.UnixConn) (Credentials, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Credentials{}, err
	}
	var (
		cred  *unix.Ucred
		pidfd int
		fault error
	)
	err = raw.Control(func(fd uintptr) {
		if cred, fault = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); fault != nil {
			return
		}
		if cred.Pid <= 0 { // a process that our namespace does not see
			fault = unix.ESRCH
			return
		}
		pidfd, fault = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if fault == unix.ENOPROTOOPT {
			pidfd, fault = unix.PidfdOpen(int(cred.Pid), 0)
		}
	})
	if err == nil {
		err = fault
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("%w: the kernel does not say what it is: %w", ErrForeign, err)
	}
	handle := os.NewFile(uintptr(pidfd), "pidfd")
	return Credentials{
		PID: int(cred.Pid),
		UID: int(cred.Uid),
		Alive: func() bool {
			// A pidfd becomes readable when its process ends.
			fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
			for {
				n, err := unix.Poll(fds, 0)
				if err == unix.EINTR {
					continue
				}
				return err == nil && n == 0
			}
		},
		Release: func() { handle.Close() },
	}, nil
}

func selfExecutable() (os.FileInfo, error) { return os.Stat("/proc/self/exe") }
