//go:build linux || darwin

package schema

import (
	"time"

	"golang.org/x/sys/unix"
)

const spareMatching = 50 * time.Millisecond

var began = time.Now()

// threadTime is the processor time that this thread has had.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return time.Since(began) // never less than that
	}
	return time.Duration(now.Nano())
}
