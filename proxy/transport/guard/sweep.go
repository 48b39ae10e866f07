//go:build linux || darwin

package guard

import (
	"runtime"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// A sweep kills a tree that may be growing, round by round. root claims the tree's top processes. own is the caller's group, which contains
// no process of a server's tree except a child between fork and setsid.
type sweep struct {
	root        func(table.Process) bool
	own         int
	before, now map[int]bool // processes of the round before, and of this one
	pause       time.Duration
}

// round kills what it finds and calls met for each, zombies too. It reports whether there was anything, and whether there was something new
// since the last round: then there may be more.
func (s *sweep) round(met func(table.Process)) (found, fresh bool) {
	s.before, s.now = s.now, map[int]bool{}
	each := func(p table.Process) {
		s.destroy(p)
		found = true
		fresh = fresh || !s.before[p.PID]
		s.now[p.PID] = true
		if met != nil {
			met(p)
		}
	}
	Descendants(s.root, each)
	chase(s.root, each)
	return found, fresh
}

// Rest is the pause between two rounds. New processes are hunted at once; what cannot be killed (a set-user-id program, a process stuck in
// the kernel) is checked less and less often.
func (s *sweep) Rest(fresh bool) {
	if fresh {
		s.pause = 0
		runtime.Gosched()
		return
	}
	s.pause = min(2*s.pause+50*time.Microsecond, time.Second)
	time.Sleep(s.pause)
}

// destroy kills p and its group, which the kernel does in one go: no member can fork its way out.
func (s *sweep) destroy(p table.Process) {
	if p.Dead {
		return
	}
	if p.Group > 1 && p.Group != s.own {
		syscall.Kill(-p.Group, syscall.SIGKILL)
	}
	syscall.Kill(p.PID, syscall.SIGKILL)
}
