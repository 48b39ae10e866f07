package transport

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/proc"
)

const (
	prSetPdeathsig      = 1
	prSetDumpable       = 4
	prSetName           = 15
	prSetChildSubreaper = 36
)

// guardPath is this very program, even if its file was replaced or removed since the start.
func guardPath() (string, error) { return "/proc/self/exe", nil }

// guardAttr gives the guard a session of its own, out of reach of a terminal's Ctrl-C. The parent-death signal only wakes a guard that the
// server has stopped; the end of the socket tells it the rest.
func guardAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT}
}

func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

func becomeGuard() {
	becomeSubreaper()
	name := [16]byte{}
	copy(name[:15], "sallyport-guard") // /proc/self/exe would be listed as "exe"
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetName, uintptr(unsafe.Pointer(&name[0])), 0)
}

// becomeFirst prepares a guard that is the first process of its namespace. If bubblewrap, its parent, is killed, the kernel kills it and
// everything inside. The server runs as the same user, but must neither trace it nor read its memory and files, because the guard speaks to
// the wrapper. Descriptors that the client left open are not passed on: one of a folder would lead the server around every mount.
func becomeFirst() {
	if os.Getpid() != 1 {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL), 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
}

func becomeSubreaper() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return errno
	}
	return nil
}

func dup(from, to int) error { return syscall.Dup3(from, to, 0) }

// leftovers has nothing to do: a subreaper without children has no descendants.
func leftovers(int) {}

func socketpair() (ours, theirs int, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	return fds[0], fds[1], err
}

func pipe() (r, w int, err error) {
	var fds [2]int
	err = syscall.Pipe2(fds[:], syscall.O_CLOEXEC)
	return fds[0], fds[1], err
}

// ownSession is the session of this process and of its children that did not start their own.
func ownSession() int {
	p, _ := proc.Read(os.Getpid())
	return p.Session
}

// An adoption is what this process inherited from a killed guard. A child counts as such an orphan if it is not one of our guards, is not
// spared, and is in another session: a server's tree starts with setsid, and nobody can join a session from outside.
type adoption struct {
	sweep
	spare   func() []int
	spared  map[int]bool
	self    int
	session int
}

func newAdoption(_ int, spare func() []int) *adoption {
	a := &adoption{spare: spare, self: os.Getpid(), session: ownSession()}
	a.sweep = sweep{root: a.adopted, own: syscall.Getpgrp()}
	return a
}

func (a *adoption) adopted(p proc.Process) bool {
	return p.Parent == a.self && p.Session != a.session && !guards.live[p.PID] && !a.spared[p.PID]
}

// end kills what is there and reaps it. It reports whether anything was there, whether more may come, and how the server ended if it was
// among them. It holds the lock on guards so that none is started meanwhile.
func (a *adoption) end(server int) (found, fresh bool, ended *syscall.WaitStatus) {
	guards.Lock()
	defer guards.Unlock()
	a.spared = map[int]bool{}
	if a.spare != nil {
		for _, pid := range a.spare() {
			a.spared[pid] = true
		}
	}
	var orphans []int
	found, fresh = a.round(func(p proc.Process) {
		if p.Parent == a.self {
			orphans = append(orphans, p.PID)
		}
	})
	for _, pid := range orphans {
		var status syscall.WaitStatus
		if got, _ := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); got == pid && pid == server {
			ended = &status
		}
	}
	return found, fresh, ended
}
