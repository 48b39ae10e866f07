package control

import (
	"os"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc"
)

// StartedInside says whether a program inside a wrapped server started this process. What it started opens no window: that would
// be a screen of the server's own choice, on which it could press the buttons itself. A wrapper that brings up the hub is
// another matter, as our parent and on its client's screen: that is the person's.
func StartedInside() bool {
	in, err := peer.OurInstallation(installed())
	if err != nil {
		return true
	}
	defer in.Close()
	if peer.Marked(os.Getpid()) {
		return true
	}
	parent := os.Getppid()
	if !in.Descends(parent, nil) {
		return false
	}
	p, err := proc.Read(parent)
	if err != nil || in.Descends(p.Parent, nil) {
		return true
	}
	argv, err := proc.Args(parent)
	if err != nil || len(argv) < 2 || argv[1] != "wrap" && argv[1] != "probe" {
		return true
	}
	theirs, err := proc.Environ(parent)
	if err != nil {
		return true
	}
	screen := screenIn(theirs)
	if argv[1] == "wrap" {
		screen = clientScreen(parent)
	}
	return !screen.equal(screenIn(os.Environ())) || os.Getenv("XDG_RUNTIME_DIR") != valueIn(theirs, "XDG_RUNTIME_DIR")
}
