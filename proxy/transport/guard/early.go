//go:build linux || darwin

package guard

import (
	"os"
	"sync"
)

// early is a wrapper's guard, started before main. Several callers may ask for it at once; one gets it.
var early struct {
	mu    sync.Mutex
	guard *Process
	err   error
}

// init is the one exception to "nothing happens before main". Everything a program initialises before main is paid twice for every server,
// first in the wrapper and then in the guard it starts. This package is initialised before most others (doc.go), so the guard works here
// and never initialises the rest, and a wrapper starts its guard here, in parallel with the rest of its own initialisation.
//
// It acts on two command lines only: the one with which Prepare starts a guard, and `wrap`, which always starts a server. If the wrapper
// then finds its arguments wrong, it exits, and its guard with it.
func init() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == Arg:
		become()
	case len(os.Args) > 2 && os.Args[1] == "wrap":
		early.guard, early.err = prepare()
	}
}

// takeEarly returns the guard that init started, once.
func takeEarly() (g *Process, err error, there bool) {
	early.mu.Lock()
	defer early.mu.Unlock()
	g, err, there = early.guard, early.err, early.guard != nil || early.err != nil
	early.guard, early.err = nil, nil
	return g, err, there
}
