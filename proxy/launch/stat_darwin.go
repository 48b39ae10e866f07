package launch

import (
	"os"
	"syscall"

	"github.com/sallyport/sallyport/proxy/pin"
)

func stat(path string) (pin.FileStamp, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return pin.FileStamp{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if s.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return pin.FileStamp{}, errNoFile
	}
	return pin.FileStamp{Path: path, Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, MTime: s.Mtimespec.Nano(), CTime: s.Ctimespec.Nano()}, nil
}
