package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// witness is the other end of a connection from its proof on. A proof tells who called connect or listen, and a socket can be shared with a
// child or inherited through exec: so the sender of every piece that arrives is compared, where the kernel tells it, and the executable
// behind every message is looked at again.
type witness struct {
	conn *net.UnixConn
	cred credentials
	file os.FileInfo // what it ran when it was proved
}

// errForeignMessage: something else than the proved process wrote on its connection.
var errForeignMessage = fmt.Errorf("a foreign message: %w", ErrForeign)

// errPeerEnded: the process that was proved has ended, so nothing can be said about what it runs. It is no stranger.
var errPeerEnded = errors.New("the process at the other end has ended")

// Read is one piece of what the other end wrote, of one sender: the kernel puts no two senders into one.
func (w *witness) Read(p []byte) (int, error) {
	n, from, err := readFrom(w.conn, p)
	if err != nil {
		return 0, err // n may be negative
	}
	if err := from.is(w.cred); err != nil {
		return 0, err
	}
	return n, nil
}

// still refuses a message of a process that has run something else since the proof, or of one that has ended.
func (w *witness) still() error {
	file, err := proc.Executable(w.cred.pid)
	switch {
	case !w.cred.alive(), errors.Is(err, fs.ErrNotExist): // the executable is let go before the process is gone
		return errPeerEnded
	case err != nil:
		return fmt.Errorf("%w: %w: process %d", errForeignMessage, errUnseen, w.cred.pid)
	case !os.SameFile(file, w.file):
		return fmt.Errorf("%w: process %d runs another executable than when it connected", errForeignMessage, w.cred.pid)
	}
	return nil
}

// sender is who wrote a piece. told is false where the platform does not say.
type sender struct {
	told     bool
	pid, uid int
}

func (s sender) is(proved credentials) error {
	if s.told && (s.pid != proved.pid || s.uid != proved.uid) {
		return fmt.Errorf("%w: process %d wrote on the connection of process %d", errForeignMessage, s.pid, proved.pid)
	}
	return nil
}
