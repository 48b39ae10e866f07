package guard

import (
	"os"
	"syscall"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// Not tested on a Mac. There is no subreaper and no parent-death signal: a process that left the tree (its parent dead, a group of its own)
// before the shutdown began is not found.

func own() (string, error) { return os.Executable() }

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func serverAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func becomeGuard() {}

// becomeFirst does nothing: there are no process namespaces.
func becomeFirst() {}

func becomeSubreaper() error { return nil }

func dup(from, to int) error { return syscall.Dup2(from, to) }

// leftovers kills what outlived the server in its own group. That the guard has no children proves little here.
func leftovers(server int) { syscall.Kill(-server, syscall.SIGKILL) }

func socketpair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

func pipe() (r, w int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return 0, 0, err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

// An Adoption is only a sweep: orphans fall to launchd. After a killed guard the server's group is all that identifies them.
type Adoption struct{ sweep }

// Adopt ends what can be found.
func Adopt(server int, _ func() []int) *Adoption {
	if server > 1 {
		syscall.Kill(-server, syscall.SIGKILL)
	}
	return &Adoption{}
}

func (*Adoption) End(int) (found, fresh bool, ended *syscall.WaitStatus) { return false, false, nil }

// chase finds nothing: the system does not tell the last number it gave out.
func chase(func(table.Process) bool, func(table.Process)) {}

// Descendants calls each for every process that root claims and everything below it.
func Descendants(root func(table.Process) bool, each func(table.Process)) {
	all, err := table.All()
	if err != nil {
		return
	}
	inTree := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !inTree[p.PID] && (inTree[p.Parent] || root(p)) {
				inTree[p.PID], grown = true, true
				each(p)
			}
		}
	}
}

func becomeMarked(uint64) {}
