package transport

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/transport/guard"
)

// A ServerProcess is a running server with everything below it.
type ServerProcess struct {
	// Stdin and Stdout are the pipes themselves. Both can be used while Stop runs. Stdout stays readable after the server has ended, until
	// its output is drained; then it is at its end, even if a descendant still holds it open.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	pid    int // the number inside, if it is in a sandbox
	box    int // the sandbox's process, 0 without one
	pipes  [2]uint64
	tree   tree
	stderr *drain

	ending sync.Once
	exit   Exit
	exited chan struct{}
	gone   chan struct{}
}

// A tree ends the descendants of the server, in each platform's way. No method blocks.
type tree interface {
	stop()  // the input is closed: wait guard.EndGrace, terminate, wait guard.TermGrace, kill
	kill()  // kill now
	force() // stop and kill had no effect: use other means
	// catching reports whether a new process of the tree was found and killed within the last forceAfter.
	catching() bool
}

const (
	// forceAfter is how long a guard may overrun the shutdown before it counts as stopped or stuck.
	forceAfter = 3 * time.Second
	// flushGrace is how long Stop waits for a reader of our stderr to take the server's last output.
	flushGrace = 250 * time.Millisecond
)

// Start starts a server. See Prepared.Start.
func Start(ctx context.Context, c Command, stderr io.Writer, tee func([]byte)) (*ServerProcess, error) {
	g, err := Prepare()
	if e, ok := err.(*StartError); ok && len(c.Argv) > 0 {
		e.Command = c.Argv[0]
	}
	if err != nil {
		return nil, err
	}
	return g.Start(ctx, c, stderr, tee)
}

// PID is the server's main process. In a sandbox it has to be looked up, and is 0 if it is gone.
func (p *ServerProcess) PID() int {
	if p.box != 0 {
		return seenOutside(p.box, p.pid)
	}
	return p.pid
}

// Pipes are the inodes of the pipes that the server started with, 0 if there are none.
func (p *ServerProcess) Pipes() (input, output uint64) { return p.pipes[0], p.pipes[1] }

// Exited is closed when the server's main process has ended. Its descendants may live two seconds longer.
func (p *ServerProcess) Exited() <-chan struct{} { return p.exited }

// Exit says how the main process ended. It waits for Exited.
func (p *ServerProcess) Exit() Exit {
	<-p.exited
	return p.exit
}

// Stop ends the server: it closes the input, sends SIGTERM 2 s later, and 2 s after that SIGKILL to the last descendant. It returns when
// nothing of the tree is alive. It can be called again, and concurrently.
func (p *ServerProcess) Stop() {
	p.Stdin.Close()
	p.tree.stop()
	p.await(guard.EndGrace + guard.TermGrace + forceAfter)
}

// Kill ends the server without grace and returns when nothing of the tree is alive.
func (p *ServerProcess) Kill() {
	p.tree.kill()
	p.Stdin.Close()
	p.await(forceAfter)
}

// await returns when the tree is gone, or twice forceAfter after the bound: this user can't kill what is left then, and a client waits for
// us. It keeps waiting for a tree that forks as fast as it is killed.
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
	select {
	case <-done:
		return true
	case <-time.After(bound):
		return false
	}
}
