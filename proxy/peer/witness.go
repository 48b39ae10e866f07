package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// A Witness watches the other end of a connection after its proof. The proof tells who called connect or listen, but a socket can be shared
// with a child or inherited through exec. So the sender of every piece is compared, if the kernel tells it, and the executable behind every
// message is checked again.
type Witness struct {
	Conn *net.UnixConn
	Cred Credentials
	File os.FileInfo // what it ran at the proof
}

// ErrForeignMessage: another process than the proved one wrote on its connection.
var ErrForeignMessage = fmt.Errorf("a foreign message: %w", ErrForeign)

// ErrEnded: the proved process has ended, so nothing can be said about what it runs. It is not a stranger.
var ErrEnded = errors.New("the process at the other end has ended")

// Read returns one piece of what the other end wrote, from one sender: the kernel never mixes two senders.
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

// Still refuses a message of a process that has ended or runs something else since the proof.
func (w *Witness) Still() error {
	file, err := proc.Executable(w.Cred.PID)
	switch {
	case !w.Cred.Alive(), errors.Is(err, fs.ErrNotExist): // the executable disappears before the process does
		return ErrEnded
	case err != nil:
		return fmt.Errorf("%w: %w: process %d", ErrForeignMessage, ErrUnseen, w.Cred.PID)
	case !os.SameFile(file, w.File):
		return fmt.Errorf("%w: process %d runs another executable than when it connected", ErrForeignMessage, w.Cred.PID)
	}
	return nil
}

// sender wrote a piece. told is false if the platform does not say.
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
