package e2e

import (
	"syscall"
	"testing"
)

// inheritsNothing undoes, at the end of a test, what asking a provider in this process does to it: it becomes a subreaper for good. A hub
// that another test's wrapper started would then be left to this process, which reaps nobody, and seem to live on.
func inheritsNothing(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		const setChildSubreaper = 36 // prctl(2)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 0, 0); errno != 0 {
			t.Error(errno)
		}
	})
}
