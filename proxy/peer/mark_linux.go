package peer

import (
	"errors"
	"maps"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/proc"
)

// A guard leaves its server a limit on file locks that bounds nothing, that every child inherits and that only root can take away; the
// wrapper shows the same as its soft limit (transport.Mark). Nothing else sets one.

// leastMark is transport's: marks are at least this, and less than twice as much.
const leastMark = 1 << 60

func isMark(limit uint64) bool { return limit >= leastMark && limit < 2*leastMark }

// Marked says whether a guard started pid, or something that descends from what a guard started. Where the kernel does not tell the
// limit, the ancestors alone decide: of a process of which nothing can be read they cannot be read either.
func Marked(pid int) bool {
	_, hard, err := markOf(pid)
	return err == nil && hard != unix.RLIM_INFINITY
}

// OfServer says whether a guard started this process, or something that descends from what a guard started: less exactly than marked, which
// is also true where every process of a system has such a limit.
func OfServer() bool {
	limit, err := ourLimit()
	return err == nil && isMark(limit.Max)
}

func ourLimit() (limit unix.Rlimit, err error) {
	err = unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &limit)
	return limit, err
}

// below says whether pid has less of the limit than this process: something that a server started has, and could have made it less yet.
func below(pid int) (bool, error) {
	ours, err := ourLimit()
	if err != nil {
		return false, nil
	}
	_, theirs, err := markOf(pid)
	if errors.Is(err, os.ErrInvalid) { // a kernel that does not say
		return false, nil
	}
	return theirs < ours.Max, err
}

func markOf(pid int) (soft, hard uint64, err error) {
	limits, err := proc.Text(pid, "limits")
	if err != nil {
		return 0, 0, err
	}
	return locksOf(limits)
}

// locksOf is the soft and the hard limit of RLIMIT_LOCKS in /proc/PID/limits (proc(5)): its line has a name, the two, a unit.
func locksOf(limits string) (soft, hard uint64, err error) {
	fields, err := proc.Line(limits, "Max file locks")
	if err == nil && len(fields) < 2 {
		err = os.ErrInvalid
	}
	if err == nil {
		soft, err = limitOf(fields[0])
	}
	if err == nil {
		hard, err = limitOf(fields[1])
	}
	return soft, hard, err
}

func limitOf(word string) (uint64, error) {
	if word == "unlimited" {
		return unix.RLIM_INFINITY, nil
	}
	return strconv.ParseUint(word, 10, 64)
}

// LeftMarks are the marks of living processes that no wrapper shows. Where one of our processes cannot be read it might be that wrapper, and
// the error says so. A process that was put into our container from outside has its wrapper there.
func LeftMarks() (map[uint64]bool, error) {
	had, shown := map[uint64]bool{}, map[uint64]bool{}
	err := proc.Each(func(pid int) error {
		soft, hard, err := markOf(pid)
		switch {
		case proc.Gone(err), err != nil && !isOurs(pid):
		case err != nil:
			return err
		case isMark(hard) && !dead(pid) && isOurs(pid) && !putHere(pid):
			had[hard] = true
		case hard == unix.RLIM_INFINITY && isMark(soft) && !dead(pid):
			shown[soft] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(had, func(mark uint64, _ bool) bool { return shown[mark] })
	return had, nil
}

// isOurs says whether pid runs as this user.
func isOurs(pid int) bool {
	var info unix.Stat_t
	return unix.Stat("/proc/"+strconv.Itoa(pid), &info) == nil && int(info.Uid) == os.Geteuid()
}

// putHere says whether the first ancestor of pid that can be seen was started by one that cannot (nsenter(1), "podman exec"), and is not
// ours as well.
func putHere(pid int) bool {
	theirs, ok := ancestors(pid)
	if !ok {
		return true
	}
	top := theirs[len(theirs)-1].PID
	if top == 1 {
		return false
	}
	ours, ok := ancestors(os.Getpid())
	return !ok || ours[len(ours)-1].PID != top
}

// dead says whether pid has ended and only waits for its parent to hear of it.
func dead(pid int) bool {
	p, err := proc.Read(pid)
	return proc.Gone(err) || err == nil && p.Dead
}

// KillMarked kills every process of exactly these marks and adds it to killed with its mark; one that is there may wait for its parent to
// hear of its end. A process is held by its handle before it is looked at once more, so that none is hit that has got its number since.
func KillMarked(marks map[uint64]bool, killed map[int]uint64) {
	marks = maps.Clone(marks)
	maps.DeleteFunc(marks, func(mark uint64, _ bool) bool { return !isMark(mark) }) // a limit that others may have
	if len(marks) == 0 {
		return
	}
	_ = proc.Each(func(pid int) error {
		_, mark, err := markOf(pid)
		if _, did := killed[pid]; err != nil || !marks[mark] || pid == os.Getpid() || did || dead(pid) {
			return nil
		}
		handle, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return nil
		}
		if _, has, err := markOf(pid); err == nil && has == mark && unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) == nil {
			killed[pid] = mark
		}
		unix.Close(handle)
		return nil
	})
}

// ShowNothing takes from this process what a wrapper shows that started it: it is no server's wrapper.
func ShowNothing() {
	if limit, err := ourLimit(); err == nil && isMark(limit.Cur) && limit.Max == unix.RLIM_INFINITY {
		limit.Cur = limit.Max
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &limit, nil)
	}
}
