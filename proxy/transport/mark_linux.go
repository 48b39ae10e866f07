package transport

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"syscall"

	"github.com/sallyport/sallyport/proxy/transport/guard"
)

// Processes started by a guard are marked by a limit that restricts nothing: RLIMIT_LOCKS of getrlimit(2), "early Linux 2.4 only". Every
// child inherits it as its hard limit, whatever it runs, and only root can raise it again. A server that kills wrapper and guard at once
// cuts itself off from its ancestors, but keeps the mark. It tells the hub who may not decide and which processes to end
// (proxy/control). The wrapper shows its server's mark as its own soft limit, below a hard limit that stays unlimited as in no process of a
// server. A mark that no process shows belongs to a wrapper that is gone.
const (
	noLimit = ^uint64(0)
	// leastMark is more locks than anyone could take. Marks are less than twice as much.
	leastMark = 1 << 60
)

// Mark identifies everything that this process starts through guards; it is generated and shown at the first call. It is 0 if it would
// prove nothing: inside a server, whose mark stays, and if all processes have such a limit.
var Mark = sync.OnceValue(func() uint64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	mark := leastMark | binary.LittleEndian.Uint64(random[:])&(leastMark-1)
	var limit syscall.Rlimit
	if guard.LocksLimit(nil, &limit) != nil || limit.Max != noLimit {
		return 0
	}
	limit.Cur = mark
	if guard.LocksLimit(&limit, nil) != nil {
		return 0
	}
	return mark
})
