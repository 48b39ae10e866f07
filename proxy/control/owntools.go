package control

import (
	"os"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// Which wrapper of a client process lists our own two tools (setting own_tools); every wrapper answers calls to them. "" means that no hub
// chooses for this wrapper: it lists them itself.
const (
	OwnToolsHere  = "here"  // this one
	OwnToolsThere = "there" // another one
	OwnToolsLater = "later" // the hub decides within a second
)

// Parent is the process that started a wrapper: together with the client's name, it identifies the client process. Start distinguishes two
// processes with the same pid; it is 0 if the platform doesn't tell.
type Parent struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start,omitempty"`
}

// parentOf returns the process that started this one; its PID is 0 if that is gone or unknown.
func parentOf() Parent {
	pid := os.Getppid()
	if pid <= 0 {
		return Parent{}
	}
	p, err := table.Read(pid)
	if err != nil {
		return Parent{PID: pid}
	}
	return Parent{PID: pid, Start: p.Start}
}

// Ended reports whether a process is known to have ended, even if its parent hasn't waited for it yet.
func Ended(pid int) bool {
	p, err := table.Read(pid)
	return err == nil && p.Dead || os.IsNotExist(err)
}

// registration returns what the link tells the hub about its wrapper, as of now and not of the link's start.
func (l *Link) registration() *Register {
	r := l.options.Register
	r.Lists = l.state.Load().OwnTools == OwnToolsHere
	return &r
}
