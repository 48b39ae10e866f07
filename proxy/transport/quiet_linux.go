//go:build amd64 || arm64

package transport

import (
	"io"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

const (
	// quietWrite is the longest quiet write, and quietRead the longest read after which the next read is quiet: longer ones are announced,
	// so that the code that processes them can be preempted.
	quietWrite = 64 << 10
	quietRead  = 16 << 10
	// quietRow is how many reads in a row stay quiet if none of them had to wait.
	quietRow = 16
)

// quiet reads and writes without telling the scheduler. Every ordinary system call wakes the runtime's monitor thread if it sleeps, which
// then looks every 20 µs for a processor to take away from a thread in a system call. With a few calls in flight it falls asleep and is
// woken thousands of times a second, a quarter of the wrapper's time (docs/performance.md). A read or write that never waits doesn't need
// it.
//
// The monitor also preempts goroutines after 10 ms and polls for readiness when nobody else does. So it must be awake while we compute for
// long: a long read or write is announced, and so is the rest of a partial line, and a read after a row that never waited, which means a
// server is flooding us.
//
// A call never blocks on a socket, because each call asks for that (MSG_DONTWAIT), nor on a pipe whose file description is ours alone.
type quiet struct {
	conn   syscall.RawConn
	socket bool

	in, out transfer
	loud    bool // announce the next read
	row     int  // quiet reads since the last one that waited or was announced
}

// transfer is the current read or write.
type transfer struct {
	mu   sync.Mutex
	b    []byte
	n    int
	err  syscall.Errno
	once func(fd uintptr) (over bool)
}

// newQuiet returns nil if nothing may be quiet.
func newQuiet(file *os.File, own bool) *quiet {
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	q := &quiet{socket: info.Mode()&os.ModeSocket != 0}
	if !q.socket && (!own || info.Mode()&os.ModeNamedPipe == 0) {
		return nil
	}
	if q.conn, err = file.SyscallConn(); err != nil {
		return nil
	}
	q.in.once, q.out.once = q.readOnce, q.writeOnce
	return q
}

// read reads, unless the read must be announced: then done is false.
func (q *quiet) read(b []byte) (n int, done bool, err error) {
	if q == nil || q.loud || q.row >= quietRow || len(b) == 0 {
		return 0, false, nil
	}
	t := &q.in
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b, t.n, t.err = b, 0, 0
	q.row++
	err = q.conn.Read(t.once)
	t.b = nil
	switch {
	case err != nil:
		return 0, true, err
	case t.err != 0:
		return 0, true, os.NewSyscallError("read", t.err)
	case t.n == 0:
		return 0, true, io.EOF
	}
	q.loud = goesOn(b[:t.n])
	return t.n, true, nil
}

// announced records an announced read.
func (q *quiet) announced(got []byte) {
	if q != nil {
		q.loud, q.row = goesOn(got), 0
	}
}

// goesOn reports whether a read suggests that much more is coming.
func goesOn(got []byte) bool {
	return len(got) > quietRead || len(got) > 0 && got[len(got)-1] != '\n'
}

// write writes everything, unless the write must be announced.
func (q *quiet) write(b []byte) (n int, done bool, err error) {
	if q == nil || len(b) > quietWrite || len(b) == 0 {
		return 0, false, nil
	}
	t := &q.out
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b, t.n, t.err = b, 0, 0
	err = q.conn.Write(t.once)
	t.b = nil
	if err == nil && t.err != 0 {
		err = os.NewSyscallError("write", t.err)
	}
	return t.n, true, err
}

func (q *quiet) readOnce(fd uintptr) (over bool) {
	t := &q.in
	for {
		var n uintptr
		at, size := unsafe.Pointer(unsafe.SliceData(t.b)), uintptr(len(t.b))
		if q.socket {
			n, _, t.err = syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(at), size, syscall.MSG_DONTWAIT, 0, 0)
		} else {
			n, _, t.err = syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(at), size)
		}
		switch t.err {
		case 0:
			t.n = int(n)
			return true
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			q.row = 0
			return false
		}
		return true
	}
}

func (q *quiet) writeOnce(fd uintptr) (over bool) {
	t := &q.out
	for t.n < len(t.b) {
		var n uintptr
		rest := t.b[t.n:]
		at, size := unsafe.Pointer(unsafe.SliceData(rest)), uintptr(len(rest))
		if q.socket {
			n, _, t.err = syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(at), size, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
		} else {
			n, _, t.err = syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(at), size)
		}
		switch t.err {
		case 0:
			t.n += int(n)
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			return true
		}
	}
	return true
}
