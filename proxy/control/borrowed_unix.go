//go:build unix

package control

import (
	"strings"

	"golang.org/x/sys/unix"
)

// journal is where a service's output goes under systemd: the one socket with a name that a program may be given to print to.
const journal = "/run/systemd/journal/stdout"

// Borrowed says whether one of this process's standard streams is a connection over a socket with a name, as a hub's is. What such a process
// prints would be taken for what it says to the hub, or as the hub, and a program that prints logs prints what a server said: it has to end,
// and print nothing. Which name does not count: that is the one it was bound under, and a socket that is renamed to a hub's keeps it.
func Borrowed() bool {
	for fd := range 3 {
		own, err := unix.Getsockname(fd)
		if err != nil {
			continue // no socket
		}
		if nameOf(own) != "" {
			return true
		}
		peer, err := unix.Getpeername(fd)
		if name := nameOf(peer); err == nil && name != "" && name != journal {
			return true
		}
	}
	return false
}

// nameOf is the path that a socket was bound under, "" for one that no path leads to.
func nameOf(addr unix.Sockaddr) string {
	if at, ok := addr.(*unix.SockaddrUnix); ok && !strings.HasPrefix(at.Name, "@") {
		return at.Name
	}
	return ""
}
