// Package table reads the process table: which process has which parent, group and session. On Linux it reads /proc/PID/stat (proc(5)), on
// macOS sysctl (compiled, not run so far), elsewhere nothing. What a process shows of itself is in proxy/proc.
//
// The number may be given to another process between two readings. Before you act on one, compare Start, or read twice.
//
// A wrapper's guard uses it before most packages are initialised, so it imports none that needs Unicode's tables (proxy/transport/guard).
package table

import (
	"errors"
	"strconv"
)

// A Process is one line of the process table. Start tells two processes with one number apart.
type Process struct {
	PID, Parent, Group, Session int

	Start uint64
	Dead  bool // it has ended but was not reaped
}

var errCut = errors.New("the line of a process in /proc is cut")

// parseStat parses a line of /proc/PID/stat. The command's name is in parentheses and may itself hold spaces and parentheses, chosen by the
// process; what comes after the last one is the kernel's.
func parseStat(line string) (p Process, err error) {
	open, end := -1, -1
	for i := range len(line) {
		switch {
		case line[i] == '(' && open < 0:
			open = i
		case line[i] == ')':
			end = i
		}
	}
	if open < 1 || end < open {
		return Process{}, errCut
	}
	var room [64]string // the kernel writes 50: so they are on the stack, for each process of the machine
	fields := words(room[:0], line[end+1:])
	if len(fields) < 20 { // the state is field 3, the parent 4, group, session, threads 20, the start 22
		return Process{}, errCut
	}
	threads := 0 // the first thread may have ended while others run: then the state is "Z" as well
	for _, f := range []struct {
		to   *int
		from string
	}{{&p.PID, line[:open-1]}, {&p.Parent, fields[1]}, {&p.Group, fields[2]}, {&p.Session, fields[3]}, {&threads, fields[17]}} {
		if *f.to, err = strconv.Atoi(f.from); err != nil {
			return Process{}, err
		}
	}
	if p.Start, err = strconv.ParseUint(fields[19], 10, 64); err != nil {
		return Process{}, err
	}
	p.Dead = (fields[0] == "Z" || fields[0] == "X") && threads <= 1
	return p, nil
}

// words appends the parts of a line between blanks.
func words(found []string, line string) []string {
	from := -1
	for i := 0; i <= len(line); i++ {
		blank := i == len(line) || line[i] == ' ' || line[i] == '\n'
		switch {
		case blank && from >= 0:
			found, from = append(found, line[from:i]), -1
		case !blank && from < 0:
			from = i
		}
	}
	return found
}
