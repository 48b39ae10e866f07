//go:build unix

package launch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/pin"
)

func TestFilesThatAnOptionLoadsFirst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"server.js", "hook.cjs", "hook.mjs", "index.js", "server.jar", "lib.jar", "server.php", "server.ts"} {
		put(t, filepath.Join(dir, name), name)
	}
	for command, want := range map[string]string{
		"node -r ./hook.cjs --import=./hook.mjs server.js":               "hook.cjs hook.mjs",
		"node --loader " + filepath.Join(dir, "hook.mjs") + " server.js": "hook.mjs",
		"node --import file://" + dir + "/hook.mjs server.js":            "hook.mjs",
		"node --import tsx -r dotenv/config server.js":                   "", // installed modules: imports
		"node --require hook.cjs server.js":                              "", // so is this, whatever lies in the folder
		"node -r ./gone.js server.js":                                    "",
		"node --eval 1 ./hook.cjs":                                       "",
		"bun --preload ./hook.mjs server.ts":                             "hook.mjs",
		"java -javaagent:lib.jar=x -jar server.jar":                      "lib.jar",
		"java -cp server.jar:lib.jar:classes com.example.Main":           "server.jar lib.jar",
		"php -d auto_prepend_file=hook.cjs server.php":                   "hook.cjs",
		"bash --rcfile hook.cjs server.js":                               "hook.cjs",
	} {
		argv := strings.Fields(command)
		_, _, loads, _ := toldBy(argv[0], argv[1:], dir)
		var got []string
		for _, load := range loads {
			got = append(got, filepath.Base(load))
		}
		if said := strings.Join(got, " "); said != want {
			t.Errorf("%s: %q, want %q", command, said, want)
		}
	}
	if _, _, loads, _ := toldBy("java", []string{"-cp", strings.Repeat("lib.jar:", 100), "Main"}, dir); len(loads) != maxLoads {
		t.Errorf("%d files of a long class path", len(loads))
	}
	form := look(t, dir, nil, put(t, filepath.Join(dir, "bin", "node"), "node"), "--import", "./hook.mjs", "server.js").Form
	if len(form.Loads) != 1 || form.Loads[0] != (pin.LaunchFile{Path: filepath.Join(dir, "hook.mjs"), SHA256: sum("hook.mjs")}) {
		t.Errorf("%+v", form.Loads)
	}
}

func TestTheScriptIsFoundBehindWhatWeDoNotKnow(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	node := put(t, filepath.Join(dir, "bin", "node"), "node")
	other := put(t, filepath.Join(elsewhere, "node"), "another node")
	put(t, filepath.Join(dir, "server.js"), "code")
	put(t, filepath.Join(elsewhere, "far.js"), "far code")
	put(t, filepath.Join(dir, "mod", "server.py"), "module")
	put(t, filepath.Join(dir, "mod", "pkg", "__main__.py"), "package")
	python := put(t, filepath.Join(dir, "bin", "python3"), "python")
	for name, test := range map[string]struct {
		argv        []string
		interpreter string
		script      string
		told        string
	}{
		"the value of a flag we do not know is no script":     {[]string{node, "--flag-of-tomorrow", "hunter2", "server.js"}, "", "server.js", ""},
		"a flag we do not know may stand alone":               {[]string{node, "--flag-of-tomorrow", "server.js", "data"}, "", "server.js", ""},
		"what is no file and may be a secret is not repeated": {[]string{node, "--flag-of-tomorrow", "hunter2"}, "", "", "an argument that is not a file here"},
		"nor is a password in an address":                     {[]string{"/usr/bin/env", "deno", "run", "https://me:hunter2@example.com/s.ts?token=hunter2#hunter2"}, "deno", "", "what https://example.com/s.ts names"},
		"env that changes the folder":                         {[]string{"/usr/bin/env", "-C", elsewhere, "node", "far.js"}, "node", "far.js", ""},
		"env that changes PATH":                               {[]string{"/usr/bin/env", "PATH=" + elsewhere, "node", "server.js"}, other, "server.js", ""},
		"a module of the folder":                              {[]string{python, "-um", "mod.server"}, "", "server.py", "module mod.server"},
		"a package of the folder":                             {[]string{python, "-m", "mod.pkg"}, "", "__main__.py", "module mod.pkg"},
		"a module, but not of the folder":                     {[]string{python, "-I", "-m", "mod.server"}, "", "", "module mod.server"},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, filepath.Join(dir, "bin", "deno"), "deno")
			form := look(t, dir, []string{filepath.Join(dir, "bin")}, test.argv...).Form
			script, interpreter := "", ""
			if form.Script != nil {
				script = filepath.Base(form.Script.Path)
			}
			if form.Interpreter != nil {
				if interpreter = form.Interpreter.Path; test.interpreter != other {
					interpreter = filepath.Base(interpreter)
				}
			}
			if script != test.script || form.Told != test.told || interpreter != test.interpreter {
				t.Errorf("script %q, told %q, interpreter %q", script, form.Told, interpreter)
			}
			raw, _, err := form.Definition()
			if err != nil || strings.Contains(string(raw), "hunter2") {
				t.Errorf("%v: %s", err, raw)
			}
		})
	}
}

func TestWhereHomeIsLeavesAsAKeyedHash(t *testing.T) {
	names, values := variables([]string{"HOME=/home/canary", "XDG_CONFIG_HOME=/canary", "XDG_SESSION_ID=1", "PATH=/bin"}, "")
	loaders := keyed(values, []byte("k"))
	if want := []string{"HOME", "PATH", "XDG_CONFIG_HOME"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if len(loaders) != 2 || loaders[0].Name != "HOME" || strings.Contains(loaders[0].Hash, "canary") {
		t.Errorf("%+v", loaders)
	}
}
