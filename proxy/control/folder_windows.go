package control

import (
	"errors"
	"fmt"
	"os"
)

// errNotYet is what Windows gets: its AF_UNIX sockets name no peer, so nothing there would prove either end. A named pipe
// with an owner-only descriptor is the way, and is not built. Only compiled so far, never run.
var errNotYet = errors.New("the hub does not run on Windows yet")

func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder %s: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder: move it away", dir)
	}
	return nil
}

// OpenFile opens a plain file of ours, never through a link. Who may read it follows from the profile folder it lies in.
func OpenFile(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file: move it away", path)
	}
	return os.OpenFile(path, flag, 0o600)
}

func lock(*os.File) (bool, error) { return false, errNotYet }
