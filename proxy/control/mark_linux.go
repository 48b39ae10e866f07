package control

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A guard leaves its server a limit on file locks that bounds nothing, that every child inherits and that only root can take away
// (transport.NewMark). Nothing else sets one.

// marked says whether a guard started pid, or something that descends from what a guard started. Where the kernel does not tell the
// limit, the ancestors alone decide: of a process of which nothing can be read they cannot be read either.
func marked(pid int) bool {
	mark, err := markOf(pid)
	return err == nil && mark != unix.RLIM_INFINITY
}

func markOf(pid int) (uint64, error) {
	raw, err := readBounded("/proc/"+strconv.Itoa(pid)+"/limits", 16<<10)
	if err != nil {
		return 0, err
	}
	return locksOf(string(raw))
}

// locksOf is the hard limit of RLIMIT_LOCKS in /proc/PID/limits (proc(5)): its line has a name, the soft limit, the hard one, a unit.
func locksOf(limits string) (uint64, error) {
	for line := range strings.Lines(limits) {
		rest, ok := strings.CutPrefix(line, "Max file locks")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		switch {
		case len(fields) < 2:
			return 0, os.ErrInvalid
		case fields[1] == "unlimited":
			return unix.RLIM_INFINITY, nil
		}
		return strconv.ParseUint(fields[1], 10, 64)
	}
	return 0, os.ErrInvalid
}

// killMarked kills every process of exactly this mark and adds it to killed; one that is there may wait for its parent to hear of its end.
// A process is held by its handle before it is looked at once more, so that none is hit that has got its number since.
func killMarked(mark uint64, killed map[int]bool) {
	if mark == unix.RLIM_INFINITY { // what every other process has
		return
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || killed[pid] {
			continue
		}
		if has, err := markOf(pid); err != nil || has != mark {
			continue
		}
		handle, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if has, err := markOf(pid); err == nil && has == mark && unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) == nil {
			killed[pid] = true
		}
		unix.Close(handle)
	}
}
