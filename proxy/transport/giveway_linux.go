package transport

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Policies of sched(7).
const (
	schedOther = 0
	schedBatch = 3
)

// GiveWay makes the threads of this process yield to busy processes (SCHED_BATCH, sched(7)), or stops that, and reports whether it did. It
// is for many calls in flight: a thread that preempts the server after each response forwards one line at a time, one that lets it continue
// forwards all of them (docs/relay.md, "Many calls in flight"). If all processors are busy, a yielding thread waits for one, a few
// milliseconds; an idle one it takes at once.
//
// A process that was given another policy keeps it. Child processes inherit the policy.
func GiveWay(yes bool) bool {
	from, to := schedBatch, schedOther
	if yes {
		from, to = schedOther, schedBatch
	}
	if policyOf(0) != from {
		return false
	}
	for range 8 { // a new thread inherits the policy of its creator
		if changed := setPolicies(from, to); !changed {
			break
		}
	}
	return policyOf(0) == to
}

// setPolicies reports whether it changed any thread.
func setPolicies(from, to int) (changed bool) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err == nil && policyOf(id) == from && setPolicy(id, to) {
			changed = true
		}
	}
	return changed
}

// policyOf returns the policy of a thread, 0 for the calling one; negative if unknown.
func policyOf(thread int) int {
	policy, _, failed := syscall.RawSyscall(syscall.SYS_SCHED_GETSCHEDULER, uintptr(thread), 0, 0)
	if failed != 0 {
		return -1
	}
	return int(policy)
}

func setPolicy(thread, policy int) bool {
	var param struct{ priority int32 } // struct sched_param, 0 for both policies
	_, _, failed := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, uintptr(thread), uintptr(policy), uintptr(unsafe.Pointer(&param)))
	return failed == 0
}
