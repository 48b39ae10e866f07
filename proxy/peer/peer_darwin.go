package peer

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/proc"
)

// Compiled, but not run so far. macOS has no pidfd: what is read about a pid is about the process that has it now. The executable is
// identified by the path it was started from, so a file swapped after the start passes for the running one.

func CredentialsOf(c *net.UnixConn) (Credentials, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Credentials{}, err
	}
	var (
		cred  *unix.Xucred
		pid   int
		fault error
	)
	err = raw.Control(func(fd uintptr) {
		if cred, fault = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); fault != nil {
			return
		}
		pid, fault = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err == nil {
		err = fault
	}
	if err == nil && pid <= 0 {
		err = unix.ESRCH
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("%w: the kernel does not say what it is: %w", ErrForeign, err)
	}
	return Credentials{
		PID:     pid,
		UID:     int(cred.Uid),
		Alive:   func() bool { return unix.Kill(pid, 0) == nil },
		Release: func() {},
	}, nil
}

func selfExecutable() (os.FileInfo, error) { return proc.Executable(os.Getpid()) }
