package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/proxy/sandbox"
)

// under runs a shell script without walls and behind them.
func under(t *testing.T, box *sandbox.Sandbox, env []string, script string, args ...string) string {
	t.Helper()
	return output(t, Command{Argv: append([]string{"/bin/sh", "-c", script, "sh"}, args...), Env: env, Dir: "/", Sandbox: box})
}

// A folder that the client left open would lead around every mount.
func TestNoDescriptorOfTheClientsComesAlong(t *testing.T) {
	hidden := markedDir(t)
	if err := os.WriteFile(filepath.Join(hidden, "store"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY, 0) // not closed on exec, as a careless client's
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(root)
	read := "cat /proc/self/fd/" + strconv.Itoa(root) + hidden + "/store 2>/dev/null; true"
	if got := under(t, nil, nil, read); got != "secret" {
		t.Fatalf("without walls the descriptor comes along: %q", got)
	}
	for _, box := range []*sandbox.Sandbox{{Hide: []string{hidden}}, {Hide: []string{hidden}, Strict: true}} {
		if got := under(t, box, nil, read); got != "" {
			t.Errorf("%s: %q", box, got)
		}
	}
}

// The guard inside holds the socket to the wrapper: a server that took it could speak for the guard.
func TestTheGuardInsideIsOutOfReach(t *testing.T) {
	for _, box := range []*sandbox.Sandbox{{}, {Strict: true}} {
		got := under(t, box, nil, `cat /proc/1/comm; for f in /proc/1/fd/* /proc/1/root/etc/* /proc/1/environ; do head -c 1 "$f"; done 2>/dev/null | wc -c`)
		if got != "sallyport-guard\n0\n" {
			t.Errorf("%s: %q", box, got)
		}
		traced := output(t, Command{Argv: []string{self(t), "role:trace", "1"}, Sandbox: &sandbox.Sandbox{Strict: box.Strict, Keep: nil}, Dir: "/"})
		if traced != "operation not permitted\n" {
			t.Errorf("%s: trace the guard: %q", box, traced)
		}
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// If a user's own control groups were writable, one line into cgroup.kill or cgroup.freeze would end or stop the wrapper and the hub, from
// any process namespace.
func TestControlGroupsCanBeReadOnly(t *testing.T) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(table), " - cgroup") {
		t.Log("no control groups are mounted here; what is made of a table of mounts is tested all the same")
	}
	for _, box := range []*sandbox.Sandbox{{}, {Strict: true}} {
		seen := mountOptions(under(t, box, nil, "cat /proc/self/mountinfo"))
		if len(seen) == 0 {
			t.Fatal("no mounts")
		}
		for point, m := range seen {
			if strings.HasPrefix(m.kind, "cgroup") && !slices.Contains(strings.Split(m.options, ","), "ro") {
				t.Errorf("%s: %s can be written to: %s", box, point, m.options)
			}
		}
	}
}

type mounted struct{ kind, options string }

// mountOptions reads a table of mounts. The last mount on a path is the visible one.
func mountOptions(table string) map[string]mounted {
	seen := map[string]mounted{}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if dash := slices.Index(f, "-"); dash > 5 {
			seen[f[4]] = mounted{f[dash+1], f[5]}
		}
	}
	return seen
}

// Pictures of windows are passed through shared memory.
func TestMemoryIsNotSharedWithProgramsOutside(t *testing.T) {
	const name = "readlink /proc/self/ns/ipc"
	free := under(t, nil, nil, name)
	for _, box := range []*sandbox.Sandbox{{}, {Strict: true}} {
		if got := under(t, box, nil, name); got == free || !strings.HasPrefix(got, "ipc:") {
			t.Errorf("%s: %q", box, got)
		}
	}
}

