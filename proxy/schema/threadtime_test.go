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
	b := budget{mostMatching, time.Minute}
	if !b.backtrack(p.other, strings.Repeat("a", 18), time.Millisecond) {
		t.Error("an honest text does not match")
	}
}

// What is matched without asking for the thread's time is paid for by the clock, up to a limit. However late the clock is, checking the largest
// schema can't use up its time that way, so no load makes a schema break the rules of its dialect.
func TestNoLoadMakesASchemaBreakTheRules(t *testing.T) {
	for d, compiled := range checks {
		s, err := compiled()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.all {
			if r.pattern == nil {
				continue
			}
			if r.pattern.linear == nil {
				t.Fatalf("%d: %s is for the engine that goes back", d, r.pattern.source)
			}
			// Each subschema has an address and two anchors, and together they are as long as a schema can be.
			most := time.Duration(r.pattern.program*(3*maxSubschemas+maxBytes)) * perUnit
			t.Logf("%d: %s has to pay %v at most", d, r.pattern.source, most)
			if has := newBudget(maxBytes).matching; most >= has {
				t.Errorf("%d: %s can have to pay %v, and has %v", d, r.pattern.source, most, has)
			}
		}
	}
}
