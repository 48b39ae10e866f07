package control

import (
	"errors"
	"path/filepath"
)

// maxSocketPath is sun_path (104 bytes) less its final zero.
const maxSocketPath = 103

func platformHome(getenv func(string) string) (Home, error) {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return Home{}, errors.New("find the home: HOME is not set: set it, or SALLYPORT_HOME")
	}
	dir := filepath.Join(home, "Library", "Application Support", "Sallyport")
	return homeIn(dir, dir, dir), nil
}
