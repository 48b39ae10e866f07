//go:build linux || darwin

package transport

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// settle is how long a dead server's stdout must stay empty to count as drained. Everything the server itself wrote is in the pipe when it
// dies. Only a descendant that holds the pipe open could add more, and it must not delay the responses to pending requests (T12 in
// docs/relay.md).
const settle = 250 * time.Millisecond

// stdout ends where the server's own output ends.
type stdout struct {
	pipe *Stream
}

func (s stdout) Close() error { return s.pipe.Close() }

// serverEnded starts the wait for the end. It wakes a blocked Read.
func (s stdout) serverEnded() { s.pipe.SetReadDeadline(time.Now().Add(settle)) }

// Read returns io.EOF at the end of the pipe, or when the server is dead and the pipe stayed empty.
func (s stdout) Read(b []byte) (int, error) {
	n, err := s.pipe.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	// The deadline also passes for a slow reader of a full pipe, so check once more whether there is data.
	if err := s.pipe.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	raw, err := s.pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	if err := raw.Read(func(fd uintptr) bool {
		for {
			if n, failed = syscall.Read(int(fd), b); failed != syscall.EINTR {
				return true
			}
		}
	}); err != nil {
		return 0, err
	}
	if n > 0 {
		s.pipe.SetReadDeadline(time.Now().Add(settle))
		return n, nil
	}
	if failed != nil && failed != syscall.EAGAIN {
		return 0, failed
	}
	s.pipe.SetReadDeadline(time.Now()) // and for all later reads
	return 0, io.EOF
}
