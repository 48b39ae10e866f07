//go:build linux || darwin

package transport

import (
	"os"
	"sync"
)

// early is the guard of a wrapper that was started before main. Several looks may ask for it at once: one gets it.
var early struct {
	mu    sync.Mutex
	guard *Prepared
	err   error
}

// init is an exception to "nothing happens before main", made once and only here: what a program initialises before main,
// it initialises for every server twice, one after the other, in the wrapper and in the guard the wrapper starts. This
// package depends on little and therefore comes before most others, so a guard begins its work here and a wrapper starts
// its guard here, and the rest of the wrapper's beginning runs beside the guard's. That is 0.3 to 0.5 of the 5 ms that a
// start may cost (docs/performance.md).
//
// It does something for two command lines only: the one by which Prepare starts a guard, and `wrap`, which starts a server
// in any case. A wrapper that then finds its arguments wrong exits, and its guard with it.
func init() {
	GuardMain()
	if len(os.Args) > 2 && os.Args[1] == "wrap" {
		early.guard, early.err = prepare()
	}
}

// takeEarly returns what init has started, once.
func takeEarly() (g *Prepared, err error, there bool) {
	early.mu.Lock()
	defer early.mu.Unlock()
	g, err, there = early.guard, early.err, early.guard != nil || early.err != nil
	early.guard, early.err = nil, nil
	return g, err, there
}
