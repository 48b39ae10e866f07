//go:build linux || darwin

package guard

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
)

// living are the guards of this process that were not reaped yet. It is global because the process table is. It tells a guard from an
// orphan that another guard left behind.
var living = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// A Process is a guard that was started, with the server's pipes and the socket to give it its order.
type Process struct {
	PID    int // the guard, or bubblewrap if the guard is in a sandbox
	Socket *os.File
	Stdin  *os.File
	Stdout *os.File
	Stderr *os.File
}

// Prepare starts a guard that waits for its order. In a wrapper it was started before main. The error is a reason in our words.
func Prepare() (*Process, error) {
	if g, err, there := takeEarly(); there {
		return g, err
	}
	return prepare()
}

func prepare() (*Process, error) {
	if slices.Contains(os.Environ(), Mark) {
		return nil, errors.New("this process is a guard itself, and can't start servers")
	}
	becomeSubreaper() // without it (an old kernel) the guard still does what it can
	path, err := own()
	if err != nil {
		return nil, errors.New("its guard process: " + err.Error())
	}
	return Spawn(path, []string{os.Args[0], Arg}, nil)
}

// Spawn runs a program that is a guard, or becomes one, on the server's pipes and our socket. program is one more file to pass.
func Spawn(path string, argv []string, program *os.File) (*Process, error) {
	g := &Process{}
	var fds [4]int // for the guard
	opened := 0
	defer func() {
		for _, fd := range fds[:opened] {
			syscall.Close(fd)
		}
	}()
	for i, open := range []func() (ours, theirs int, err error){
		func() (int, int, error) { r, w, err := pipe(); return w, r, err },
		pipe, pipe, socketpair,
	} {
		ours, theirs, err := open()
		if err != nil {
			g.CloseFiles()
			return nil, errors.New("no pipe for it: " + err.Error())
		}
		fds[i] = theirs
		opened++
		syscall.SetNonblock(ours, true)
		*[]**os.File{&g.Stdin, &g.Stdout, &g.Stderr, &g.Socket}[i] = os.NewFile(uintptr(ours), "server")
	}
	files := []uintptr{uintptr(fds[0]), uintptr(fds[1]), uintptr(fds[2]), uintptr(fds[3])}
	if program != nil {
		files = append(files, program.Fd())
	}
	living.Lock()
	defer living.Unlock()
	var err error
	g.PID, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: environment(), Files: files, Sys: attributes()})
	if err != nil {
		g.CloseFiles()
		return nil, errors.New("its guard process: " + err.Error())
	}
	living.pids[g.PID] = true
	return g, nil
}

func (g *Process) CloseFiles() {
	for _, f := range []*os.File{g.Stdin, g.Stdout, g.Stderr, g.Socket} {
		if f != nil {
			f.Close()
		}
	}
}

// Bury waits for the guard's end, after which its orphans have their new parent.
func (g *Process) Bury() {
	for {
		if _, err := syscall.Wait4(g.PID, nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	living.Lock()
	delete(living.pids, g.PID)
	living.Unlock()
}

// Kill kills a guard that the server has stopped or that hangs: the tree then falls to this process.
func (g *Process) Kill() {
	living.Lock()
	defer living.Unlock()
	if living.pids[g.PID] {
		syscall.Kill(g.PID, syscall.SIGKILL)
	}
}
