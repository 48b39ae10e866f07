//go:build unix

package settings

import (
	"os"
	"syscall"
)

// openRegular opens regular files only. It does not block on a pipe in place of a file.
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
