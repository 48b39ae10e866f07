package guard

import (
	"runtime"
	"strconv"
	"syscall"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// Descendants calls each for every process that root claims and everything below it, as soon as it is found: between reading and acting a
// process should have no time to fork. Parents usually come first (the table is in the order of pids); a process listed before its parent
// is handled at the end. It reads the table and not /proc/PID/task/TID/children, which many kernels lack.
func Descendants(root func(table.Process) bool, each func(table.Process)) {
	inTree := map[int]bool{}
	var others []table.Process
	_ = table.Each(func(pid int) error {
		p, err := table.Read(pid)
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

// chase catches processes that fork faster than the table can be read: by the time their line comes up they are gone, and their child's
// number was already passed. It looks at each new number as soon as it is given out, which is faster than a fork, and calls each for those
// that root claims, directly or through a few ancestors. It returns when it has met nothing for a while, and at once if the kernel does not
// tell the last number.
func chase(root func(table.Process) bool, each func(table.Process)) {
	const (
		idle  = 300 // looks without a match
		looks = 20000
		jump  = 64 // for more new numbers than this at once, reading the table is better
	)
	numbers, err := syscall.Open("/proc/loadavg", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(numbers)
	last := lastNumber(numbers)
	for n, quiet := 0, 0; last > 0 && n < looks && quiet < idle; n++ {
		now := lastNumber(numbers)
		if now < last || now > last+jump {
			last = now - 1
		}
		quiet++
		// Look at the last one again: its parent may not have been set yet.
		for ; last <= now; last++ {
			if isThread(last) {
				continue
			}
			if p, err := table.Read(last); err == nil && !p.Dead && claimed(root, p) {
				each(p)
				quiet = 0
			}
		}
		last = now
		runtime.Gosched()
	}
}

// isThread reports whether a number belongs to a thread other than its process's first, or to nothing. Threads get numbers from the same
// sequence and look like processes with the same parent, but root knows processes by number only: a new thread of a guard or the hub would
// be taken for an orphan, and its whole process killed with it. tgkill(2) finds a thread only under the number of its own process.
func isThread(number int) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(number), uintptr(number), 0)
	return errno == syscall.ESRCH
}

// claimed reports whether root claims p or one of its nearest ancestors.
func claimed(root func(table.Process) bool, p table.Process) bool {
	for range 4 {
		if root(p) {
			return true
		}
		var err error
		if p, err = table.Read(p.Parent); err != nil {
			return false
		}
	}
	return false
}

// lastNumber is the process number given out last, the fifth field of /proc/loadavg (proc_loadavg(5)); 0 if unknown.
func lastNumber(file int) int {
	var line [128]byte
	n, err := syscall.Pread(file, line[:], 0)
	if err != nil || n <= 0 {
		return 0
	}
	from := n
	for from > 0 && line[from-1] != ' ' {
		from--
	}
	end := n
	for end > from && line[end-1] == '\n' {
		end--
	}
	pid, _ := strconv.Atoi(string(line[from:end]))
	return pid
}
