package control

import (
	"bytes"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Compiled, not run so far. macOS has no pidfd: what is read about a pid is about the process that has it now, and the
// executable is known by the path it was started from, so a file swapped after the start passes for the one that runs.

func credentialsOf(c *net.UnixConn) (credentials, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return credentials{}, err
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
		return credentials{}, fmt.Errorf("%w: the kernel does not say what it is: %w", ErrForeign, err)
	}
	return credentials{
		pid:     pid,
		uid:     int(cred.Uid),
		alive:   func() bool { return unix.Kill(pid, 0) == nil },
		release: func() {},
	}, nil
}

// procargs splits kern.procargs2: the count of arguments, the path of the executable, zeros, then the arguments.
func procargs(pid int) (path string, argv []string, err error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, err
	}
	if len(raw) < 4 {
		return "", nil, unix.EIO
	}
	argc := int(raw[0]) | int(raw[1])<<8 | int(raw[2])<<16 | int(raw[3])<<24
	exe, rest, ended := bytes.Cut(raw[4:], []byte{0})
	if !ended {
		return "", nil, unix.EIO
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for range argc {
		arg, after, ended := bytes.Cut(rest, []byte{0})
		if !ended {
			return "", nil, unix.EIO
		}
		argv, rest = append(argv, string(arg)), after
	}
	return string(exe), argv, nil
}

func executableOf(pid int) (os.FileInfo, error) {
	path, _, err := procargs(pid)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

func selfExecutable() (os.FileInfo, error) { return executableOf(os.Getpid()) }
