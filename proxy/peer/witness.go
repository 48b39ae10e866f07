package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// A Witness is the other end of a connection from its proof on. A proof tells who called connect or listen, and a socket can be shared with a
// child or inherited through exec: so the sender of every piece that arrives is compared, where the kernel tells it, and the executable
// behind every message is looked at again.
type Witness struct {
	Conn *net.UnixConn
	Cred Credentials
	File os.FileInfo // what it ran when it was proved
}

// ErrForeignMessage: something else than the proved process wrote on its connection.
var ErrForeignMessage = fmt.Errorf("a foreign message: %w", ErrForeign)

// ErrEnded: the process that was proved has ended, so nothing can be said about what it runs. It is no stranger.
var ErrEnded = errors.New("the process at the other end has ended")

// Read is one piece of what the other end wrote, of one sender: the kernel puts no two senders into one.
func (w *Witness) Read(p []byte) (int, error) {
	n, from, err := readFrom(w.Conn, p)
	if err != nil {
		return 0, err // n may be negative
	}
	if err := from.is(w.Cred); err != nil {
		return 0, err
	}
	return n, nil
}

// Still refuses a message of a process that has run something else since the proof, or of one that has ended.
func (w *Witness) Still() error {
	file, err := proc.Executable(w.Cred.PID)
	switch {
	case !w.Cred.Alive(), errors.Is(err, fs.ErrNotExist): // the executable is let go before the process is gone
		return ErrEnded
	case err != nil:
		return fmt.Errorf("%w: %w: process %d", ErrForeignMessage, ErrUnseen, w.Cred.PID)
	case !os.SameFile(file, w.File):
		return fmt.Errorf("%w: process %d runs another executable than when it connected", ErrForeignMessage, w.Cred.PID)
	}
	return nil
}

// sender is who wrote a piece. told is false where the platform does not say.
type sender struct {
	told     bool
	pid, uid int
}

func (s sender) is(proved Credentials) error {
	if s.told && (s.pid != proved.PID || s.uid != proved.UID) {
		return fmt.Errorf("%w: process %d wrote on the connection of process %d", ErrForeignMessage, s.pid, proved.PID)
	}
	return nil
}
