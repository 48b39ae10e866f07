package peer

import (
	"errors"
	"maps"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// A guard gives its server a limit on file locks that restricts nothing, that every child inherits and that only root can remove; the
// wrapper shows the same number as its soft limit (transport.Mark). Nothing else sets one.

// leastMark equals transport's: marks are at least this, and less than twice as much.
const leastMark = 1 << 60

func isMark(limit uint64) bool { return limit >= leastMark && limit < 2*leastMark }

// Marked reports whether a guard started pid or one of its ancestors. If the kernel does not tell the limit, the ancestors alone decide:
// for a process that can't be read at all, they can't be read either.
func Marked(pid int) bool {
	_, hard, err := markOf(pid)
	return err == nil && hard != unix.RLIM_INFINITY
}

// OfServer reports whether a guard started this process or one of its ancestors. It is less exact than Marked, which is also true if every
// process of a system has such a limit.
func OfServer() bool {
	limit, err := ourLimit()
	return err == nil && isMark(limit.Max)
}

func ourLimit() (limit unix.Rlimit, err error) {
	err = unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &limit)
	return limit, err
}

// below reports whether pid has a lower limit than this process. Descendants of a server inherit the limit and may have lowered it further.
func below(pid int) (bool, error) {
	ours, err := ourLimit()
	if err != nil {
		return false, nil
	}
	_, theirs, err := markOf(pid)
	if errors.Is(err, os.ErrInvalid) { // the kernel does not tell
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

// locksOf parses the soft and hard limit of RLIMIT_LOCKS in /proc/PID/limits (proc(5)): name, both limits, unit.
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

// LeftMarks returns the marks of living processes that no wrapper shows. It fails if a process of ours can't be read, because that could be
// the wrapper. A process put into our container from outside has its wrapper there.
func LeftMarks() (map[uint64]bool, error) {
	had, shown := map[uint64]bool{}, map[uint64]bool{}
	err := table.Each(func(pid int) error {
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

func isOurs(pid int) bool {
	var info unix.Stat_t
	return unix.Stat("/proc/"+strconv.Itoa(pid), &info) == nil && int(info.Uid) == os.Geteuid()
}

// putHere reports whether pid's first visible ancestor was started by an invisible one (nsenter(1), "podman exec") and is not ours.
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

// dead reports whether pid has ended and only waits to be reaped.
func dead(pid int) bool {
	p, err := table.Read(pid)
	return proc.Gone(err) || err == nil && p.Dead
}

// KillMarked kills every process with exactly these marks and adds it to killed with its mark, including those that have ended but were not
// reaped. It holds each process by a handle before it checks it again, so that no later process with the same number is killed.
func KillMarked(marks map[uint64]bool, killed map[int]uint64) {
	marks = maps.Clone(marks)
	maps.DeleteFunc(marks, func(mark uint64, _ bool) bool { return !isMark(mark) }) // others may have such a limit
	if len(marks) == 0 {
		return
	}
	_ = table.Each(func(pid int) error {
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

// ShowNothing removes the mark that this process inherited from the wrapper that started it: it is not a server's wrapper. Only the first
// call does: a hub that serves again may by then show a mark of its own, that of the guardrail providers it has started.
func ShowNothing() { showNothing() }

var showNothing = sync.OnceFunc(func() {
	if limit, err := ourLimit(); err == nil && isMark(limit.Cur) && limit.Max == unix.RLIM_INFINITY {
		limit.Cur = limit.Max
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &limit, nil)
	}
})
