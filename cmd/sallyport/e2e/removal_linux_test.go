package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A machine is a folder with the users, homes and programs of a small one, in which processes run as they would there.
type machine struct {
	t    *testing.T
	root string
}

type account struct {
	name     string
	uid, gid int
	groups   []uint32
	home     string
}

// ben comes first in passwd, so that what he plants is met before the files that it aims at.
var (
	rootUser = account{"root", 0, 0, nil, "/root"}
	ben      = account{"ben", 12002, 12002, nil, "/home/ben"}
	ann      = account{"ann", 12001, 12001, []uint32{12050}, "/home/ann"}
)

// newMachine is a machine without Sallyport.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can act as several users")
	}
	m := &machine{t, t.TempDir()}
	for _, folder := range []string{"etc", "usr/bin", "dev", "proc", "tmp", "home", "root"} {
		m.must(os.MkdirAll(m.path("/"+folder), 0o755))
	}
	m.must(os.Chmod(m.path("/tmp"), 0o1777))
	m.put("/etc/passwd", "root:x:0:0::/root:/bin/sh\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\na line that is none\nbad:x:-1:0::/home/ann:\nben:x:12002:12002::/home/ben:/bin/sh\nann:x:12001:12001:Ann,,,:/home/ann:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n")
	m.put("/etc/group", "root:x:0:\nann:x:12001:\nben:x:12002:\nstaff:x:12050:bob,ann\n")
	for _, u := range []account{ann, ben} {
		m.must(os.MkdirAll(m.path(u.home), 0o750))
		m.must(os.Chown(m.path(u.home), u.uid, u.gid))
	}
	if err := unix.Mknod(m.path("/dev/null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		t.Skipf("no device can be made here: %v", err)
	}
	m.must(os.Chmod(m.path("/dev/null"), 0o666))
	if err := unix.Mount("/proc", m.path("/proc"), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(m.path("/proc"), unix.MNT_DETACH) })
	return m
}

func (m *machine) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) path(inside string) string { return filepath.Join(m.root, inside) }

func (m *machine) put(path, content string) {
	m.t.Helper()
	m.must(os.MkdirAll(filepath.Dir(m.path(path)), 0o755))
	m.must(os.WriteFile(m.path(path), []byte(content), 0o644))
}

// own puts a file into a user's home, whose folders there are the user's too.
func (m *machine) own(u account, path, content string, mode os.FileMode) string {
	m.t.Helper()
	path = filepath.Join(u.home, path)
	m.must(os.MkdirAll(filepath.Dir(m.path(path)), 0o755))
	for folder := filepath.Dir(path); folder != u.home; folder = filepath.Dir(folder) {
		m.must(os.Lchown(m.path(folder), u.uid, u.gid))
	}
	m.must(os.WriteFile(m.path(path), []byte(content), 0o600))
	m.must(os.Chown(m.path(path), u.uid, u.gid))
	m.must(os.Chmod(m.path(path), mode))
	return path
}

func (m *machine) install(program string) {
	m.t.Helper()
	raw, err := os.ReadFile(program)
	m.must(err)
	m.must(os.WriteFile(m.path("/usr/bin/sallyport"), raw, 0o755))
}

func (m *machine) command(u account, program string, args ...string) *exec.Cmd {
	child := exec.Command(program, args...)
	child.Dir, child.Env = "/", []string{"HOME=" + u.home, "PATH=/usr/bin:/bin", "SALLYPORT_KEYCHAIN=off"}
	child.SysProcAttr = &syscall.SysProcAttr{Chroot: m.root, Credential: &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.gid), Groups: u.groups}}
	return child
}

// as runs sallyport as a user, and returns its exit code and output.
func (m *machine) as(u account, args ...string) (int, string) {
	m.t.Helper()
	return m.ran(m.command(u, "/usr/bin/sallyport", args...))
}

func (m *machine) ran(child *exec.Cmd) (int, string) {
	m.t.Helper()
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	var exit *exec.ExitError
	if err := child.Run(); err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return child.ProcessState.ExitCode(), out.String()
}

// protect guards files of a user, with a hub that is gone afterwards.
func (m *machine) protect(u account, ways ...[]string) {
	m.t.Helper()
	hub := m.command(u, "/usr/bin/sallyport", "hub", "--allow-cli-approval")
	var said bytes.Buffer
	hub.Stderr = &said
	m.must(hub.Start())
	defer func() {
		hub.Process.Signal(os.Interrupt)
		hub.Wait()
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if code, out := m.as(u, "status"); code == 0 {
			break
		} else if time.Now().After(end) {
			m.t.Fatalf("no hub for %s: %s%s", u.name, out, said.String())
		}
	}
	for _, way := range ways {
		if code, out := m.as(u, append([]string{"protect", "--no-look"}, way...)...); code != 0 {
			m.t.Fatalf("protect as %s: %d, %s", u.name, code, out)
		}
	}
}

