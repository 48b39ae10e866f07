package transport

import (
	"bytes"
	"strconv"
	"syscall"
)

// A process is one line of the process table.
type process struct {
	pid, parent, group, session int
	zombie                      bool
}

// descendants calls each for every process that root claims and for everything below it, the moment it is met: between
// reading and acting a process has no time to fork. Parents usually come first (the table is in the order of pids); what
// comes before its parent is met at the end. The table is read, not /proc/PID/task/TID/children, which many kernels lack.
func descendants(root func(process) bool, each func(process)) {
	table, err := syscall.Open("/proc", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(table)
	inTree := map[int]bool{}
	var others []process
	buffer := make([]byte, 32<<10)
	var names []string
	for {
		n, err := syscall.ReadDirent(table, buffer)
		if err != nil || n <= 0 {
			break
		}
		_, _, names = syscall.ParseDirent(buffer[:n], -1, names[:0])
		for _, name := range names {
			if name[0] < '1' || name[0] > '9' {
				continue
			}
			p, ok := readProcess(name)
			switch {
			case !ok:
			case inTree[p.parent] || root(p):
				inTree[p.pid] = true
				each(p)
			default:
				others = append(others, p)
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range others {
			if inTree[p.parent] && !inTree[p.pid] {
				inTree[p.pid], grown = true, true
				each(p)
			}
		}
	}
}

// readProcess reads /proc/NAME/stat: "pid (any name at all, brackets and blanks too) state ppid pgrp session …".
func readProcess(name string) (process, bool) {
	fd, err := syscall.Open("/proc/"+name+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return process{}, false
	}
	var line [512]byte
	n, err := syscall.Read(fd, line[:])
	syscall.Close(fd)
	if err != nil || n <= 0 {
		return process{}, false
	}
	pid, _, _ := bytes.Cut(line[:n], []byte(" "))
	fields := bytes.Fields(line[bytes.LastIndexByte(line[:n], ')')+1 : n])
	if len(fields) < 4 {
		return process{}, false
	}
	var p process
	for _, f := range []struct {
		to   *int
		from []byte
	}{{&p.pid, pid}, {&p.parent, fields[1]}, {&p.group, fields[2]}, {&p.session, fields[3]}} {
		if *f.to, err = strconv.Atoi(string(f.from)); err != nil {
			return process{}, false
		}
	}
	p.zombie = fields[0][0] == 'Z' || fields[0][0] == 'X'
	return p, true
}
