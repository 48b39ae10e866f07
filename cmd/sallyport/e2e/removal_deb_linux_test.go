package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dpkg runs dpkg on the machine, as root outside of it.
func (m *machine) dpkg(args ...string) (int, string) {
	m.t.Helper()
	child := exec.Command("dpkg", append([]string{"--root=" + m.root, "--force-bad-path"}, args...)...)
	child.Env = append(os.Environ(), "LC_ALL=C", "HOME="+m.t.TempDir())
	return m.ran(child)
}

// shell gives the machine a shell, and what it is linked with, for the scripts of packages.
func (m *machine) shell() {
	m.t.Helper()
	linked, err := exec.Command("ldd", "/bin/sh").Output()
	if err != nil {
		m.t.Skipf("no shell can be copied: %v", err)
	}
	for _, path := range append(regexp.MustCompile(`/\S+`).FindAllString(string(linked), -1), "/bin/sh") {
		raw, err := os.ReadFile(path)
		m.must(err)
		m.put(path, string(raw))
		m.must(os.Chmod(m.path(path), 0o755))
	}
}

// deb builds the package of a version from a program.
func deb(t *testing.T, program, version string) string {
	t.Helper()
	build := exec.Command("../../../build/deb", filepath.Dir(program), version, t.TempDir())
	build.Env = append(os.Environ(), "DPKG_DEB_COMPRESSOR_TYPE=none") // compressing takes a minute
	var said bytes.Buffer
	build.Stderr = &said
	out, err := build.Output()
	if err != nil {
		t.Fatalf("build/deb: %v\n%s", err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// No hub runs in any of it but while a file is protected.
func TestAPackageTakesItsWrappersOutBeforeItGoesAndAnUpgradeChangesNothing(t *testing.T) {
	for _, tool := range []string{"dpkg", "dpkg-deb", "ldd", "gzip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing", tool)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("only root can install packages and act as several users")
	}
	first := sallyport(t)
	second := filepath.Join(t.TempDir(), "sallyport")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=v1.1.0", "-o", second, "github.com/sallyport/sallyport/cmd/sallyport")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	packages := []string{deb(t, first, "v1.1.0-rc.1"), deb(t, second, "v1.1.0")}
	for scripts, flags := range map[string][]string{"scripts run in the root": nil, "scripts run outside of it": {"--force-script-chrootless"}} {
		t.Run(scripts, func(t *testing.T) {
			m := newMachine(t)
			if flags == nil {
				m.shell()
			}
			for _, folder := range []string{"updates", "info", "triggers"} {
				m.must(os.MkdirAll(m.path("/var/lib/dpkg/"+folder), 0o755))
			}
			m.put("/var/lib/dpkg/status", "")
			m.put("/var/log/dpkg.log", "")
			dpkg := func(want int, args ...string) string {
				t.Helper()
				code, out := m.dpkg(slices.Concat(flags, args)...)
				if code != want {
					t.Fatalf("dpkg %s: %d, %s", strings.Join(args, " "), code, out)
				}
				return out
			}
			dpkg(0, "-i", packages[0])

			files := []string{m.own(ann, ".config/Claude/claude_desktop_config.json", ofClaude, 0o640), m.own(ann, ".codex/config.toml", ofCodex, 0o600),
				m.own(ben, ".cursor/mcp.json", ofCursor, 0o644), m.own(ben, ".config/goose/config.yaml", ofGoose, 0o600)}
			originals, wrapped := map[string]string{}, map[string]string{}
			for _, path := range files {
				originals[path] = m.lying(path)
			}
			m.protect(ann, []string{"--client", "all"})
			m.protect(ben, []string{"--client", "all"})
			for _, path := range files {
				if wrapped[path] = m.lying(path); wrapped[path] == originals[path] {
					t.Fatalf("%s was not protected", path)
				}
			}

			dpkg(0, "-i", packages[1])
			if code, out := m.as(ann, "--version"); code != 0 || out != "sallyport v1.1.0\n" {
				t.Fatalf("after the upgrade: %d, %s", code, out)
			}
			for _, path := range files {
				m.stay(path, wrapped[path])
			}

			// The package stays while a file has a wrapper, and the program with it: what that file starts still runs.
			stuck := m.path(files[2])
			m.must(os.Chmod(stuck, 0o444))
			if out := dpkg(1, "-r", "sallyport"); !strings.Contains(out, "sallyport: unprotect: "+files[2]+": the file is read-only") && !strings.Contains(out, "sallyport: unprotect: "+stuck+": the file is read-only") {
				t.Errorf("a file that can't be done: %s", out)
			}
			if raw, err := os.ReadFile(stuck); err != nil || !strings.Contains(string(raw), "/usr/bin/sallyport") {
				t.Errorf("%v, %s", err, raw)
			}
			if code, out := m.as(ben, "--version"); code != 0 {
				t.Fatalf("the program is gone: %s", out)
			}
			m.must(os.Chmod(stuck, 0o644))

			dpkg(0, "-r", "sallyport")
			for _, path := range files {
				m.stay(path, originals[path])
			}
			if left, _ := filepath.Glob(m.path("/usr/bin/sally*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if out := dpkg(0, "-P", "sallyport"); strings.Contains(out, "error") {
				t.Error(out)
			}
			if left, _ := filepath.Glob(m.path("/usr/share/man/man1/*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
