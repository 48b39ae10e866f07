//go:build linux || darwin

package transport

import (
	"os"
	"syscall"
	"time"
)

// Stream is one end of a pipe or of a socket, in non-blocking mode, that one goroutine reads or one writes, for lines. On Linux
// short reads and writes are quiet (quiet_linux.go).
type Stream struct {
	file  *os.File // not embedded: its WriteTo and ReadFrom would go past Read and Write
	quiet *quiet
}

// NewStream takes an end over. own says that nobody else can make it blocking: of a pipe, that nobody shares this end.
func NewStream(file *os.File, own bool) *Stream { return &Stream{file, newQuiet(file, own)} }

// Read is that of an os.File.
func (s *Stream) Read(b []byte) (int, error) {
	if n, done, err := s.quiet.read(b); done {
		return n, err
	}
	n, err := s.file.Read(b)
	s.quiet.announced(b[:max(n, 0)])
	return n, err
}

// Write is that of an os.File.
func (s *Stream) Write(b []byte) (int, error) {
	if n, done, err := s.quiet.write(b); done {
		return n, err
	}
	return s.file.Write(b)
}

// Close wakes a Read and a Write that are under way.
func (s *Stream) Close() error { return s.file.Close() }

// SetReadDeadline wakes a Read that is under way when it passes.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.file.SetReadDeadline(t) }

// SyscallConn is that of an os.File.
func (s *Stream) SyscallConn() (syscall.RawConn, error) { return s.file.SyscallConn() }
