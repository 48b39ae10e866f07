//go:build !windows

package transport

import (
	"os"
	"strconv"
	"syscall"

	"github.com/sallyport/sallyport/proxy/program"
)

// explain describes the errno of a failed exec. The kernel says "no such file" for a missing interpreter too, and "permission denied" for a
// folder.
func explain(name, path, dir string, errno syscall.Errno) error {
	full := program.FromDir(path, dir)
	info, err := os.Stat(full)
	reason := errno.Error()
	switch {
	case errno == syscall.ENOENT && err != nil:
		reason = "no such file: install it, or correct the path"
	case err != nil:
	case info.IsDir():
		reason = "it is a folder, not a program"
	case errno == syscall.EACCES && !program.Runnable(full):
		reason = "permission denied: the file is not executable"
	case errno == syscall.ENOEXEC:
		reason = "not a program for this machine (exec format error)"
	case errno == syscall.E2BIG:
		reason = "its arguments and environment are too long for this system"
	case errno == syscall.ENOENT, errno == syscall.EACCES, errno == syscall.ENOTDIR, errno == syscall.ELOOP:
		if words := program.Shebang(full); len(words) > 0 {
			reason = "its interpreter " + strconv.QuoteToGraphic(words[0]) + ": " + errno.Error()
		} else if errno == syscall.ENOENT {
			reason = "the program loader it needs is not installed"
		}
	}
	return &StartError{name, reason}
}
