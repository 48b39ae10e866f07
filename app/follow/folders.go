package follow

import (
	"os"
	"path/filepath"
	"strings"
)

// LeadsTo reports whether an event on name can matter to the file at path: it is the file, or a folder above it.
func LeadsTo(name, path string) bool {
	return name == path || strings.HasPrefix(path, strings.TrimSuffix(name, string(filepath.Separator))+string(filepath.Separator))
}

// Nearest is a folder, or the nearest existing one above it.
func Nearest(folder string) string {
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}
