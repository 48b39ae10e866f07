//go:build linux || darwin

package transport

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// Stream is one end of a pipe or socket in non-blocking mode, with one goroutine reading or one writing lines. On Linux short reads and
// writes are quiet (quiet_linux.go).
type Stream struct {
	file  *os.File // not embedded: WriteTo and ReadFrom would bypass Read and Write
	quiet *quiet
}

// NewStream takes over one end. own means that only we can make it blocking: for a pipe, that this end is not shared.
func NewStream(file *os.File, own bool) *Stream { return &Stream{file, newQuiet(file, own)} }

func (s *Stream) Read(b []byte) (int, error) {
	if n, done, err := s.quiet.read(b); done {
		return n, err
	}
	n, err := s.file.Read(b)
	s.quiet.announced(b[:max(n, 0)])
	return n, err
}

func (s *Stream) Write(b []byte) (int, error) {
	if n, done, err := s.quiet.write(b); done {
		return n, err
	}
	return s.file.Write(b)
}

// Close wakes a blocked Read or Write.
func (s *Stream) Close() error { return s.file.Close() }

// SetReadDeadline wakes a blocked Read when it passes.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.file.SetReadDeadline(t) }

func (s *Stream) SyscallConn() (syscall.RawConn, error) { return s.file.SyscallConn() }

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
