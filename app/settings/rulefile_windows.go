package settings

import "os"

// openRegular opens a file, and nothing else: what it is, is asked before, because to open a device may do something.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	return os.Open(path)
}
