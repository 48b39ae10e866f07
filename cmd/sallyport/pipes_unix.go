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

// pollable is a client's pipe or socket that the runtime waits for without a thread: reading a blocking one hands the
// processor from thread to thread for each message, which costs more than all that is done with it. Of a pipe it is a
// description of our own where the system gives one, or somebody who shares the client's would be told to try again; else
// restore makes it blocking again. Anything that is no pipe and no socket (a terminal) stays as it is.
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
	// hangupInterval is how often a client's input is looked at beside being read.
	hangupInterval = 2 * time.Second
	// hangupGrace is how long what the client wrote before it went may take to be read.
	hangupGrace = 3 * time.Second
)

// watchHangup calls gone when the client has closed an end and the session did not notice: it cannot where it waits for a
// server that does not read, nor where it has nothing to write. Then nothing would ever end either of them.
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

// readable says whether there is something to read from a stream that nobody has read yet.
func readable(stream any) bool { return polled(stream, unix.POLLIN)&unix.POLLIN != 0 }

// polled is what poll(2) says of a stream now; of what is no file it says nothing.
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
