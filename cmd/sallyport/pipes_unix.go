//go:build unix

package main

import (
	"os"
	"syscall"
)

// pollable is a client's pipe or socket that the runtime waits for without a thread: reading a blocking one hands the
// processor from thread to thread for each message, which costs more than all that is done with it. restore makes it
// blocking again, for whoever shares it. Anything that is no pipe and no socket (a terminal) stays as it is.
func pollable(stream any) (file *os.File, restore func()) {
	f, ok := stream.(*os.File)
	if !ok {
		return nil, func() {}
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil, func() {}
	}
	fd := int(f.Fd())
	if syscall.SetNonblock(fd, true) != nil {
		return nil, func() {}
	}
	return os.NewFile(uintptr(fd), f.Name()), func() { syscall.SetNonblock(fd, false) }
}
