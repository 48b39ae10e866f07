package program

import (
	"errors"
	"path/filepath"
	"strings"
)

var (
	errRelative = errors.New("PATH finds it only in a relative folder, which is refused: give its full path")
	errNotFound = errors.New("not found in PATH: install it, or give its full path")
)

// Lookup is getenv on a list: the first entry of a name counts.
func Lookup(env []string, name string) (string, bool) {
	for _, entry := range env {
		if key, value, ok := strings.Cut(entry, "="); ok && sameName(key, name) {
			return value, true
		}
	}
	return "", false
}

// FromDir resolves path as a program in dir does.
func FromDir(path, dir string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
