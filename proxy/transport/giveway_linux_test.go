package transport

import (
	"os"
	"runtime"
	"strconv"
	"testing"
)

// policies counts the threads of this process by their policy.
func policies(t *testing.T) map[int]int {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, thread := range threads {
		id, _ := strconv.Atoi(thread.Name())
		if policy := policyOf(id); policy >= 0 { // else it has ended
			count[policy]++
		}
	}
	return count
}

func TestAllThreadsGiveWayThoseMadeMeanwhileToo(t *testing.T) {
	if !GiveWay(true) {
		t.Fatal("not done")
	}
	defer GiveWay(false)
	over := make(chan struct{})
	started := make(chan struct{})
	for range 4 {
		go func() {
			runtime.LockOSThread() // a thread of its own
			started <- struct{}{}
			<-over
		}()
		<-started
	}
	if got := policies(t); got[schedOther] != 0 || got[schedBatch] < 5 {
		t.Errorf("threads by policy: %v, want all of policy %d", got, schedBatch)
	}
	if GiveWay(true) {
		t.Error("a second time: done, want false")
	}
	if !GiveWay(false) {
		t.Error("not taken back")
	}
	if got := policies(t); got[schedBatch] != 0 || got[schedOther] < 5 {
		t.Errorf("threads by policy afterwards: %v, want all of policy %d", got, schedOther)
	}
	close(over)
}

func TestAProcessThatWasGivenAnotherPolicyKeepsIt(t *testing.T) {
	const idle = 5 // SCHED_IDLE
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !setPolicy(0, idle) {
		t.Fatal("no such policy")
	}
	defer setPolicy(0, schedOther)
	if GiveWay(true) || GiveWay(false) {
		t.Error("done, want false")
	}
	if got := policyOf(0); got != idle {
		t.Errorf("policy %d, want %d", got, idle)
	}
}
