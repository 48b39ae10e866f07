package launch

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/transport"
)

// process is a server that does not end.
func process(pid int) Server {
	return Server{PID: func() int { return pid }}
}

// This replaces npx: after a while it starts a package's script through an interpreter. The end-to-end tests use the real npx, uvx and
// node.
func TestThePackageIsSeenInTheProcessTable(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	server := put(t, filepath.Join(dir, "node_modules", "server", "cli.sh"), "read line\n")
	put(t, filepath.Join(dir, "node_modules", "server", "package.json"), `{"name":"server","version":"2.0.0"}`)
	helper := put(t, filepath.Join(dir, "node_modules", "npm", "bin", "npm.sh"), "exec 3<&0\nsh "+server+" <&3 &\nwait\n")
	put(t, filepath.Join(dir, "node_modules", "npm", "package.json"), `{"name":"npm","version":"11.0.0"}`)
	put(t, filepath.Join(bin, "npx"), "#!/bin/sh\nexec 3<&0\nsh "+helper+" <&3 &\nwait\n")
	command := transport.Command{Argv: []string{"npx", "server"}, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, Dir: dir}

	l, err := At(command, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !l.Runs() || l.Form.Complete() {
		t.Fatal("what npx runs is taken for known before it runs")
	}
	cmd := exec.Command(filepath.Join(bin, "npx"), "server")
	cmd.Env, cmd.Dir = command.Env, dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	close(answered)
	if !l.Running(ctx, process(cmd.Process.Pid), answered) {
		t.Error("it is taken for over")
	}
	if p := l.Form.Package; p == nil || p.Name != "server" || p.Version != "2.0.0" || p.Entry != "cli.sh" {
		t.Errorf("seen running: %+v", p)
	}
	if !l.Form.Complete() {
		t.Errorf("not complete: %+v", l.Form)
	}
}

// started starts a command as the wrapper would, and returns its look, completed after the first response.
func started(t *testing.T, command transport.Command) *Look {
	t.Helper()
	l, err := At(command, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(l.target.Path, command.Argv[1:]...)
	cmd.Args[0], cmd.Env, cmd.Dir = command.Argv[0], command.Env, command.Dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	close(answered)
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	server := process(cmd.Process.Pid)
	server.Input, server.Output = pipeOf(t, in), pipeOf(t, out)
	if !l.Running(t.Context(), server, answered) || !l.Form.Complete() {
		t.Fatalf("not seen: %+v", l.Form)
	}
	return l
}

func pipeOf(t *testing.T, end any) uint64 {
	t.Helper()
	info, err := end.(interface{ Stat() (os.FileInfo, error) }).Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// interpreter is a real python with a PATH that finds it. The one in a person's PATH may be a shim that starts another.
func interpreter(t *testing.T) (python, path string) {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output()
	if err != nil {
		t.Fatal(err)
	}
	python = strings.TrimSpace(string(out))
	bin := t.TempDir()
	if err := os.Symlink(python, filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}
	return python, "PATH=" + bin + ":/usr/bin:/bin"
}

// The servers of this test answer with one line and wait for the end of their input.
func TestTheProgramThatAnswersIsSeen(t *testing.T) {
	python, path := interpreter(t)
	for name, test := range map[string]struct {
		argv    []string
		program string // base name of the program that answers, "" for the command itself
		script  string
		loads   string
	}{
		"a program":                                    {argv: []string{"python3", "server.py"}},
		"a script that the kernel starts":              {argv: []string{"./server.py"}},
		"a script behind env":                          {argv: []string{"env", "A=b", "python3", "server.py"}},
		"a shell's own words":                          {argv: []string{"sh", "-c", "echo hello; read line"}},
		"a shell's script":                             {argv: []string{"sh", "server.sh"}},
		"a shell that becomes another":                 {argv: []string{"sh", "-c", "exec python3 server.py"}, program: "python3", script: "server.py"},
		"a shell that waits for another":               {argv: []string{"sh", "-c", "python3 server.py; true"}, program: "python3", script: "server.py"},
		"a script that becomes another":                {argv: []string{"sh", "exec.sh"}, program: "python3", script: "server.py"},
		"a program that becomes another of its kind":   {argv: []string{"python3", "becomes.py"}, program: "python3", script: "server.py"},
		"a program that starts another of its kind":    {argv: []string{"python3", "starts.py"}, program: "python3", script: "server.py"},
		"a program whose child talks to somebody else": {argv: []string{"python3", "asks.py"}},
		"a shell that starts one that hides its pipes": {argv: []string{"sh", "-c", "python3 moves.py; true"}, program: "python3", script: "moves.py"},
		"a program with a worker":                      {argv: []string{"python3", "forks.py"}},
		"a module of the folder":                       {argv: []string{"python3", "-m", "pkg.server"}},
		"a shell that runs a module of the folder":     {argv: []string{"sh", "-c", "exec python3 -m pkg.server"}, program: "python3", script: "pkg/server.py"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			body := "import sys\nprint('hello', flush=True)\nsys.stdin.read()\n"
			put(t, filepath.Join(dir, "server.py"), "#!"+python+"\n"+body)
			put(t, filepath.Join(dir, "pkg", "server.py"), body)
			put(t, filepath.Join(dir, "server.sh"), "echo hello\nread line\n")
			put(t, filepath.Join(dir, "exec.sh"), "exec python3 server.py\n")
			put(t, filepath.Join(dir, "becomes.py"), "import os, sys\nos.execv(sys.executable, [sys.executable, 'server.py'])\n")
			put(t, filepath.Join(dir, "starts.py"), "import subprocess, sys\nsubprocess.run([sys.executable, 'server.py'])\n")
			put(t, filepath.Join(dir, "asks.py"), "import subprocess\np = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"+body)
			put(t, filepath.Join(dir, "moves.py"), "import os\na, b = os.dup(0), os.dup(1)\nn = os.open('/dev/null', os.O_RDWR)\nos.dup2(n, 0)\nos.dup2(2, 1)\nos.write(b, b'hello\\n')\nos.read(a, 1)\n")
			put(t, filepath.Join(dir, "forks.py"), "import os, sys, time\nr, w = os.pipe()\nif os.fork() == 0:\n  os.close(w)\n  os.read(r, 1)\n  os._exit(0)\nos.close(r)\n"+body)
			l := started(t, transport.Command{Argv: test.argv, Dir: dir, Env: []string{path}})
			a := l.Form.Answers
			if (a != nil) != (test.program != "") {
				t.Fatalf("answers: %+v", a)
			}
			if a == nil {
				return
			}
			if a.Executable.Path != python || len(a.Executable.SHA256) != 64 {
				t.Errorf("program %+v, want %s", a.Executable, python)
			}
			if a.Script == nil || a.Script.Path != filepath.Join(dir, test.script) || len(a.Script.SHA256) != 64 {
				t.Errorf("script %+v", a.Script)
			}
		})
	}
}

// Between the look and the start, the program or its script is replaced.
func TestAFileThatIsExchangedBeforeTheStartIsFound(t *testing.T) {
	python, env := interpreter(t)
	dir := t.TempDir()
	body := "import sys\nprint('hello', flush=True)\nsys.stdin.read()\n"
	path := put(t, filepath.Join(dir, "server.py"), body)
	l, err := At(transport.Command{Argv: []string{python, path}, Env: []string{env}, Dir: dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	if l.Form.Script.SHA256 != sum(body) {
		t.Fatal("not the script")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, path, "# another\n"+body)
	l.again()
	if l.Form.Script.SHA256 != sum("# another\n"+body) {
		t.Error("what was looked at beforehand is recorded, not what ran")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := filepath.EvalSymlinks(own)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := readProcess(os.Getpid())
	if !ok {
		t.Fatal("no process")
	}
	a := l.answers(p, p, true)
	if a == nil || a.Executable.Path != exe || len(a.Executable.SHA256) != 64 {
		t.Errorf("another program than the command's runs: %+v", a)
	}
}

func TestWhatIsNotSeenIsSaidToBeUnseen(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "uvx"), "program")
	l, err := At(transport.Command{Argv: []string{filepath.Join(dir, "uvx"), "x"}, Env: []string{}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l.Running(ctx, process(os.Getpid()), nil)
	if p := l.Form.Package; p == nil || !p.Unseen || p.Manager != "pypi" {
		t.Errorf("%+v", p)
	}
}

// A process that changed its title shows no arguments, but its environment still has what npm told it to run.
func TestATitleDoesNotHideThePackage(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "node_modules", "server", "cli.js"), "code")
	put(t, filepath.Join(dir, "node_modules", "server", "package.json"), `{"name":"server","version":"3.0.0"}`)
	folder := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../server/cli.js", filepath.Join(folder, "server")); err != nil {
		t.Fatal(err)
	}
	p := running{exe: "/usr/bin/node", argv: []string{"my nice title"}, dir: dir, env: []string{"PATH=" + folder + ":/usr/bin", "npm_lifecycle_script='server' --flag"}}
	if got := p.runs(); got == nil || got.Version != "3.0.0" {
		t.Errorf("%+v", got)
	}
}

// docker is a script here that responds like the real one. No test uses a real daemon.
func TestTheImageIsAskedOfTheDockerThatRunsIt(t *testing.T) {
	dir := t.TempDir()
	since := time.Now()
	inspect := fmt.Sprintf(`[{"Image":"sha256:old","Config":{"Image":"mcp/fetch:1"},"State":{"StartedAt":%q}},
{"Image":"sha256:new","Config":{"Image":"mcp/fetch:1"},"State":{"StartedAt":%q}},
{"Image":"sha256:other","Config":{"Image":"other"},"State":{"StartedAt":%q}}]`,
		since.Add(-time.Hour).Format(time.RFC3339Nano), since.Add(time.Second).Format(time.RFC3339Nano), since.Add(2*time.Second).Format(time.RFC3339Nano))
	put(t, filepath.Join(dir, "inspect.json"), inspect)
	docker := put(t, filepath.Join(dir, "docker"), "#!/bin/sh\ncase $1 in ps) echo one; echo two; echo three;; inspect) cat "+filepath.Join(dir, "inspect.json")+";; esac\n")
	l, err := At(transport.Command{Argv: []string{docker, "run", "-i", "--rm", "mcp/fetch:1"}, Env: []string{"PATH=" + os.Getenv("PATH")}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	l.Running(ctx, process(os.Getpid()), nil)
	if p := l.Form.Package; p == nil || p.Manager != "docker" || p.Name != "mcp/fetch" || p.Version != "1" || !strings.HasSuffix(p.Digest, "new") {
		t.Errorf("%+v", p)
	}
}

// A server whose client hangs up early has ended; it is not hiding.
func TestAServerThatEndsWhileItIsLookedAtIsNotOneThatCouldNotBeSeen(t *testing.T) {
	answered := make(chan struct{})
	close(answered)
	for n := range 60 {
		command := transport.Command{Argv: []string{"sleep", "1000"}}
		l, err := At(command, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Fill(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(l.target.Path, "1000")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan struct{})
		kill := sync.OnceFunc(func() {
			time.Sleep(time.Duration(n) * 10 * time.Microsecond)
			cmd.Process.Kill()
			cmd.Wait()
			close(exited)
		})
		server := Server{Exited: exited, Input: pipeOf(t, in), Output: pipeOf(t, out), PID: func() int {
			go kill()
			return cmd.Process.Pid
		}}
		if l.Running(t.Context(), server, answered) && l.Form.Answers != nil {
			t.Fatalf("killed after %d µs: it is whole, and this answers: %+v", n*10, l.Form.Answers)
		}
		<-exited
	}
}
