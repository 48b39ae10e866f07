//go:build unix

package launch

import (
	"os"
	"syscall"
)

// openFile does not wait for the other end of a pipe that stands where a file should.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
