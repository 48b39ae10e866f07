//go:build linux || darwin

package transport

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy/program"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport/guard"
)

// Prepared is a guard that waits for its command. The server's pipes are created with it.
type Prepared struct {
	*guard.Process
	walled bool                      // it is in a sandbox, made by bubblewrap
	caught atomic.Pointer[time.Time] // when a new process of the tree was last killed
}

// Prepare starts a guard before the command is known, so that the wrapper's and the guard's initialisation overlap. Call Start or Close
// afterwards. Prepare and Start belong to one goroutine until the first Start has returned.
func Prepare() (*Prepared, error) {
	g, err := guard.Prepare()
	if err != nil {
		return nil, &StartError{Reason: err.Error()}
	}
	return &Prepared{Process: g}, nil
}

// Close ends a guard that got no command.
func (g *Prepared) Close() {
	g.CloseFiles()
	g.Bury()
}

// inode is the number of a pipe, the same at both ends.
func inode(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(s.Ino)
}

// Start tells the guard to start c, and returns when the program runs or could not be started (*StartError). ctx limits the start, not the
// server's life. The server's stderr goes to tee, chunk by chunk, and to stderr; the server never blocks on a stderr that nobody reads or
// that is nil. tee must neither block nor keep the chunk.
func (g *Prepared) Start(ctx context.Context, c Command, stderr io.Writer, tee func([]byte)) (*ServerProcess, error) {
	path, message, err := g.prepare(c)
	if err == nil && ctx.Err() != nil {
		err = &StartError{c.Argv[0], ctx.Err().Error()}
	}
	if err == nil && c.Sandbox != nil {
		var inside *Prepared
		if inside, err = enter(c, path); err == nil {
			g.Close() // it can't serve a server inside the sandbox
			g = inside
		}
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	unbound := context.AfterFunc(ctx, func() { g.Socket.SetDeadline(time.Now()) })
	says, value, err := g.order(message)
	switch {
	case !unbound() || err != nil && ctx.Err() != nil:
		err = &StartError{c.Argv[0], "stopped while it started: " + context.Cause(ctx).Error()}
	case err != nil && g.walled:
		err = g.wallsFailed(c)
	case err != nil:
		err = &StartError{c.Argv[0], "its guard process ended"}
	case says == guard.Failed && g.walled:
		err = explainInside(c, path, syscall.Errno(value))
	case says == guard.Failed:
		err = explain(c.Argv[0], path, c.Dir, syscall.Errno(value))
	case says != guard.Started:
		err = &StartError{c.Argv[0], "its guard process is not of this version: restart the client"}
	}
	if err != nil {
		if says != guard.Failed || ctx.Err() != nil { // the server may be running
			syscall.Kill(g.PID, syscall.SIGKILL)
			g.Bury()
			g.abandoned(0, c.Spare)
			g.CloseFiles()
		} else {
			g.Close()
		}
		return nil, err
	}
	g.Socket.SetDeadline(time.Time{})
	out := stdout{NewStream(g.Stdout, true)}
	p := &ServerProcess{
		Stdin: NewStream(g.Stdin, true), Stdout: out, pid: int(value), tree: g,
		stderr: newDrain(g.Stderr, stderr, tee),
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
	p.pipes = [2]uint64{inode(g.Stdin), inode(g.Stdout)}
	if g.walled {
		p.box = g.PID
	}
	go g.watch(p, out, c.Spare)
	return p, nil
}

// prepare checks everything that can be known before the guard is asked.
func (g *Prepared) prepare(c Command) (path string, message []byte, err error) {
	env := c.Sandbox.Environment(serverEnv(c.Env))
	if err := unusable(c, env); err != nil {
		return "", nil, err
	}
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
			return "", nil, &StartError{c.Argv[0], "its working folder does not exist"}
		}
	}
	if path, err = program.Find(c.Argv[0], env, c.Dir); err != nil {
		return "", nil, &StartError{c.Argv[0], err.Error()}
	}
	order := guard.Order{Path: path, Dir: c.Dir, Argv: c.Argv, Env: env, Mark: Mark(), Shell: program.ForShell(program.FromDir(path, c.Dir))}
	if message, err = order.Encode(); err != nil {
		return "", nil, explain(c.Argv[0], path, c.Dir, syscall.E2BIG)
	}
	return path, message, nil
}

func (g *Prepared) order(message []byte) (says byte, value uint32, err error) {
	if _, err := g.Socket.Write(message); err != nil {
		return 0, 0, err
	}
	return g.hear()
}

