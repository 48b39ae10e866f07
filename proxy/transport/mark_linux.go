package transport

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"syscall"
	"unsafe"
)

// What a guard starts is known by a limit that bounds nothing: RLIMIT_LOCKS of getrlimit(2), "early Linux 2.4 only". Every child has it
// as its hard limit, whatever it runs, and nobody can raise it again (but root). A server that kills wrapper and guard at once loses
// its ancestors by that, and not its mark: the hub knows by it who decides nothing, and what has to end (proxy/control). The wrapper shows the mark
// of its server as its own soft limit, below a hard one that stays unlimited as no process of a server has it: where nobody shows
// it, the wrapper is gone.
const (
	rlimitLocks = 10
	noLimit     = ^uint64(0)
	// leastMark is more than anybody could lock. Marks are less than twice as much.
	leastMark = 1 << 60
)

// Mark is what all that this process has guards start is known by, drawn and shown at the first call. It is 0 where nothing can be told by
// it: inside a server, whose mark stays, and where all processes have such a limit.
var Mark = sync.OnceValue(func() uint64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	mark := leastMark | binary.LittleEndian.Uint64(random[:])&(leastMark-1)
	var limit syscall.Rlimit
	if locksLimit(nil, &limit) != nil || limit.Max != noLimit {
		return 0
	}
	limit.Cur = mark
	if locksLimit(&limit, nil) != nil {
		return 0
	}
	return mark
})

// becomeMarked gives this process the mark, and all that it starts from now on.
func becomeMarked(mark uint64) {
	if mark != 0 {
		_ = locksLimit(&syscall.Rlimit{Cur: mark, Max: mark}, nil)
	}
}

// locksLimit is prlimit(2) of this process, for RLIMIT_LOCKS.
func locksLimit(to, was *syscall.Rlimit) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, rlimitLocks, uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(was)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
