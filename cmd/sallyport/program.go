package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
		return "", fmt.Errorf("%s was moved or replaced while it ran; call it again", path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if why := passing(path, target, os.TempDir(), os.Getenv("SALLYPORT_HOME") != ""); why != "" {
		return "", fmt.Errorf("%s %s, and a client keeps the path: install the program where it stays (sudo install %s /usr/local/bin/sallyport) and call that one",
			path, why, filepath.Base(path))
	}
	return path, nil
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

// goRun says whether a folder is one where `go run` and `go test` build: the file is gone when they end.
func goRun(folder string) bool {
	number, ok := strings.CutPrefix(folder, "go-build")
	return ok && strings.Trim(number, "0123456789") == ""
}

// passing says why a path will not be there tomorrow, "" where nothing speaks against it. A home that was named
// (SALLYPORT_HOME) is an installation of its own and may lie in the temporary folder, with its program.
func passing(path, target, temporary string, ownHome bool) string {
	for _, p := range []string{path, target} {
		parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
		switch {
		case slices.ContainsFunc(parts[:max(len(parts)-1, 0)], goRun):
			return "was built by go run, which removes it again"
		case slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, ".mount_") }):
			return "lies in a disk image that is only mounted while it runs"
		case slices.Contains(parts, "AppTranslocation"), strings.HasPrefix(p, "/Volumes/"):
			return "lies in a disk image, or was not moved to a folder of programs yet"
		case strings.HasPrefix(p, "/proc/"), strings.HasPrefix(p, "/dev/"):
			return "is no file that stays"
		case !ownHome && (below(p, temporary) || below(p, "/tmp") || below(p, "/var/tmp")):
			return "lies in the temporary folder"
		}
	}
	return ""
}

// below says whether path lies in folder, taken as they are written and with links followed.
func below(path, folder string) bool {
	for _, dir := range []string{folder, resolved(folder)} {
		if holds(dir, path) {
			return true
		}
	}
	return false
}

// holds says whether path is dir or lies in it, taken as they are written.
func holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
