package transport

import (
	"io"
	"sync"
	"time"
)

// A ServerProcess is a running server with everything below it.
type ServerProcess struct {
	// Stdin and Stdout are the pipes themselves. Both may be used while Stop runs. Stdout stays readable after the server
	// ended, until what it wrote is drained: then it is at its end, even if a descendant still holds it open.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	pid    int // of a walled server the number it has inside
	box    int // the process that is its sandbox, 0 without one
	pipes  [2]uint64
	tree   tree
	stderr *drain

	ending sync.Once
	exit   Exit
	exited chan struct{}
	gone   chan struct{}
}

// A tree ends what descends from the server, each platform in its own way. No method waits.
type tree interface {
	stop()  // end of input was given: wait endGrace, terminate, wait termGrace, kill
	kill()  // kill now
	force() // the other two had no effect: by other means
	// catching reports whether something new of the tree was met and killed within the last forceAfter.
	catching() bool
}

// forceAfter is how long past the last bound of the shutdown a guard may take before it is taken for stopped or stuck.
const forceAfter = 3 * time.Second

// catchingEvery is how often what catches more and more says so.
const catchingEvery = 500 * time.Millisecond

// flushGrace is how long Stop waits for a reader of our stderr to take the server's last words.
const flushGrace = 250 * time.Millisecond

// PID is the server's main process; in a sandbox it is looked for, and 0 if it is gone.
func (p *ServerProcess) PID() int {
	if p.box != 0 {
		return seenOutside(p.box, p.pid)
	}
	return p.pid
}

// Pipes are the inodes of the server's input and output as it was started with them, 0 where there are none.
func (p *ServerProcess) Pipes() (input, output uint64) { return p.pipes[0], p.pipes[1] }

// Exited is closed when the server's main process has ended. What it started may live for two seconds more.
func (p *ServerProcess) Exited() <-chan struct{} { return p.exited }

// Exit is how the main process ended. It waits for Exited.
func (p *ServerProcess) Exit() Exit {
	<-p.exited
	return p.exit
}

// Stop ends the server: end of input, 2 s later SIGTERM, 2 s later SIGKILL to the last descendant. It returns when nothing
// of the tree is alive, and may be called again and by several.
func (p *ServerProcess) Stop() {
	p.Stdin.Close()
	p.tree.stop()
	p.await(endGrace + termGrace + forceAfter)
}

// Kill ends the server without grace and returns when nothing of the tree is alive.
func (p *ServerProcess) Kill() {
	p.tree.kill()
	p.Stdin.Close()
	p.await(forceAfter)
}

// await returns when the tree is gone, or twice forceAfter too late: what then lives cannot be killed by this user, and a
// client waits for us. A tree that forks as fast as it is killed is waited for as long as that goes on.
func (p *ServerProcess) await(bound time.Duration) {
	for forced := false; !within(p.gone, bound); bound = forceAfter {
		if p.tree.catching() {
			continue
		}
		if forced {
			break
		}
		forced = true
		p.tree.force()
	}
	within(p.stderr.written, flushGrace)
}

func (p *ServerProcess) end(exit Exit) {
	p.ending.Do(func() {
		p.exit = exit
		close(p.exited)
	})
}

func within(done <-chan struct{}, bound time.Duration) bool {
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
