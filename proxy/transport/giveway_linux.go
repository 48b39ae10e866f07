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

// GiveWay has the threads of this process give way to whoever computes (SCHED_BATCH, sched(7)), or no longer, and says
// whether it was done. It is for many calls in flight: a thread that takes the processor from the server after each of its
// answers hands on one line at a time, and one that lets it go on hands on all of them (docs/relay.md, "Many calls in
// flight"). One that is woken while all processors are busy waits for one, a few milliseconds; an idle one it takes at once.
//
// A process that was given another policy keeps it. What is started by a process that gives way does so too.
func GiveWay(yes bool) bool {
	from, to := schedBatch, schedOther
	if yes {
		from, to = schedOther, schedBatch
	}
	if policyOf(0) != from {
		return false
	}
	for range 8 { // a thread that is made meanwhile has the policy of the one that made it
		if changed := setPolicies(from, to); !changed {
			break
		}
	}
	return policyOf(0) == to
}

// setPolicies says whether a thread was given its new policy.
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

// policyOf is that of a thread, 0 the calling one; below 0 where it is not known.
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
