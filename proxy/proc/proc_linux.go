package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxWords limits what is read of one process's arguments or environment: execve(2) takes at most 6 MiB.
const maxWords = 8 << 20

func file(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// Gone reports whether an error means that the process no longer exists.
func Gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// Args are a process's arguments as it shows them now; none for a kernel thread or an ended process.
func Args(pid int) ([]string, error) { return words(pid, "cmdline") }

func Environ(pid int) ([]string, error) { return words(pid, "environ") }

func words(pid int, name string) ([]string, error) {
	f, err := os.Open(file(pid, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxWords+1))
	switch {
	case err != nil || len(raw) == 0:
		return nil, err
	case len(raw) > maxWords:
		return nil, fmt.Errorf("process %d: its %s is longer than %d bytes", pid, name, maxWords)
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}

// Executable is the file that a process runs: the link in /proc leads to the file itself, even if it was renamed, replaced or deleted.
func Executable(pid int) (os.FileInfo, error) { return os.Stat(file(pid, "exe")) }

// Path is that file's path at the start. replaced means that it is no longer there.
func Path(pid int) (path string, replaced bool, err error) {
	path, err = os.Readlink(file(pid, "exe"))
	path, replaced = strings.CutSuffix(path, " (deleted)")
	return path, replaced, err
}

func Folder(pid int) (string, error) { return os.Readlink(file(pid, "cwd")) }

// Text is a file of /proc/PID with one line per fact ("status", "limits").
func Text(pid int, name string) (string, error) {
	raw, err := os.ReadFile(file(pid, name))
	return string(raw), err
}

// Line returns the words after a label in such a text, or os.ErrInvalid.
func Line(text, label string) ([]string, error) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, label); ok {
			return strings.Fields(rest), nil
		}
	}
	return nil, os.ErrInvalid
}
