// Package proc reads what the system tells about a process by its number: on Linux from /proc/PID (proc(5)), on macOS from sysctl
// (compiled, not run so far), elsewhere nothing.
//
// The number may be given to another process between two readings. Before you act on one, compare Start, or read twice.
package proc

import (
	"bytes"
	"fmt"
	"strconv"
)

// A Process is one line of the process table. Start tells two processes with one number apart.
type Process struct {
	PID, Parent, Group, Session int

	Start uint64
	Dead  bool // it has ended but was not reaped
}

// parseStat parses a line of /proc/PID/stat. The command's name is in parentheses and may itself hold spaces and parentheses, chosen by the
// process; what comes after the last one is the kernel's.
func parseStat(raw []byte) (p Process, err error) {
	number, _, _ := bytes.Cut(raw, []byte(" "))
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) < 20 || !bytes.Contains(raw, []byte(")")) { // the state is field 3, the parent 4, group, session, threads 20, the start 22
		return Process{}, fmt.Errorf("process %q: its stat line is cut", number)
	}
	threads := 0 // the first thread may have ended while others run: then the state is "Z" as well
	for _, f := range []struct {
		to   *int
		from []byte
	}{{&p.PID, number}, {&p.Parent, fields[1]}, {&p.Group, fields[2]}, {&p.Session, fields[3]}, {&threads, fields[17]}} {
		if *f.to, err = strconv.Atoi(string(f.from)); err != nil {
			return Process{}, fmt.Errorf("process %q: its stat line: %w", number, err)
		}
	}
	if p.Start, err = strconv.ParseUint(string(fields[19]), 10, 64); err != nil {
		return Process{}, fmt.Errorf("process %q: its start: %w", number, err)
	}
	p.Dead = (fields[0][0] == 'Z' || fields[0][0] == 'X') && threads <= 1
	return p, nil
}
