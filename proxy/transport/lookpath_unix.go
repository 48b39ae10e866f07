//go:build !windows

package transport

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// defaultPath is what execvp searches where the environment has no PATH at all.
const defaultPath = "/bin:/usr/bin"

// resolve finds the file that name means to a server with this environment: a name with a slash is a path (from dir), any
// other is searched in the server's own PATH. A hit in a relative PATH element is refused, as os/exec refuses it: the
// current folder of a client is no place to take programs from.
func resolve(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path, set := lookup(env, "PATH")
	if !set {
		path = defaultPath
	}
	found := ""
	for _, folder := range filepath.SplitList(path) {
		candidate := filepath.Join(folder, name)
		info, err := os.Stat(fromDir(candidate, dir))
		if err != nil || info.IsDir() {
			continue
		}
		if !runnable(fromDir(candidate, dir)) {
			if found == "" {
				found = candidate
			}
			continue
		}
		if !filepath.IsAbs(candidate) {
			return "", &StartError{name, "PATH finds it only in a relative folder, which is refused: give its full path"}
		}
		return candidate, nil
	}
	if found != "" {
		return "", &StartError{name, "permission denied: " + strconv.QuoteToGraphic(found) + " is not executable"}
	}
	return "", &StartError{name, "not found in PATH: install it, or give its full path"}
}

// explain puts the errno of a failed exec into words. The kernel says "no such file" for a missing interpreter too, and
// "permission denied" for a folder.
func explain(name, path, dir string, errno syscall.Errno) error {
	full := fromDir(path, dir)
	info, err := os.Stat(full)
	reason := errno.Error()
	switch {
	case errno == syscall.ENOENT && err != nil:
		reason = "no such file: install it, or correct the path"
	case err != nil:
	case info.IsDir():
		reason = "it is a folder, not a program"
	case errno == syscall.EACCES && !runnable(full):
		reason = "permission denied: the file is not executable"
	case errno == syscall.ENOEXEC:
		reason = "not a program for this machine (exec format error)"
	case errno == syscall.E2BIG:
		reason = "its arguments and environment are too long for this system"
	case errno == syscall.ENOENT, errno == syscall.EACCES, errno == syscall.ENOTDIR, errno == syscall.ELOOP:
		if words := shebang(full); len(words) > 0 {
			reason = "its interpreter " + strconv.QuoteToGraphic(words[0]) + ": " + errno.Error()
		} else if errno == syscall.ENOENT {
			reason = "the program loader it needs is not installed"
		}
	}
	return &StartError{name, reason}
}

// shebang are the words of a script's first line, the interpreter first, none for any other file; 256 bytes is all the kernel
// looks at.
func shebang(path string) []string {
	line, _, _ := bytes.Cut(firstBytes(path), []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	return strings.Fields(string(rest))
}

// forShell says whether execvp would hand the file to /bin/sh: no format the kernel knows, and no binary either.
func forShell(path string) bool {
	return bytes.IndexByte(firstBytes(path), 0) < 0
}

func firstBytes(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return []byte{0}
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	return head[:n]
}

func fromDir(path, dir string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// runnable asks the kernel, not the mode bits: access lists and read-only mounts count.
func runnable(path string) bool {
	const xOK = 1
	return syscall.Access(path, xOK) == nil
}
