//go:build !windows

package program

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// defaultPath is what execvp searches if the environment has no PATH.
const defaultPath = "/bin:/usr/bin"

func sameName(a, b string) bool { return a == b }

// Find finds the file that name means to a server with this environment: a name with a slash is a path (from dir), any other is searched in
// the server's own PATH. Like os/exec, it refuses a hit in a relative PATH element: programs must not come from a client's current folder.
// An error says why there is none, without the name.
func Find(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path, set := Lookup(env, "PATH")
	if !set {
		path = defaultPath
	}
	found := ""
	for _, folder := range filepath.SplitList(path) {
		candidate := filepath.Join(folder, name)
		info, err := os.Stat(FromDir(candidate, dir))
		if err != nil || info.IsDir() {
			continue
		}
		if !Runnable(FromDir(candidate, dir)) {
			if found == "" {
				found = candidate
			}
			continue
		}
		if !filepath.IsAbs(candidate) {
			return "", errRelative
		}
		return candidate, nil
	}
	if found != "" {
		return "", errors.New("permission denied: " + strconv.QuoteToGraphic(found) + " is not executable")
	}
	return "", errNotFound
}

// Shebang returns the words of a script's first line, the interpreter first; none for any other file. The kernel only reads 256 bytes.
func Shebang(path string) []string {
	line, _, _ := bytes.Cut(firstBytes(path), []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	return strings.Fields(string(rest))
}

// ForShell reports whether execvp would hand the file to /bin/sh: no format the kernel knows, and not binary.
func ForShell(path string) bool {
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

// Runnable asks the kernel, because mode bits ignore access lists and read-only mounts.
func Runnable(path string) bool {
	const xOK = 1
	return syscall.Access(path, xOK) == nil
}
