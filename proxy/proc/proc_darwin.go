package proc

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// Args are the arguments a process was started with.
func Args(pid int) ([]string, error) {
	_, argv, err := procargs(pid)
	return argv, err
}

// Executable is the file at the path from which a process was started: one swapped after the start passes for the running one.
func Executable(pid int) (os.FileInfo, error) {
	path, _, err := procargs(pid)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// Path is that file's path at the start. Whether it was replaced since is unknown.
func Path(pid int) (path string, replaced bool, err error) {
	path, _, err = procargs(pid)
	return path, false, err
}

// procargs splits kern.procargs2: the count of arguments, the path of the executable, zeros, then the arguments.
func procargs(pid int) (path string, argv []string, err error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, err
	}
	if len(raw) < 4 {
		return "", nil, unix.EIO
	}
	argc := int(raw[0]) | int(raw[1])<<8 | int(raw[2])<<16 | int(raw[3])<<24
	exe, rest, ended := bytes.Cut(raw[4:], []byte{0})
	if !ended {
		return "", nil, unix.EIO
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for range argc {
		arg, after, ended := bytes.Cut(rest, []byte{0})
		if !ended {
			return "", nil, unix.EIO
		}
		argv, rest = append(argv, string(arg)), after
	}
	return string(exe), argv, nil
}
