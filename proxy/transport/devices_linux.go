package transport

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// standardDevices are those that bubblewrap makes itself, with terminals of the sandbox's own in /dev/pts: a terminal of the
// user's would let a server read what is typed there and write what looks like our words.
var standardDevices = []string{"console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"}

// noDevices are never a server's: they type (uinput), listen to keyboards (input), show consoles (vcs, tty), or are memory.
var noDevices = []string{"uinput", "uhid", "input", "vcs", "mem", "kmem", "port", "kmsg", "userfaultfd", "disk", "mapper", "loop-control", "autofs", "tty0"}

// devices are the further ones that this user may open: cameras, sound, graphics, serial lines. Whole disks are not among
// them: our home could be read from one.
func devices(folder string) (all []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(standardDevices, name) || slices.Contains(noDevices, name) || virtualConsole(name) {
			continue
		}
		if mode := e.Type(); mode&os.ModeDevice != 0 && mode&os.ModeCharDevice == 0 {
			continue
		}
		path := filepath.Join(folder, name)
		if unix.Access(path, unix.R_OK) == nil || unix.Access(path, unix.W_OK) == nil {
			all = append(all, path)
		}
	}
	return all
}

// virtualConsole: tty1, vcs1, vcsa1, vcsu1; not ttyUSB0, which is a serial line.
func virtualConsole(name string) bool {
	for _, prefix := range []string{"tty", "vcs", "vcsa", "vcsu"} {
		if number, ok := strings.CutPrefix(name, prefix); ok && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}
