//go:build unix

package launch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/pin"
)

// openFile does not block on a pipe in place of a file.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func stat(path string) (pin.FileStamp, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return pin.FileStamp{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG {
		return pin.FileStamp{}, errNoFile
	}
	return pin.FileStamp{Path: path, Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, MTime: s.Mtim.Nano(), CTime: s.Ctim.Nano()}, nil
}
