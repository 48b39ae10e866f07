package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A package is passed on, so it has what whoever wrote its parts asks for: the licence of every module, each with its name. What else Debian's
// policy asks for, lintian looks at (make test-all).
func TestThePackageHasTheLicenceOfEveryModuleInItsProgram(t *testing.T) {
	for _, tool := range []string{"dpkg-deb", "gzip", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing", tool)
		}
	}
	program := sallyport(t)
	built := deb(t, program, "v1.1.0-rc.1")
	read := func(command string, args ...string) []byte {
		t.Helper()
		out, err := exec.Command(command, args...).Output()
		if err != nil {
			t.Fatalf("%s %q: %v", command, args, err)
		}
		return out
	}
	file := func(path string) string {
		t.Helper()
		tar := exec.Command("tar", "-xO", path)
		tar.Stdin = bytes.NewReader(read("dpkg-deb", "--fsys-tarfile", built))
		raw, err := tar.Output()
		if err == nil && strings.HasSuffix(path, ".gz") {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
				raw, err = io.ReadAll(z)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return string(raw)
	}

	names := func(found [][]string) (of []string) {
		for _, f := range found {
			of = append(of, f[1])
		}
		return of
	}
	const folder = "./usr/share/doc/sallyport/"
	licensed := names(regexp.MustCompile(`(?m)^==== (\S+)\n\n.`).FindAllStringSubmatch(file(folder+"third-party.gz"), -1))
	used := names(regexp.MustCompile(`(?m)^\tdep\t(\S+)`).FindAllStringSubmatch(string(read("go", "version", "-m", program)), -1))
	if len(used) < 5 {
		t.Fatalf("modules of the program: %q", used)
	}
	for _, module := range append(used, "Go") {
		if !slices.Contains(licensed, module) {
			t.Errorf("no licence of %s, only of %q", module, licensed)
		}
	}
	if c := file(folder + "copyright"); !strings.Contains(c, "/usr/share/common-licenses/Apache-2.0") {
		t.Errorf("copyright: %s", c)
	}
	if c := file(folder + "changelog.gz"); !strings.HasPrefix(c, "sallyport (1.1.0~rc.1) ") {
		t.Errorf("changelog: %s", c)
	}
}