// lying is a file as it lies on the disk.
func (m *machine) lying(path string) string {
	m.t.Helper()
	raw, err := os.ReadFile(m.path(path))
	m.must(err)
	info, err := os.Stat(m.path(path))
	m.must(err)
	system := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%s %d:%d\n%s", info.Mode(), system.Uid, system.Gid, raw)
}

func (m *machine) stay(path, want string) {
	m.t.Helper()
	if is := m.lying(path); is != want {
		m.t.Errorf("%s is\n%s\nwant\n%s", path, is, want)
	}
}

const (
	ofClaude = "{\r\n  \"mcpServers\": {\r\n    \"weather\": { \"command\": \"\\u0077eather\", \"args\": [ \"-v\",\r\n      \"x\\/y\" ], \"env\": {\"K\": \"PLANTED\"} }\r\n  }\r\n}"
	ofCodex  = "model = \"x\" # kept\n\n[mcp_servers.weather]\ncommand = 'weather'\nargs = [ 'a', # one\n]\n"
	ofCursor = "{\n  // comments stay\n  \"mcpServers\": {\"one\": {\"command\": \"npx\", \"args\": [\"-y\", \"one\"]}, \"far\": {\"url\": \"https://h.example/mcp\"},},\n}\n"
	ofGoose  = "extensions:\n  weather:\n    type: stdio\n    cmd: weather # no args\n    enabled: true\n"
)

