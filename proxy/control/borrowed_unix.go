//go:build unix

package control

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Borrowed says whether one of this process's standard streams is a hub's socket. What such a process prints would be taken for what it says
// to the hub, and a wrapper prints what its server does: it has to end, and print nothing.
func Borrowed() bool {
	for fd := range 3 {
		for _, name := range []func(int) (unix.Sockaddr, error){unix.Getsockname, unix.Getpeername} {
			addr, err := name(fd)
			if err != nil {
				continue // no socket, or nobody at its other end
			}
			// By name and not by home: which home this process looks for is up to whoever started it.
			at, ok := addr.(*unix.SockaddrUnix)
			if ok && (filepath.Base(at.Name) == socketName || filepath.Base(filepath.Dir(at.Name)) == filepath.Base(shortFolder()) && filepath.Ext(at.Name) == ".sock") {
				return true
			}
		}
	}
	return false
}
