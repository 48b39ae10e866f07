package peer

import (
	"encoding/binary"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// TellSenders makes the kernel name the writer of everything that arrives (SO_PASSCRED). Set it before the socket connects or listens: a
// piece written earlier carries no sender and is refused. Accepted sockets inherit it from the listening one.
func TellSenders(_, _ string, raw syscall.RawConn) error {
	var fault error
	if err := raw.Control(func(fd uintptr) {
		fault = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
	}); err != nil {
		return err
	}
	return fault
}

// readFrom reads one piece. There is no room for files that are sent along (SCM_RIGHTS), so the kernel closes them.
func readFrom(conn *net.UnixConn, p []byte) (int, sender, error) {
	var oob [unix.SizeofCmsghdr + 16]byte // one struct ucred, padded
	n, oobn, _, _, err := conn.ReadMsgUnix(p, oob[:])
	if err != nil {
		return 0, sender{}, err
	}
	from, err := senderIn(oob[:oobn])
	return n, from, err
}

// senderIn parses the control message of unix(7) SCM_CREDENTIALS: a header (length, level, type), then pid, uid and gid.
func senderIn(oob []byte) (sender, error) {
	if len(oob) < unix.SizeofCmsghdr+unix.SizeofUcred {
		return sender{}, fmt.Errorf("%w: the kernel does not say who wrote", ErrForeignMessage)
	}
	kind := oob[unix.SizeofCmsghdr-8 : unix.SizeofCmsghdr]
	if binary.NativeEndian.Uint32(kind) != unix.SOL_SOCKET || binary.NativeEndian.Uint32(kind[4:]) != unix.SCM_CREDENTIALS {
		return sender{}, fmt.Errorf("%w: the kernel does not say who wrote", ErrForeignMessage)
	}
	body := oob[unix.SizeofCmsghdr:]
	return sender{told: true, pid: int(int32(binary.NativeEndian.Uint32(body))), uid: int(binary.NativeEndian.Uint32(body[4:]))}, nil
}