func TestEveryWrapperOfEveryUserIsTakenOutAsThatUser(t *testing.T) {
	m := newMachine(t)
	m.install(sallyport(t))

	originals := map[string]string{}
	file := func(u account, path, content string, mode os.FileMode) string {
		path = m.own(u, path, content, mode)
		originals[path] = m.lying(path)
		return path
	}
	claude := file(ann, ".config/Claude/claude_desktop_config.json", ofClaude, 0o640)
	m.must(os.Chown(m.path(claude), ann.uid, 12050)) // the group of a file stays, even if it isn't the user's first
	originals[claude] = m.lying(claude)
	file(ann, ".codex/config.toml", ofCodex, 0o600)
	edited := file(ann, ".cursor/mcp.json", ofCursor, 0o644)
	aimed := file(ann, ".gemini/settings.json", `{"mcpServers": {"one": {"command": "npx"}}}`, 0o644)
	m.must(os.Chmod(m.path(ann.home), 0o755)) // ben can look at it
	file(ben, ".config/goose/config.yaml", ofGoose, 0o600)
	readOnly := file(ben, ".claude.json", `{"mcpServers": {"one": {"type": "stdio", "command": "npx", "args": ["one"]}}, "projects": {}}`, 0o600)
	elsewhere := file(ben, "work/servers.jsonc", ofCursor, 0o644)
	planted := file(ben, ".codex/config.toml", ofCodex, 0o600)
	ofRoot := file(rootUser, ".codex/config.toml", ofCodex, 0o600)
	switchedOff := file(rootUser, ".cursor/mcp.json", `{"mcpServers": {"one": {"command": "npx"}}}`, 0o600)

	m.protect(ann, []string{"--client", "all"})
	m.protect(ben, []string{"--client", "all"}, []string{"--client", "cursor", "--config", elsewhere})
	m.protect(rootUser, []string{"--client", "all"})
	for path, original := range originals {
		if is := m.lying(path); is == original || !strings.Contains(is, "/usr/bin/sallyport") {
			t.Fatalf("%s was not protected:\n%s", path, is)
		}
	}

	// Since then: an edit, an entry that was switched off, a file made read-only, and links to files of others.
	change := func(path, old, now string) {
		raw, err := os.ReadFile(m.path(path))
		m.must(err)
		if !bytes.Contains(raw, []byte(old)) {
			t.Fatalf("%s has no %s:\n%s", path, old, raw)
		}
		m.must(os.WriteFile(m.path(path), bytes.Replace(raw, []byte(old), []byte(now), 1), 0o600))
		originals[path] = strings.Replace(originals[path], old, now, 1)
	}
	change(edited, "// comments stay\n", "// comments stay, and new ones too\n")
	change(switchedOff, `"one": {`, `"one": {"disabled": true, `)
	m.must(os.Chmod(m.path(readOnly), 0o400))
	victim := m.own(rootUser, "secrets.toml", "[mcp_servers.x]\ncommand = \"/usr/bin/sallyport\"\nargs = [\"wrap\", \"--name\", \"x\", \"--client\", \"codex\", \"--\", \"npx\"]\n", 0o600)
	victimIs, aimedIs := m.lying(victim), m.lying(aimed)
	m.must(os.Remove(m.path(planted)))
	m.must(os.Symlink(victim, m.path(planted)))
	m.own(ben, ".gemini/x", "", 0o600)
	m.must(os.Symlink(aimed, m.path(ben.home+"/.gemini/settings.json")))
	m.own(ben, ".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "/opt/sallyport/bin/sallyport", "args": ["wrap", "--", "npx"]}}}`, 0o600)
	others := m.lying(ben.home + "/.cursor/mcp.json")

	if code, out := m.as(ann, "unprotect", "--everyone"); code != 1 || !strings.Contains(out, "root") {
		t.Errorf("as a user: %d, %s", code, out)
	}
	if code, out := m.as(rootUser, "unprotect", "--everyone", "weather"); code != 2 {
		t.Errorf("with a name: %d, %s", code, out)
	}

	// From outside, as a package of another root does it: its program is the one below the root.
	unprotect := func() (int, string) {
		child := exec.Command(m.path("/usr/bin/sallyport"), "unprotect", "--everyone", "--root", m.root)
		child.Env = append(os.Environ(), "HOME="+t.TempDir(), "CODEX_HOME=/home/ann/.codex")
		return m.ran(child)
	}
	code, out := unprotect()
	t.Log(out)
	if code != 1 || strings.Contains(out, "PLANTED") {
		t.Errorf("exit code %d: %s", code, out)
	}
	for _, path := range []string{readOnly, planted, ben.home + "/.gemini/settings.json"} {
		if !strings.Contains(out, "sallyport: unprotect: "+m.path(path)+": ") {
			t.Errorf("%s is not named", path)
		}
	}
	if n := strings.Count(out, "sallyport: unprotect: "+m.root); n != 3 {
		t.Errorf("%d files are named", n)
	}
	m.stay(victim, victimIs)
	if aimedIs == originals[aimed] {
		t.Error("ann's file was not wrapped")
	}
	for path, original := range originals {
		if path != readOnly && path != planted {
			m.stay(path, original)
		}
	}
	if is := m.lying(readOnly); !strings.Contains(is, "/usr/bin/sallyport") {
		t.Errorf("the read-only file is\n%s", is)
	}
	m.stay(ben.home+"/.cursor/mcp.json", others)
	if is, err := os.Readlink(m.path(planted)); is != victim || err != nil {
		t.Errorf("the link is %q, %v", is, err)
	}
	if info, err := os.Lstat(m.path("/root/.local/share/sallyport/backups")); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("the backups of root: %v, %v", info, err)
	}

	m.must(os.Chmod(m.path(readOnly), 0o600))
	m.must(os.Remove(m.path(planted)))
	if code, out := unprotect(); code != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, readOnly+": 1 entry no longer guarded") {
		t.Errorf("the second time: %d, %s", code, out)
	}
	m.stay(readOnly, originals[readOnly])
	m.stay(ofRoot, originals[ofRoot])
	if code, out := unprotect(); code != 0 || out != "" {
		t.Errorf("the third time: %d, %s", code, out)
	}
	m.stay(ben.home+"/.cursor/mcp.json", others)
}

// In a container that knows root alone, the other users of passwd have nothing, and don't keep a package from going.
func TestUsersThatASystemDoesNotKnowKeepNoPackage(t *testing.T) {
	m := newMachine(t)
	m.install(sallyport(t))
	file := m.own(rootUser, ".cursor/mcp.json", ofCursor, 0o600)
	was := m.lying(file)
	m.protect(rootUser, []string{"--client", "all"})
	if m.lying(file) == was {
		t.Fatal("it was not protected")
	}
	child := exec.Command(m.path("/usr/bin/sallyport"), "unprotect", "--everyone", "--root", m.root)
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{Size: 1}}, GidMappings: []syscall.SysProcIDMap{{Size: 1}}}
	if code, out := m.ran(child); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("%d, %s", code, out)
	}
	m.stay(file, was)
}
