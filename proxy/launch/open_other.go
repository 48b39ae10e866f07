//go:build !unix

package launch

import (
	"os"

	"github.com/sallyport/sallyport/proxy/pin"
)

func openFile(path string) (*os.File, error) { return os.Open(path) }

// stat gives no change time, so no file counts as unchanged: files are read at each start.
func stat(path string) (pin.FileStamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return pin.FileStamp{}, err
	}
	if !info.Mode().IsRegular() {
		return pin.FileStamp{}, errNoFile
	}
	return pin.FileStamp{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano()}, nil
}