func (g *Prepared) hear() (says byte, value uint32, err error) {
	b := make([]byte, 5)
	_, err = io.ReadFull(g.Socket, b)
	return b[0], binary.LittleEndian.Uint32(b[1:]), err
}

// watch follows the guard until nothing of the server is left.
func (g *Prepared) watch(p *ServerProcess, out stdout, spare func() []int) {
	defer close(p.gone)
	defer g.Socket.Close()
	clean := false
	for {
		says, value, err := g.hear()
		if err != nil {
			break
		}
		switch says {
		case guard.Exited:
			p.end(exitOf(syscall.WaitStatus(value)))
			out.serverEnded()
		case guard.Catching:
			g.caughtOne()
		case guard.Gone:
			clean = true
		}
	}
	// The socket closes before the kernel gives the orphans their new parent; the guard's own end comes after that.
	g.Bury()
	if !clean {
		if status := g.abandoned(p.pid, spare); status != nil && !g.walled { // inside, the number is a different one
			p.end(exitOf(*status))
		}
	}
	p.end(exitOf(syscall.WaitStatus(syscall.SIGKILL)))
	out.serverEnded()
}

// wallsFailed says why a sandbox was not made: bubblewrap reports it on the stderr meant for the server.
func (g *Prepared) wallsFailed(c Command) error {
	g.Stderr.SetReadDeadline(time.Now().Add(time.Second))
	said, _ := io.ReadAll(io.LimitReader(g.Stderr, 4<<10))
	return &sandbox.Error{Command: c.Argv[0], Reason: sandbox.Explain(string(said))}
}

// explainInside is explain for a program that exists outside, but perhaps not inside.
func explainInside(c Command, path string, errno syscall.Errno) error {
	if _, err := os.Stat(program.FromDir(path, c.Dir)); err == nil && errno == syscall.ENOENT && len(program.Shebang(program.FromDir(path, c.Dir))) == 0 {
		return &StartError{c.Argv[0], "its program, or what it needs to start, is in a folder that its sandbox (" + c.Sandbox.String() + ") hides"}
	}
	return explain(c.Argv[0], path, c.Dir, errno)
}

func (g *Prepared) stop() { g.Socket.Write([]byte{guard.ToldStop}) }
func (g *Prepared) kill() { g.Socket.Write([]byte{guard.ToldKill}) }

// force leaves the tree to this process.
func (g *Prepared) force() { g.Process.Kill() }

func (g *Prepared) catching() bool {
	last := g.caught.Load()
	return last != nil && time.Since(*last) < forceAfter
}

func (g *Prepared) caughtOne() {
	now := time.Now()
	g.caught.Store(&now)
}

// abandoned ends what a killed guard left behind, and returns when all of it is gone.
func (g *Prepared) abandoned(server int, spare func() []int) (ended *syscall.WaitStatus) {
	for a := guard.Adopt(server, spare); ; {
		found, fresh, status := a.End(server)
		if status != nil {
			ended = status
		}
		if !found {
			return ended
		}
		if fresh {
			g.caughtOne()
		}
		a.Rest(fresh)
	}
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: status.Signal().String()}
	}
	return Exit{Code: status.ExitStatus()}
}

// explain describes the errno of a failed exec. The kernel says "no such file" for a missing interpreter too, and "permission denied" for a
// folder.
func explain(name, path, dir string, errno syscall.Errno) error {
	full := program.FromDir(path, dir)
	info, err := os.Stat(full)
	reason := errno.Error()
	switch {
	case errno == syscall.ENOENT && err != nil:
		reason = "no such file: install it, or correct the path"
	case err != nil:
	case info.IsDir():
		reason = "it is a folder, not a program"
	case errno == syscall.EACCES && !program.Runnable(full):
		reason = "permission denied: the file is not executable"
	case errno == syscall.ENOEXEC:
		reason = "not a program for this machine (exec format error)"
	case errno == syscall.E2BIG:
		reason = "its arguments and environment are too long for this system"
	case errno == syscall.ENOENT, errno == syscall.EACCES, errno == syscall.ENOTDIR, errno == syscall.ELOOP:
		if words := program.Shebang(full); len(words) > 0 {
			reason = "its interpreter " + strconv.QuoteToGraphic(words[0]) + ": " + errno.Error()
		} else if errno == syscall.ENOENT {
			reason = "the program loader it needs is not installed"
		}
	}
	return &StartError{name, reason}
}

func isOwn(entry string) bool { return strings.HasPrefix(entry, ownPrefix) }
