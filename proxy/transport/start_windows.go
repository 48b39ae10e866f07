package transport

import (
	"context"
	"io"
	"os"
	"sync"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/program"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport/guard"
	"golang.org/x/sys/windows"
)

// Not tested on Windows.

const jobListAttribute = 0x0002000D // PROC_THREAD_ATTRIBUTE_JOB_LIST

// Prepared is a job that waits for its command.
type Prepared struct{ job windows.Handle }

// Prepare creates a job that the kernel kills when its last handle closes: when this process ends, for whatever reason. Call Start or Close
// afterwards.
func Prepare() (*Prepared, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, &StartError{Reason: "its job object: " + err.Error()}
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return nil, &StartError{Reason: "its job object: " + err.Error()}
	}
	return &Prepared{job}, nil
}

// Close gives up a job that got no command.
func (g *Prepared) Close() { windows.CloseHandle(g.job) }

// Start starts c as a member of the job from its first instruction. ctx limits the start, not the server's life. The server's stderr goes
// to tee, chunk by chunk, and to stderr; tee must neither block nor keep the chunk.
func (g *Prepared) Start(ctx context.Context, c Command, stderr io.Writer, tee func([]byte)) (*ServerProcess, error) {
	p, handle, err := g.create(ctx, c, stderr, tee)
	if err != nil {
		g.Close()
		return nil, err
	}
	go p.tree.(*job).watch(p, handle)
	return p, nil
}

func (g *Prepared) create(ctx context.Context, c Command, stderr io.Writer, tee func([]byte)) (*ServerProcess, windows.Handle, error) {
	env := serverEnv(c.Env)
	if err := unusable(c, env); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, &StartError{c.Argv[0], err.Error()}
	}
	if c.Sandbox != nil {
		_, err := sandbox.Bubblewrap()
		return nil, 0, &sandbox.Error{Command: c.Argv[0], Reason: err.Error()}
	}
	path, err := program.Find(c.Argv[0], env, c.Dir)
	if err != nil {
		return nil, 0, &StartError{c.Argv[0], err.Error()}
	}
	if err := forBatch(c.Argv[0], path, c.Argv[1:]); err != nil {
		return nil, 0, err
	}
	ends, err := newPipes()
	if err != nil {
		return nil, 0, &StartError{c.Argv[0], "no pipe for it: " + err.Error()}
	}
	info, err := g.spawn(path, c, env, ends)
	ends.closeServers()
	if err != nil {
		ends.closeOurs()
		return nil, 0, &StartError{c.Argv[0], err.Error()}
	}
	windows.CloseHandle(info.Thread)
	p := &ServerProcess{
		Stdin: ends.ours[0], Stdout: ends.ours[1], pid: int(info.ProcessId),
		tree:   &job{handle: g.job, main: make(chan struct{})},
		stderr: newDrain(ends.ours[2], stderr, tee),
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
	return p, info.Process, nil
}

func (g *Prepared) spawn(path string, c Command, env []string, ends *pipes) (*windows.ProcessInformation, error) {
	attributes, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return nil, err
	}
	defer attributes.Delete()
	handles := ends.servers
	if err := attributes.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&handles[0]), unsafe.Sizeof(handles)); err != nil {
		return nil, err
	}
	jobs := [1]windows.Handle{g.job}
	if err := attributes.Update(jobListAttribute, unsafe.Pointer(&jobs[0]), unsafe.Sizeof(jobs)); err != nil {
		return nil, err
	}
	startup := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	startup.Cb = uint32(unsafe.Sizeof(startup))
	startup.Flags = windows.STARTF_USESTDHANDLES
	startup.StdInput, startup.StdOutput, startup.StdErr = handles[0], handles[1], handles[2]

	application, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	line, err := windows.UTF16PtrFromString(windows.ComposeCommandLine(append([]string{path}, c.Argv[1:]...)))
	if err != nil {
		return nil, err
	}
	var dir *uint16
	if c.Dir != "" {
		if dir, err = windows.UTF16PtrFromString(c.Dir); err != nil {
			return nil, err
		}
	}
	block, err := environmentBlock(env)
	if err != nil {
		return nil, err
	}
	info := &windows.ProcessInformation{}
	const flags = windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT | windows.CREATE_NO_WINDOW
	err = windows.CreateProcess(application, line, nil, nil, true, flags, &block[0], dir, &startup.StartupInfo, info)
	return info, err
}

func environmentBlock(env []string) ([]uint16, error) {
	var block []uint16
	for _, entry := range env {
		if entry == "" {
			continue // an empty string would end the block
		}
		encoded, err := windows.UTF16FromString(entry)
		if err != nil {
			return nil, err
		}
		block = append(block, encoded...)
	}
	if len(block) == 0 {
		block = append(block, 0)
	}
	return append(block, 0), nil
}

// pipes are a server's three pipes: the ends it inherits, and ours.
type pipes struct {
	servers [3]windows.Handle
	ours    [3]*os.File
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	for i := range p.servers {
		var r, w windows.Handle
		if err := windows.CreatePipe(&r, &w, nil, 0); err != nil {
			p.closeServers()
			p.closeOurs()
			return nil, err
		}
		theirs, ours := w, r
		if i == 0 {
			theirs, ours = r, w
		}
		p.servers[i], p.ours[i] = theirs, os.NewFile(uintptr(ours), "server")
		if err := windows.SetHandleInformation(theirs, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			p.closeServers()
			p.closeOurs()
			return nil, err
		}
	}
	return p, nil
}

func (p *pipes) closeServers() {
	for _, h := range p.servers {
		if h != 0 {
			windows.CloseHandle(h)
		}
	}
}

func (p *pipes) closeOurs() {
	for _, f := range p.ours {
		if f != nil {
			f.Close()
		}
	}
}

// A job ends a server's tree. Windows has no SIGTERM for a process without a console, so after the input is closed the job gets both graces
// and is then terminated.
type job struct {
	handle windows.Handle
	main   chan struct{}
	once   sync.Once
}

func (j *job) stop() {
	j.once.Do(func() {
		go func() {
			if !within(j.main, guard.EndGrace+guard.TermGrace) {
				j.kill()
			}
		}()
	})
}

func (j *job) kill()  { windows.TerminateJobObject(j.handle, 1) }
func (j *job) force() { j.kill() }

// catching is false: no process escapes a job object.
func (j *job) catching() bool { return false }

// watch waits for the server's main process, then ends what it left behind, so that stdout reaches its end.
func (j *job) watch(p *ServerProcess, main windows.Handle) {
	defer close(p.gone)
	windows.WaitForSingleObject(main, windows.INFINITE)
	var code uint32
	windows.GetExitCodeProcess(main, &code)
	windows.CloseHandle(main)
	p.end(Exit{Code: int(code)})
	close(j.main)
	j.kill()
}
