package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
)

// stableProgram is this program's path for a client's file: absolute, and still valid after an update. It keeps the path that was called,
// so that a symbolic link maintained by a package manager stays one; if that does not lead to the running file, it uses that file's own
// path.
func stableProgram() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	path := calledAs(os.Args[0])
	if !sameFile(path, running) {
		path = running
	}
	if !sameFile(path, running) {
		return "", fmt.Errorf("%s was moved or replaced while it was running; run the command again", path)
	}
	return path, clientconfig.Stays(path)
}

// calledAs is the absolute path of the typed command, "" if unknown.
func calledAs(typed string) string {
	found, err := exec.LookPath(typed)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return ""
	}
	path, err := filepath.Abs(found)
	if err != nil {
		return ""
	}
	return path
}

func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// holds reports whether path is dir or lies in it, comparing spellings.
func holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
