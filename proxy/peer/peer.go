package peer

import (
	"errors"
	"fmt"
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// ErrForeign: the other end is not a program of this installation. Ignore what it says.
var ErrForeign = errors.New("the other end of the socket is not a program of this installation")

// ErrUnseen: the kernel does not show what the process runs, because it is ending or belongs to someone else.
var ErrUnseen = errors.New("what it runs cannot be looked at")

// Installation is the set of executables that may speak on the socket. The files are held open, so that neither a path that now leads
// elsewhere nor a reused inode can pass for one.
type Installation struct {
	files []os.FileInfo
	open  []*os.File
}

// OurInstallation is this executable and the ones named, as far as they exist.
func OurInstallation(executables []string) (*Installation, error) {
	self, err := selfExecutable()
	if err != nil {
		return nil, fmt.Errorf("look at our own executable: %w", err)
	}
	in := &Installation{files: []os.FileInfo{self}}
	for _, path := range executables {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() {
			f.Close()
			continue
		}
		in.files, in.open = append(in.files, info), append(in.open, f)
	}
	return in, nil
}

func (in *Installation) holds(file os.FileInfo) bool {
	for _, ours := range in.files {
		if os.SameFile(ours, file) {
			return true
		}
	}
	return false
}

func (in *Installation) Close() {
	for _, f := range in.open {
		f.Close()
	}
}

// Credentials are what the kernel says about the other end, at the time it connected or listened.
type Credentials struct {
	PID, UID int
	Alive    func() bool // the process of that time is still alive, so what was read about pid is about it
	Release  func()
}

// Prove refuses everything but a living process of this user that runs an executable of this installation, and returns that file.
func (in *Installation) Prove(c Credentials) (os.FileInfo, error) {
	if c.UID != os.Getuid() {
		return nil, fmt.Errorf("%w: it belongs to user %d", ErrForeign, c.UID)
	}
	file, err := proc.Executable(c.PID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, ErrUnseen, c.PID)
	}
	if !in.holds(file) {
		return nil, fmt.Errorf("%w: process %d runs another executable (after an update, restart Claude)", ErrForeign, c.PID)
	}
	if !c.Alive() {
		return nil, fmt.Errorf("%w: process %d is gone", ErrForeign, c.PID)
	}
	return file, nil
}

// ProveHub is Prove for the process that answers as the hub. It refuses one that a wrapped server started, because its parent can look into
// it and change what it says, and a wrapper, because a wrapper forwards what its server says on stderr.
func (in *Installation) ProveHub(c Credentials) (os.FileInfo, error) {
	file, err := in.Prove(c)
	if err != nil {
		return nil, err
	}
	less, err := below(c.PID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, ErrUnseen, c.PID)
	case less:
		return nil, fmt.Errorf("%w: a wrapped server seems to have started process %d, for its limit on file locks is lower than ours: end it", ErrForeign, c.PID)
	case in.looksLikeWrapper(c.PID):
		if _, err := proc.Executable(c.PID); err != nil { // it is ending, and its arguments went first
			return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, ErrUnseen, c.PID)
		}
		return nil, fmt.Errorf("%w: process %d is a wrapper", ErrForeign, c.PID)
	case !c.Alive():
		return nil, fmt.Errorf("%w: process %d is gone", ErrForeign, c.PID)
	}
	return file, nil
}
