package control

import (
	"os"

	"github.com/sallyport/sallyport/proxy/proc"
)

// Which wrapper of a client process lists our own two tools (setting own_tools): every one answers calls to them. "" is a wrapper for which
// no hub chooses: it lists them itself.
const (
	OwnToolsHere  = "here"  // this one
	OwnToolsThere = "there" // another one
	OwnToolsLater = "later" // the hub says so within a second
)

// Parent is the process that started a wrapper: with the name of the client it is the client process. Start tells two processes with
// one number apart, 0 where the platform does not say.
type Parent struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start,omitempty"`
}

// parentOf is the process that started this one; one without a number where it is gone or cannot be told.
func parentOf() Parent {
	pid := os.Getppid()
	if pid <= 0 {
		return Parent{}
	}
	p, err := proc.Read(pid)
	if err != nil {
		return Parent{PID: pid}
	}
	return Parent{PID: pid, Start: p.Start}
}

// Ended says that a process is known to be over, though nobody may have waited for it.
func Ended(pid int) bool {
	p, err := proc.Read(pid)
	return err == nil && p.Dead || os.IsNotExist(err)
}

// registration is what the link says of its wrapper when it connects: now, and not when it began.
func (l *Link) registration() *Register {
	r := l.options.Register
	r.Lists = l.state.Load().OwnTools == OwnToolsHere
	return &r
}
