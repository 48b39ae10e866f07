//go:build linux || darwin

package schema

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// An honest pattern on a busy machine waits for the processor, and that costs it nothing.
func TestWaitingForTheProcessorIsNotPaidFor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, w := time.Now(), startStopwatch()
	defer w.release()
	over := make(chan time.Time)
	go func() { over <- <-time.After(2 * backtracking) }()
	<-over
	if waited, used := time.Since(began), w.used(); used < 0 || used >= backtracking {
		t.Errorf("%v were paid for of %v", used, waited)
	}
}

// The engine that backtracks knows only the clock on the wall. If that stops it before its time on the processor is over, it begins again.
func TestAPatternThatWasStoppedTooEarlyGetsALongerTry(t *testing.T) {
	p, err := compilePattern("^(?!(a+)+c)a+$")
	if err != nil || p.other == nil {
		t.Fatal(err)
	}
	// It takes ten times as long, and under the race detector two hundred times, which is still less than longestTry.
	b := budget{matching, time.Minute}
	if !b.backtrack(p.other, strings.Repeat("a", 18), time.Millisecond) {
		t.Error("an honest text does not match")
	}
}
