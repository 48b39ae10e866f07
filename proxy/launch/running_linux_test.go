package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/transport"
)

// process is a server that does not end.
func process(pid int) Server {
	return Server{PID: func() int { return pid }}
}

// A stand-in for npx: it starts, after a while, a script of a package through an interpreter. Real npx, uvx and node are in
// the end-to-end tests.
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

// A process that gave itself a title shows no arguments; what npm told it to run is still in its environment.
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

// The docker of this test is a script that answers as the real one does; a real daemon has not been tried.
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
