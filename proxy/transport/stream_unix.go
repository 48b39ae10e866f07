//go:build linux || darwin

package transport

import (
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

// NewStream takes over one end. own means that nobody else can make it blocking: for a pipe, that nobody shares this end.
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
