//go:build linux || darwin

package guard

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

const (
	// Arg is the one argument of a guard.
	Arg = "__guard"
	// Mark is in the guard's own environment, never in the server's. A program that is started as a guard and starts one itself stops there.
	Mark = "SALLYPORT_GUARD=1"
	// Program is the descriptor of our own file, for a guard in a sandbox.
	Program = 4
	socket  = 3
)

// environment is the guard's own, not the server's. One processor and no garbage collector keep it small.
func environment() []string { return []string{Mark, "GOMAXPROCS=1", "GOGC=off"} }

// become turns this process into a guard, and never returns.
func become() {
	// The server's parent-death signal fires when the thread that started it ends, so use the thread that lasts as long as the process.
	runtime.LockOSThread()
	os.Exit(guard())
}

func guard() int {
	if _, err := syscall.Getpeername(socket); err != nil {
		os.Stderr.WriteString("sallyport: guard: this is started by sallyport itself, not by hand\n")
		return 2
	}
	syscall.CloseOnExec(socket)
	becomeGuard()
	becomeFirst()
	o, err := readOrder()
	if err != nil {
		return 1 // the wrapper died or changed its mind
	}
	becomeMarked(o.Mark)
	pid, err := run(o)
	if err != nil {
		errno, _ := err.(syscall.Errno)
		tell(Failed, uint32(errno))
		return 1
	}
	tell(Started, uint32(pid))
	letGoOfStdio()

	g := keeper{server: pid, exited: make(chan struct{}), told: make(chan byte, 4), signals: make(chan os.Signal, 1)}
	signal.Notify(g.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	go g.listen()
	go g.keep()
	g.reap()
	tell(Gone, 0)
	return 0
}

// run starts the server on the guard's own stdio.
func run(o Order) (int, error) {
	attr := &syscall.ProcAttr{Dir: o.Dir, Env: o.Env, Files: []uintptr{0, 1, 2}, Sys: serverAttr()}
	pid, err := syscall.ForkExec(o.Path, o.Argv, attr)
	if err == syscall.ENOEXEC && o.Shell {
		pid, err = syscall.ForkExec("/bin/sh", append([]string{"/bin/sh", o.Path}, o.Argv[1:]...), attr)
	}
	return pid, err
}

func readOrder() (Order, error) {
	length := make([]byte, 4)
	if err := readFull(length); err != nil {
		return Order{}, err
	}
	size := get(length)
	if size > maxOrder {
		return Order{}, errOrder
	}
	body := make([]byte, size)
	if err := readFull(body); err != nil {
		return Order{}, err
	}
	return decode(body)
}

func readFull(b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Read(socket, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return errOrder
		}
		b = b[n:]
	}
	return nil
}

// tell may fail because the wrapper is dead; the guard does its work anyway.
func tell(says byte, value uint32) {
	syscall.Write(socket, report(says, value))
}

// letGoOfStdio closes the guard's copies of the server's pipes, so that the other ends notice when the server closes them.
func letGoOfStdio() {
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	for fd := 0; fd <= 2; fd++ {
		if err != nil || dup(null, fd) != nil {
			syscall.Close(fd)
		}
	}
	if err == nil {
		syscall.Close(null)
	}
}

// A keeper watches one server.
type keeper struct {
	server  int
	exited  chan struct{} // closed when the server's main process has been reaped
	told    chan byte
	signals chan os.Signal
}

// reap returns when there are no children left. Under a subreaper every orphan of the tree is a child, so then nothing is left.
func (g *keeper) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			leftovers(g.server)
			return
		}
		if pid == g.server {
			tell(Exited, uint32(status))
			close(g.exited)
		}
	}
}

func (g *keeper) listen() {
	b := make([]byte, 1)
	for {
		n, err := syscall.Read(socket, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			g.told <- ToldStop
			return
		}
		g.told <- b[0]
	}
}

// keep takes the tree from running to gone. It never returns: reap ends the process.
func (g *keeper) keep() {
	const (
		running = iota
		closing
		terminating
	)
	stage := running
	var bound <-chan time.Time
	exited := g.exited
	terminate := func() {
		stage, bound = terminating, time.After(TermGrace)
		g.terminate()
	}
	for {
		told := byte(0)
		select {
		case told = <-g.told:
		case <-g.signals:
			told = ToldStop
		case <-exited:
			exited = nil
			if stage < terminating {
				terminate()
			}
		case <-bound:
			if stage == terminating {
				g.kill()
			}
			terminate()
		}
		switch {
		case told == ToldKill:
			g.kill()
		case told == ToldStop && stage == running:
			stage, bound = closing, time.After(EndGrace)
		}
	}
}

// terminate signals the server's group at once, and then each process that has left it.
func (g *keeper) terminate() {
	syscall.Kill(-g.server, syscall.SIGTERM)
	self := os.Getpid()
	Descendants(func(p table.Process) bool { return p.Parent == self }, func(p table.Process) {
		if p.Group != g.server {
			syscall.Kill(p.PID, syscall.SIGTERM)
		}
	})
}

// kill sweeps until reap ends the process. It reports a tree that forks as fast as it is killed, so that the wrapper does not think the
// guard is stuck.
func (g *keeper) kill() {
	self := os.Getpid()
	s := sweep{root: func(p table.Process) bool { return p.Parent == self }, own: syscall.Getpgrp()}
	for told := time.Now(); ; {
		syscall.Kill(-g.server, syscall.SIGKILL)
		_, fresh := s.round(nil)
		if fresh && time.Since(told) > CatchingEvery {
			told = time.Now()
			tell(Catching, 0)
		}
		s.Rest(fresh)
	}
}
