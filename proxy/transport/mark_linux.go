package transport

import (
	"crypto/rand"
	"encoding/binary"
	"syscall"
	"unsafe"
)

// What a guard starts is known by a limit that bounds nothing: RLIMIT_LOCKS of getrlimit(2), "early Linux 2.4 only". Every child has it,
// whatever it runs, and nobody can raise it again (but root). A server that kills wrapper and guard at once loses its ancestors
// by that, and not its mark: the hub knows by it who decides nothing, and what has to end (proxy/control).
const (
	rlimitLocks = 10
	// plainMark is that of a server whose wrapper drew none. Marks are far more than anybody could lock, and less than no limit.
	plainMark = 1 << 62
	leastMark = 1 << 61
)

// NewMark is a mark that no other server has, for Command.Mark; 0 where there are none.
func NewMark() uint64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return leastMark | binary.LittleEndian.Uint64(random[:])&(leastMark-1)
}

// becomeMarked gives this process the mark, and all that it starts from now on.
func becomeMarked(mark uint64) {
	if mark == 0 {
		mark = plainMark
	}
	limit := syscall.Rlimit{Cur: mark, Max: mark}
	// It fails where the limit is lower already: a server inside a server.
	syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, rlimitLocks, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
