//go:build unix

package settings

import (
	"os"
	"syscall"
)

// openRegular opens a file, and nothing else. It does not wait for the other end of a pipe that stands where a file should.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNoFile
	}
	return f, nil
}
