package guard

import (
	"os"
	"syscall"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// ownSession is the session of this process and of its children that did not start their own.
func ownSession() int {
	p, _ := table.Read(os.Getpid())
	return p.Session
}

// An Adoption is what this process inherited from a killed guard. A child counts as such an orphan if it is not one of our guards, is not
// spared, and is in another session: a server's tree starts with setsid, and nobody can join a session from outside.
type Adoption struct {
	sweep
	spare   func() []int
	spared  map[int]bool
	self    int
	session int
}

// Adopt finds out what a killed guard left behind. spare returns children in sessions of their own that are none of it.
func Adopt(_ int, spare func() []int) *Adoption {
	a := &Adoption{spare: spare, self: os.Getpid(), session: ownSession()}
	a.sweep = sweep{root: a.adopted, own: syscall.Getpgrp()}
	return a
}

func (a *Adoption) adopted(p table.Process) bool {
	return p.Parent == a.self && p.Session != a.session && !living.pids[p.PID] && !a.spared[p.PID]
}

// End kills what is there and reaps it. It reports whether anything was there, whether more may come, and how the server ended if it was
// among them. It holds the lock on the living guards so that none is started meanwhile.
func (a *Adoption) End(server int) (found, fresh bool, ended *syscall.WaitStatus) {
	living.Lock()
	defer living.Unlock()
	a.spared = map[int]bool{}
	if a.spare != nil {
		for _, pid := range a.spare() {
			a.spared[pid] = true
		}
	}
	var orphans []int
	found, fresh = a.round(func(p table.Process) {
		if p.Parent == a.self {
			orphans = append(orphans, p.PID)
		}
	})
	for _, pid := range orphans {
		var status syscall.WaitStatus
		if got, _ := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); got == pid && pid == server {
			ended = &status
		}
	}
	return found, fresh, ended
}
