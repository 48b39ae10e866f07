//go:build unix

package main

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/transport"
)

// pollable makes a client's pipe or socket non-blocking for the runtime's poller: reading a blocking one hands the processor from thread to
// thread for each message, which costs more than all the rest. For a pipe it opens a description of our own if possible, because others who
// share the client's would get EAGAIN; otherwise restore makes it blocking again. Anything else (a terminal) stays as it is.
func pollable(stream any, flag int) (s *transport.Stream, restore func()) {
	none := func() {}
	f, ok := stream.(*os.File)
	if !ok {
		return nil, none
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil, none
	}
	fd := int(f.Fd())
	if info.Mode()&os.ModeNamedPipe != 0 && runtime.GOOS == "linux" {
		if own, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(fd), flag|syscall.O_NONBLOCK, 0); err == nil {
			return transport.NewStream(own, true), none
		}
	}
	if syscall.SetNonblock(fd, true) != nil {
		return nil, none
	}
	return transport.NewStream(os.NewFile(uintptr(fd), f.Name()), false), func() { syscall.SetNonblock(fd, false) }
}

const (
	// hangupInterval is how often a client's input is polled, in addition to being read.
	hangupInterval = 2 * time.Second
	// hangupGrace is how long it may take to read what the client wrote before it left.
	hangupGrace = 3 * time.Second
)

// watchHangup calls gone when the client has closed an end and the session did not notice: it can't while it waits for a server that does
// not read, or has nothing to write. Otherwise neither of them would ever end.
func watchHangup(ctx context.Context, in, out any, gone func()) {
	tick := time.NewTicker(hangupInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if polled(in, pollHangup)&(unix.POLLHUP|pollHangup) != 0 || polled(out, 0)&(unix.POLLHUP|unix.POLLERR) != 0 {
			select {
			case <-ctx.Done():
			case <-time.After(hangupGrace):
				gone()
			}
			return
		}
	}
}

// readable reports whether a stream has unread data.
func readable(stream any) bool { return polled(stream, unix.POLLIN)&unix.POLLIN != 0 }

// polled is what poll(2) reports about a stream now; nothing if it is not a file.
func polled(stream any, events int16) int16 {
	f, ok := stream.(syscall.Conn)
	if !ok {
		return 0
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	var said int16
	_ = conn.Control(func(fd uintptr) { // its error is that of a closed file
		poll := []unix.PollFd{{Fd: int32(fd), Events: events}}
		if n, err := unix.Poll(poll, 0); err == nil && n > 0 {
			said = poll[0].Revents
		}
	})
	return said
}
