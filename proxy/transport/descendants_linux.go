package transport

import (
	"bytes"
	"runtime"
	"strconv"
	"syscall"

	"github.com/sallyport/sallyport/proxy/proc"
)

// descendants calls each for every process that root claims and for everything below it, the moment it is met: between
// reading and acting a process has no time to fork. Parents usually come first (the table is in the order of pids); what
// comes before its parent is met at the end. The table is read, not /proc/PID/task/TID/children, which many kernels lack.
func descendants(root func(proc.Process) bool, each func(proc.Process)) {
	inTree := map[int]bool{}
	var others []proc.Process
	_ = proc.Each(func(pid int) error {
		p, err := proc.Read(pid)
		switch {
		case err != nil:
		case inTree[p.Parent] || root(p):
			inTree[p.PID] = true
			each(p)
		default:
			others = append(others, p)
		}
		return nil
	})
	for grown := true; grown; {
		grown = false
		for _, p := range others {
			if inTree[p.Parent] && !inTree[p.PID] {
				inTree[p.PID], grown = true, true
				each(p)
			}
		}
	}
}

// chase is for what forks faster than the table can be read: by the time its line comes up the process is gone, and its
// child has a number behind those that were listed. It looks at numbers the moment they are given out, which takes less
// time than a fork, and calls each for those that root claims, itself or by way of a few ancestors. It returns when
// nothing was met in a while, and at once where the kernel does not tell the last number.
func chase(root func(proc.Process) bool, each func(proc.Process)) {
	const (
		idle  = 300 // looks without a find
		looks = 20000
		jump  = 64 // more new numbers than this in one look are for a reading of the table
	)
	table, err := syscall.Open("/proc/loadavg", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(table)
	last := lastNumber(table)
	for n, quiet := 0, 0; last > 0 && n < looks && quiet < idle; n++ {
		now := lastNumber(table)
		if now < last || now > last+jump {
			last = now - 1
		}
		quiet++
		// The last one is looked at again: it may not have had the parent by which it is known.
		for ; last <= now; last++ {
			if isThread(last) {
				continue
			}
			if p, err := proc.Read(last); err == nil && !p.Dead && claimed(root, p) {
				each(p)
				quiet = 0
			}
		}
		last = now
		runtime.Gosched()
	}
}

// isThread reports whether a number is that of a thread beside its process's first, or of nothing. Threads take numbers from
// the same row and their lines look like those of processes with the same parent, but root knows a process by its number
// alone: a thread that a guard or the hub has just made would be claimed for an orphan, and its whole process killed with it.
// tgkill(2) finds a thread only under the number of its own process.
func isThread(number int) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(number), uintptr(number), 0)
	return errno == syscall.ESRCH
}

// claimed reports whether root claims p or one of its next ancestors.
func claimed(root func(proc.Process) bool, p proc.Process) bool {
	for range 4 {
		if root(p) {
			return true
		}
		var err error
		if p, err = proc.Read(p.Parent); err != nil {
			return false
		}
	}
	return false
}

// lastNumber is the process number given out last, the fifth field of /proc/loadavg (proc_loadavg(5)), 0 if it is not to
// be had.
func lastNumber(table int) int {
	var line [128]byte
	n, err := syscall.Pread(table, line[:], 0)
	if err != nil || n <= 0 {
		return 0
	}
	fields := bytes.Fields(line[:n])
	if len(fields) < 5 {
		return 0
	}
	pid, _ := strconv.Atoi(string(fields[4]))
	return pid
}
