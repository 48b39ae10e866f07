//go:build unix

package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport"
)

// put writes a file and dates it back, so that its stamp identifies its content.
// At is Find plus what the hub knows.
func At(c transport.Command, o Options) (*Look, error) {
	l, err := Find(c)
	if err == nil {
		l.Know(o)
	}
	return l, err
}

func put(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func sum(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

func look(t *testing.T, dir string, path []string, argv ...string) *Look {
	t.Helper()
	l, err := At(transport.Command{Argv: argv, Dir: dir, Env: []string{"PATH=" + strings.Join(path, ":"), "NODE_OPTIONS=x"}}, Options{Client: "claude", Key: []byte("k")})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestALookFindsExecutableInterpreterAndScript(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	node := put(t, filepath.Join(bin, "node"), "node program")
	script := put(t, filepath.Join(dir, "work", "server.js"), "script")
	data := put(t, filepath.Join(dir, "work", "data.json"), "data")
	tool := put(t, filepath.Join(bin, "tool"), "#!/usr/bin/env -S node --no-warnings\ncode")
	direct := put(t, filepath.Join(bin, "direct"), "#!"+node+"\ncode")
	if err := os.Symlink(tool, filepath.Join(bin, "linked")); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	for name, test := range map[string]struct {
		argv        []string
		executable  string
		interpreter string
		script      string
		told        string
	}{
		"an interpreter by PATH with its script":      {argv: []string{"node", "--no-warnings", "server.js", data}, executable: node, script: script},
		"a script without its ending":                 {argv: []string{"node", "server"}, executable: node, script: script},
		"an interpreter that is told code":            {argv: []string{"node", "-e", "1"}, executable: node, told: "code in the arguments"},
		"a script that is not there":                  {argv: []string{"node", "gone.js"}, executable: node, told: "gone.js, which is not a file here"},
		"a script whose first line names env":         {argv: []string{"tool", data}, executable: tool, interpreter: node},
		"a script whose first line names the program": {argv: []string{"direct", "server.js"}, executable: direct, interpreter: node},
		"a link to a script keeps its own path":       {argv: []string{"linked"}, executable: filepath.Join(bin, "linked"), interpreter: node},
		"a program by a path of its folder":           {argv: []string{"../bin/node", "server.js"}, executable: node, script: script},
		"env before the interpreter":                  {argv: []string{"/usr/bin/env", "A=b", "node", "server.js"}, executable: "/usr/bin/env", interpreter: node, script: script},
	} {
		t.Run(name, func(t *testing.T) {
			form := look(t, work, []string{bin}, test.argv...).Form
			path := func(f *pin.LaunchFile) string {
				if f == nil {
					return ""
				}
				if len(f.SHA256) != 64 {
					t.Errorf("%s has no digest", f.Path)
				}
				return f.Path
			}
			if form.Executable.Path != test.executable || path(form.Interpreter) != test.interpreter || path(form.Script) != test.script || form.Told != test.told {
				t.Errorf("executable %s, interpreter %s, script %s, told %q", form.Executable.Path, path(form.Interpreter), path(form.Script), form.Told)
			}
			if form.Dir != work || len(form.Loaders) != 1 || form.Client != "claude" {
				t.Errorf("circumstances: %+v", form)
			}
		})
	}
	if got := look(t, work, []string{bin}, "node", "server.js").Form; got.Script.SHA256 != sum("script") || got.Executable.SHA256 != sum("node program") {
		t.Errorf("digests: %+v", got)
	}
	if got := look(t, work, []string{bin}, "linked").Form; got.Executable.SHA256 != sum("#!/usr/bin/env -S node --no-warnings\ncode") {
		t.Error("the digest of a link is not that of its file")
	}
}

func TestAFileIsReadOnlyWhenItsStampIsAnother(t *testing.T) {
	dir := t.TempDir()
	program := put(t, filepath.Join(dir, "server"), "one")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(program, old, old); err != nil {
		t.Fatal(err)
	}
	stamp, err := stat(program)
	if err != nil {
		t.Fatal(err)
	}
	stamp.SHA256 = "known"
	at := func() *Look {
		l, err := At(transport.Command{Argv: []string{program}, Env: []string{}}, Options{Known: []pin.FileStamp{stamp}})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := at(); l.Fresh() || l.Form.Executable.SHA256 != "known" {
		t.Error("a file that nobody touched is read again")
	}
	// Back to its old size and times: the change time gives it away.
	if err := os.WriteFile(program, []byte("two"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(program, old, old); err != nil {
		t.Fatal(err)
	}
	l := at()
	if !l.Fresh() {
		t.Fatal("a file that was written is taken for the old one")
	}
	if err := l.Fill(); err != nil || l.Form.Executable.SHA256 != sum("two") {
		t.Errorf("%v, %+v", err, l.Form.Executable)
	}
	if len(l.Stamps()) != 1 || l.Stamps()[0].CTime != 0 {
		t.Errorf("a file written a moment ago is known by its stamp: %+v", l.Stamps())
	}
}

func TestWhatCannotBeReadSaysSo(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := At(transport.Command{Argv: []string{filepath.Join(dir, "folder")}, Env: []string{}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Fill(); err == nil || !l.Form.Known() || l.Form.Executable.SHA256 != "unreadable" {
		t.Errorf("%v: %+v", err, l.Form)
	}
}

const metadata = "Metadata-Version: 2.1\nName: mcp-server-x\nVersion: 1.0.1\n\nName: not-this\n"

func TestThePackageOfAScript(t *testing.T) {
	dir := t.TempDir()
	modules := filepath.Join(dir, "node_modules")
	script := put(t, filepath.Join(modules, "@scope", "server", "dist", "index.js"), "code")
	put(t, filepath.Join(modules, "@scope", "server", "package.json"), `{"name":"@scope/server","version":"1.2.3"}`)
	plain := put(t, filepath.Join(modules, "plain", "cli.js"), "code")
	put(t, filepath.Join(modules, "plain", "package.json"), `{"name":"plain","version":"0.1.0"}`)
	own := put(t, filepath.Join(dir, "own", "server.js"), "code")
	put(t, filepath.Join(dir, "own", "package.json"), `{"name":"own","version":"9.9.9"}`)
	if err := os.MkdirAll(filepath.Join(modules, ".bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(modules, ".bin", "server")
	if err := os.Symlink("../@scope/server/dist/index.js", link); err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(dir, "venv [1]")
	site := filepath.Join(venv, "lib", "python3.12", "site-packages")
	info := filepath.Join(site, "mcp_server_x-1.0.1.dist-info")
	put(t, filepath.Join(info, "METADATA"), metadata)
	put(t, filepath.Join(info, "entry_points.txt"), "[console_scripts]\nmcp-server-x = mcp_server_x:main\n")
	record := "mcp_server_x/__init__.py,sha256=aa,10\nmcp_server_x-1.0.1.dist-info/METADATA,sha256=bb,1\n../../../bin/mcp-server-x,sha256=cc,200\n"
	put(t, filepath.Join(info, "RECORD"), record)
	console := put(t, filepath.Join(venv, "bin", "mcp-server-x"), "#!python")
	python := put(t, filepath.Join(venv, "bin", "python"), "python")

	say := func(p *pin.LaunchPackage) string {
		if p == nil {
			return ""
		}
		return p.Manager + " " + p.Name + " " + p.Version + " " + p.Entry
	}
	for name, test := range map[string]struct{ script, module, want string }{
		"a scoped package":             {script, "", "npm @scope/server 1.2.3 dist/index.js"},
		"a package by its link":        {link, "", "npm @scope/server 1.2.3 dist/index.js"},
		"a plain package":              {plain, "", "npm plain 0.1.0 cli.js"},
		"a script of nobody's package": {own, "", ""},
		"a console script":             {console, "", "pypi mcp-server-x 1.0.1 "},
		"a module":                     {"", "mcp_server_x.main", "pypi mcp-server-x 1.0.1 "},
		"a module of nobody":           {"", "http.server", ""},
	} {
		if got := say(packageOf(test.script, test.module, python)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	before := packageOf(console, "", python).Digest
	put(t, filepath.Join(info, "RECORD"), strings.ReplaceAll(record, "cc", "dd"))
	if packageOf(console, "", python).Digest != before {
		t.Error("the script that names its own environment counts")
	}
	put(t, filepath.Join(info, "RECORD"), strings.ReplaceAll(record, "aa", "ee"))
	if packageOf(console, "", python).Digest == before {
		t.Error("other code has the same digest")
	}
}
