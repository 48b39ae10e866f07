package control

import (
	"errors"
	"fmt"
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// ErrForeign: what is at the other end is not a program of this installation. Nothing it says counts.
var ErrForeign = errors.New("the other end of the socket is not a program of this installation")

// errUnseen: the kernel does not show what the process runs, for it is dying or is not ours to look at.
var errUnseen = errors.New("what it runs cannot be looked at")

// installation is the set of executables that may speak on the socket: files, held open, so that neither a path that now
// leads elsewhere nor a reused inode can pass for one.
type installation struct {
	files []os.FileInfo
	open  []*os.File
}

// ourInstallation is this executable and the ones named. One that is not there is left out.
func ourInstallation(executables []string) (*installation, error) {
	self, err := selfExecutable()
	if err != nil {
		return nil, fmt.Errorf("look at our own executable: %w", err)
	}
	in := &installation{files: []os.FileInfo{self}}
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

func (in *installation) holds(file os.FileInfo) bool {
	for _, ours := range in.files {
		if os.SameFile(ours, file) {
			return true
		}
	}
	return false
}

func (in *installation) close() {
	for _, f := range in.open {
		f.Close()
	}
}

// credentials are what the kernel says about the other end, at the moment it connected or listened.
type credentials struct {
	pid, uid int
	alive    func() bool // the process that pid named then still lives, so that what was read about pid is about it
	release  func()
}

// prove refuses any other end than a living process of this user that runs an executable of this installation, and says which file that is.
func (in *installation) prove(c credentials) (os.FileInfo, error) {
	if c.uid != os.Getuid() {
		return nil, fmt.Errorf("%w: it belongs to user %d", ErrForeign, c.uid)
	}
	file, err := proc.Executable(c.pid)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, errUnseen, c.pid)
	}
	if !in.holds(file) {
		return nil, fmt.Errorf("%w: process %d runs another executable (after an update, restart Claude)", ErrForeign, c.pid)
	}
	if !c.alive() {
		return nil, fmt.Errorf("%w: process %d is gone", ErrForeign, c.pid)
	}
	return file, nil
}

// proveHub is prove for what answers as the hub. One that a wrapped server started is none: who starts a program can look into it and change
// what it says. A wrapper is none either: what its server says on stderr it passes on, wherever that leads.
func (in *installation) proveHub(c credentials) (os.FileInfo, error) {
	file, err := in.prove(c)
	if err != nil {
		return nil, err
	}
	less, err := below(c.pid)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, errUnseen, c.pid)
	case less:
		return nil, fmt.Errorf("%w: a wrapped server seems to have started process %d, for its limit on file locks is lower than ours: end it", ErrForeign, c.pid)
	case in.looksLikeWrapper(c.pid):
		if _, err := proc.Executable(c.pid); err != nil { // it is dying, and its arguments went first
			return nil, fmt.Errorf("%w: %w: process %d", ErrForeign, errUnseen, c.pid)
		}
		return nil, fmt.Errorf("%w: process %d is a wrapper", ErrForeign, c.pid)
	case !c.alive():
		return nil, fmt.Errorf("%w: process %d is gone", ErrForeign, c.pid)
	}
	return file, nil
}
