package table

import (
	"os"
	"strconv"
	"syscall"
)

// Read reads one process with as few system calls as possible, to catch processes that fork as fast as they can.
func Read(pid int) (Process, error) {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return Process{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var line [1024]byte
	n, err := syscall.Read(fd, line[:])
	syscall.Close(fd)
	if err != nil {
		return Process{}, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return parseStat(string(line[:n]))
}

// Each calls look for every number in the process table, usually parents before children, until it returns an error.
func Each(look func(pid int) error) error {
	table, err := syscall.Open("/proc", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: "/proc", Err: err}
	}
	defer syscall.Close(table)
	buffer := make([]byte, 32<<10)
	var names []string
	for {
		n, err := syscall.ReadDirent(table, buffer)
		if err != nil || n <= 0 {
			return err
		}
		_, _, names = syscall.ParseDirent(buffer[:n], -1, names[:0])
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil {
				if err := look(pid); err != nil {
					return err
				}
			}
		}
	}
}
