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

// stableProgram is the path of this program as a client's file is to name it: absolute, and one that will still lead here
// after an update. What was called is kept as it was called, so that a symbolic link that a package manager moves stays
// one; where it does not lead to the file that runs, that file's own path is taken.
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

// calledAs is the absolute path of what was typed, "" where it cannot be told.
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

// holds says whether path is dir or lies in it, taken as they are written.
func holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
