package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Some bounds on time were set on a machine that had time. Here others may have it: its cores, or the other half of each.
const (
	usualPace = 25 * time.Millisecond // what the work below takes there
	worstPace = 4                     // no bound becomes longer than so many times
)

// pace is how many times slower than usual this machine is now: by the processor time of a piece of work, and by the clock.
func pace(t testing.TB) (processor, clock float64) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text, err := json.Marshal(strings.Repeat("A line with \"marks\" of a text. ", 10_000))
	if err != nil {
		t.Fatal(err)
	}
	var before, after syscall.Rusage
	began := time.Now()
	_ = syscall.Getrusage(rusageThread, &before)
	for range 10 {
		var again string
		if json.Unmarshal(text, &again) != nil || sha256.Sum256([]byte(again)) == [32]byte{} {
			t.Fatal("the work was not done")
		}
	}
	_ = syscall.Getrusage(rusageThread, &after)
	spent := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	of := func(d time.Duration) float64 { return min(max(float64(d)/float64(usualPace), 1), worstPace) }
	processor, clock = of(spent), of(time.Since(began))
	t.Logf("this machine is %.1f times slower than usual, by the clock %.1f times", processor, clock)
	return processor, clock
}

const rusageThread = 1 // RUSAGE_THREAD (getrusage(2))

// atPace is a bound at a pace.
func atPace(bound time.Duration, pace float64) time.Duration {
	return time.Duration(float64(bound) * pace)
}
