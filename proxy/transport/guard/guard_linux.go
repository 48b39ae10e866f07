package guard

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	prSetPdeathsig      = 1
	prSetDumpable       = 4
	prSetName           = 15
	prSetChildSubreaper = 36
)

// own is this very program, even if its file was replaced or removed since the start.
func own() (string, error) { return "/proc/self/exe", nil }

// attributes gives the guard a session of its own, out of reach of a terminal's Ctrl-C. The parent-death signal only wakes a guard that the
// server has stopped; the end of the socket tells it the rest.
func attributes() *syscall.SysProcAttr {
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

// becomeMarked gives the mark to this process and everything it starts from now on (transport.Mark).
func becomeMarked(mark uint64) {
	if mark != 0 {
		_ = LocksLimit(&syscall.Rlimit{Cur: mark, Max: mark}, nil)
	}
}

// LocksLimit is prlimit(2) on this process, for RLIMIT_LOCKS. Either may be nil.
func LocksLimit(to, was *syscall.Rlimit) error {
	const rlimitLocks = 10
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, rlimitLocks, uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(was)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