// A program can connect to sockets on a read-only file system.
func TestStrictReachesNoSocketAnywhere(t *testing.T) {
	dir, err := os.MkdirTemp(".", "sockets") // not in the temporary folder, which is empty under strict anyway
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"run/systemd", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sockets := []string{"engine", "bus", "run/systemd/private", "tmp/agent"}
	for _, name := range sockets {
		// A relative path: an absolute one may be too long for a socket.
		rel, err := filepath.Rel(mustWd(t), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", rel)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	env := []string{"PATH=/usr/bin:/bin", "DOCKER_HOST=unix://" + dir + "/engine", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + dir + "/bus",
		"XDG_RUNTIME_DIR=" + dir + "/run", "TMPDIR=" + dir + "/tmp"}
	count := `cd "$1" && n=0; for s in engine bus run/systemd/private tmp/agent; do [ -S $s ] && n=$((n+1)); done; echo $n`
	if got := under(t, nil, env, count, dir); got != "4\n" {
		t.Fatalf("without walls: %q", got)
	}
	if got := under(t, &sandbox.Sandbox{Strict: true}, env, count, dir); got != "0\n" {
		t.Errorf("under strict %q sockets are left", got)
	}
	if got := under(t, &sandbox.Sandbox{}, env, count, dir); got != "1\n" { // the temporary folder stays
		t.Errorf("under a shield %q sockets are left", got)
	}
	if got := under(t, &sandbox.Sandbox{Strict: true}, env, `echo x >"$TMPDIR/own" && cat "$TMPDIR/own"`); got != "x\n" {
		t.Errorf("its temporary folder under strict: %q", got)
	}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func mustWd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Nothing can be mounted on a symbolic link, so the server could replace it with a folder of its own.
func TestALinkOnTheWayIsNoShield(t *testing.T) {
	dir := markedDir(t)
	home := filepath.Join(dir, "disk", "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"absolute": filepath.Join(dir, "disk"), "relative": "disk", "second": "relative", "round": "round"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, path, link string }{
		{"no link", home, ""},
		{"what is not there", dir + "/none/home", ""},
		{"a link to a path", dir + "/absolute/home", dir + "/absolute"},
		{"a link to a name", dir + "/relative/home", dir + "/relative"},
		{"a link to a link", dir + "/second/home", dir + "/second"},
		{"a link to itself", dir + "/round/home", dir + "/round"},
		{"dots", dir + "/disk/../relative/./home", dir + "/relative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "ran")
			command := Command{Argv: []string{"touch", marker}, Dir: "/", Sandbox: &sandbox.Sandbox{Hold: []string{c.path}}}
			p, err := Start(context.Background(), command, io.Discard, nil)
			if err == nil {
				<-p.Exited()
				p.Stop()
			}
			var refused *sandbox.Error
			if errors.As(err, &refused) != (c.link != "") || err != nil && !strings.Contains(err.Error(), "symbolic link "+strconv.QuoteToGraphic(c.link)+", which") {
				t.Errorf("%v", err)
			}
			if ran := there(marker); ran != (c.link == "") {
				t.Errorf("ran: %v", ran)
			}
			command.Sandbox.Strict = true
			if got := output(t, Command{Argv: []string{"echo", "ran"}, Dir: "/", Sandbox: command.Sandbox}); got != "ran\n" {
				t.Errorf("strict: %q", got)
			}
		})
	}
}

// A home can be anywhere, and a server can be started in it.
func TestWhatIsHiddenIsHiddenWhereverItLies(t *testing.T) {
	base := markedDir(t)
	shared, err := os.MkdirTemp("/dev/shm", "hidden")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(shared) })
	env := []string{"PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=" + base + "/run", "TMPDIR=" + base + "/tmp", "HOME=" + base + "/home"}
	for _, c := range []struct{ name, hidden, dir, open string }{
		{"a plain place", base + "/home/.local/share/sallyport", "/", base + "/home/letter"},
		{"a name with blanks, quotes and line ends", base + "/home/a b\n\\040'\"/ü", "/", base + "/home/letter"},
		{"in the runtime folder", base + "/run/sallyport", "/", ""},
		{"in the temporary folder", base + "/tmp/sallyport", base + "/tmp", base + "/tmp/letter"},
		{"in shared memory", shared + "/home", "/", ""},
		{"the server starts in it", base + "/home/in", base + "/home/in", base + "/home/letter"},
		{"the server starts below it", base + "/home/above", base + "/home/above/below/further", base + "/home/letter"},
		{"over a link", base + "/link/linked", base + "/link/linked", base + "/home/letter"},
		{"the person's home itself", base + "/home", "/", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, folder := range []string{base + "/run", base + "/tmp", base + "/home"} {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(folder+"/letter", []byte("dear"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			os.Symlink("home", base+"/link")
			for _, folder := range []string{c.hidden, c.dir} {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(c.hidden+"/store", []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			script := `cat "$1/store" store ../store ../../store "/proc/self/cwd/store" "/proc/self/root$1/store" 2>/dev/null
				for p in /proc/[0-9]*; do cat "$p/root$1/store" "$p/cwd/store" 2>/dev/null; done
				touch "$1/mine" 2>/dev/null && echo wrote
				[ -n "$2" ] && cat "$2" 2>/dev/null
				echo .`
			run := func(box *sandbox.Sandbox) string {
				return output(t, Command{Argv: []string{"/bin/sh", "-c", script, "sh", c.hidden, c.open}, Env: env, Dir: c.dir, Sandbox: box})
			}
			if free := run(nil); !strings.Contains(free, "secret") {
				t.Fatalf("without walls: %q", free)
			}
			os.Remove(c.hidden + "/mine")
			stays := ""
			if c.open != "" {
				stays = "dear"
			}
			if got := run(&sandbox.Sandbox{Hide: []string{c.hidden}}); got != stays+".\n" {
				t.Errorf("shield: %q", got)
			}
			// It may write to a folder that strict shows empty: that one is its own, and thrown away.
			if got := run(&sandbox.Sandbox{Hide: []string{c.hidden}, Strict: true}); strings.TrimPrefix(got, "wrote\n") != ".\n" {
				t.Errorf("strict: %q", got)
			}
			if there(c.hidden + "/mine") {
				t.Error("it was written to")
			}
		})
	}
}
