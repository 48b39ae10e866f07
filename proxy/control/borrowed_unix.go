//go:build unix

package control

import (
	"strings"

	"golang.org/x/sys/unix"
)

// journal is where a service's output goes under systemd: the one named socket that a program may be given to print to.
const journal = "/run/systemd/journal/stdout"

// Borrowed reports whether one of this process's standard streams is a connection over a named socket, like a hub's. Anything such a
// process prints could be taken for its messages to the hub, or for the hub's own, and a program that prints logs prints server text: so it
// must end without printing.
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

// nameOf is the path that a socket is bound to, "" if it has none.
func nameOf(addr unix.Sockaddr) string {
	if at, ok := addr.(*unix.SockaddrUnix); ok && !strings.HasPrefix(at.Name, "@") {
		return at.Name
	}
	return ""
}
