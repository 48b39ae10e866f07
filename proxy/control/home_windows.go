package control

import (
	"errors"
	"path/filepath"
)

const maxSocketPath = 107

// Not %APPDATA%: Claude Desktop is an MSIX package, and what its children write there goes to a copy nobody else sees.
func platformHome(getenv func(string) string) (Home, error) {
	home := getenv("USERPROFILE")
	if !filepath.IsAbs(home) {
		return Home{}, errors.New("find the home: USERPROFILE is not set: set it, or SALLYPORT_HOME")
	}
	dir := filepath.Join(home, ".sallyport")
	return homeIn(dir, dir, dir), nil
}
