// Package guard is the process between a wrapper and its server: what it does, how it is started, and how a killed one's orphans are ended.
// What it is for is told in proxy/transport.
//
// A guard is this same program started again, and a Go program initialises all it is linked with before main. So this package depends on
// little: nothing that needs the packages unicode, reflect or path/filepath. Packages are initialised in the order of their paths, each as
// soon as what it imports is ready (The Go Programming Language Specification, "Program initialization"); so this one comes right after
// package os, and the guard never initialises any of the rest (early.go). A test holds the list of its imports.
//
// On Windows the job object is the kernel's own guard, and only the graces are used.
package guard

import "time"

const (
	EndGrace  = 2 * time.Second // from end of input to SIGTERM
	TermGrace = 2 * time.Second // from SIGTERM to SIGKILL
	// CatchingEvery is how often a guard reports that there is still more to kill.
	CatchingEvery = 500 * time.Millisecond
)
