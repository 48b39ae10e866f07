package control

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// StartedInside reports whether a program inside a wrapped server started this process. Such a process opens no window: the server would
// choose the screen and could press the buttons itself. The exception is a wrapper that starts the hub as our direct parent: the window
// opens on its client's screen, which is the person's.
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
	p, err := table.Read(parent)
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

// clientScreen returns the screen that a wrapper's client was started with: the environment of the wrapper's parent, read from the kernel.
// A shell started for a single command (sh -c) doesn't count as the client, because it may have the entry's variables; its parent is used
// instead. It returns nil if this can't be read.
func clientScreen(wrapper int) screen {
	p, err := table.Read(wrapper)
	for range maxShells {
		if err != nil || p.Parent <= 0 {
			return nil
		}
		child := p
		if p, err = table.Read(child.Parent); err != nil {
			return nil
		}
		argv, bad := proc.Args(p.PID)
		if bad != nil || len(argv) == 0 {
			return nil
		}
		if runsOneCommand(argv) {
			continue
		}
		environ, bad := proc.Environ(p.PID)
		// If the child still has this parent, what was read is not about a later process with the same pid.
		if again, gone := table.Read(child.PID); bad != nil || gone != nil || again.Parent != p.PID || again.Start != child.Start {
			return nil
		}
		return screenIn(environ)
	}
	return nil
}

// maxShells is how many shells there may be between a client and a wrapper.
const maxShells = 8

var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"}

// runsOneCommand reports whether argv is a shell's that was given its command (-c, also among other letters).
func runsOneCommand(argv []string) bool {
	name := strings.TrimPrefix(path.Base(argv[0]), "-")
	return slices.Contains(shells, name) && slices.ContainsFunc(argv[1:], func(word string) bool {
		return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, "c")
	})
}
