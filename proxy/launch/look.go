// Package launch finds out what a server's command runs: before the start what can be known then (Look), and once it runs what only its
// processes show (Running), such as the package that npx or uvx chose, or the image that docker started.
//
// A Look is cheap, a few stats; Fill reads the files that changed since their digest was stored. Nothing here decides: the parts become a
// pin.LaunchForm, and the hub compares it.
//
// Not covered, as docs/launch.md says: what a script imports, what a program loads while it runs, and a program that lies about itself in
// the process table.
//
// The values of variables never leave this package: those of loaders are hashed with the hub's key, the others are not read.
package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport"
)

// Options of a Look.
type Options struct {
	Client string          // of the form
	For    string          // the client that starts it, or will after a look: variables it sets for all its children don't count
	Key    []byte          // for the values of loaders
	Known  []pin.FileStamp // files whose content the hub knows by their stamp
}

// Look is what is known of a launch so far. It is for one goroutine at a time.
type Look struct {
	Form pin.LaunchForm

	target  transport.Target
	args    []string // of the command
	looked  []looked
	stamps  []pin.FileStamp
	known   []pin.FileStamp
	runner  runner
	runs    bool   // a package manager chooses what runs
	script  string // path of the script, "" for none
	module  string // python -m
	through string // the interpreter's own path, to find what is installed beside it
}

// looked is a file of the form, its real path, and its stamp.
type looked struct {
	in   *pin.LaunchFile
	real string
	then pin.FileStamp
}

// Find examines what starting c would run. It reads no file except the first line of a script, and leaves out what needs the hub: Know.
func Find(c transport.Command) (*Look, error) {
	target, err := transport.Aim(c)
	if err != nil {
		return nil, err
	}
	l := &Look{target: target, args: c.Argv[1:]}
	l.Form.Dir = plain(target.Dir)
	l.Form.Executable = pin.LaunchFile{Path: plain(target.Path)}
	l.add(&l.Form.Executable, target.Path)
	l.follow(target, target.Path, c.Argv[1:], 0)
	if sees {
		l.Form.Answers = &pin.LaunchAnswers{Pending: true}
	}
	if l.runs || l.script != "" || l.module != "" {
		l.Form.Package = &pin.LaunchPackage{Manager: l.runner.manager, Pending: true}
	}
	return l, nil
}

// Know adds the hub's knowledge: its key, and the content of unchanged files.
func (l *Look) Know(o Options) {
	l.Form.Client = o.Client
	names, loaders := variables(l.target.Env, o.For)
	l.Form.Variables, l.Form.Loaders = names, keyed(loaders, o.Key)
	l.known = o.Known
	for _, f := range l.looked {
		f.in.SHA256 = l.unchanged(f.then)
	}
}

// unchanged is the digest of a file that is as the hub saw it, "" of any other.
func (l *Look) unchanged(now pin.FileStamp) string {
	for _, old := range l.known {
		if old.Path == now.Path && old.Same(now) {
			return old.SHA256
		}
	}
	return ""
}

func (l *Look) add(f *pin.LaunchFile, path string) {
	now, _ := stat(path)
	l.looked = append(l.looked, looked{f, path, now})
}

// maxFollowed limits programs that start programs: env env env …
const maxFollowed = 4

// follow finds the script of a program, and the interpreter of a script. target is what the program runs with: env(1) may have changed it.
func (l *Look) follow(target transport.Target, path string, args []string, depth int) {
	name := interpreterName(path)
	if name == "env" && depth < maxFollowed {
		e := envOf(args)
		if inner, ok := e.within(target); ok {
			if found := inner.Find(e.command); found != "" {
				l.interpreter(found)
				l.follow(inner, found, e.rest, depth+1)
				return
			}
		}
	}
	if r, ok := runnerOf(name, args); ok {
		l.runner, l.runs = r, true
	}
	if line := shebang(path); line != "" && l.Form.Interpreter == nil {
		words := strings.Fields(line)
		interpreter, rest := words[0], words[1:]
		if filepath.Base(interpreter) == "env" {
			e := envOf(rest)
			interpreter, rest = e.command, e.rest
		}
		if found := target.Find(interpreter); interpreter != "" && found != "" {
			l.interpreter(found)
			if !l.runs && name != "tsx" && !strings.HasPrefix(name, "ts-node") {
				// The interpreter's script is the executable itself, which is already pinned.
				l.script, l.through = path, found
				if t, ok := scriptOf(interpreterName(found), rest); ok && t.words == codeInArguments {
					l.script = ""
				}
				return
			}
		}
	}
	t, script, loads, ok := toldBy(path, args, target.Dir)
	if !ok {
		return
	}
	l.through = path
	l.module, l.Form.Told = t.module, plain(t.words)
	l.Form.Loads = make([]pin.LaunchFile, len(loads))
	for i, load := range loads {
		l.Form.Loads[i].Path = plain(load)
		l.add(&l.Form.Loads[i], load)
	}
	switch {
	case script != "":
		l.script = script
		l.Form.Script = file(script)
		l.add(l.Form.Script, script)
	case t.script != "":
		l.Form.Told = missing(t.script)
	}
}

// missing names a script that does not exist. Without a script's extension it might be a secret after an unknown flag.
func missing(script string) string {
	switch filepath.Ext(script) {
	case ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", ".pl", ".php", ".lua", ".jar":
		return plain(script) + ", which is not a file here"
	}
	return "an argument that is not a file here"
}

func (l *Look) interpreter(path string) {
	if l.Form.Interpreter != nil {
		return
	}
	l.Form.Interpreter = file(path)
	l.add(l.Form.Interpreter, path)
}

// withIndex is the file that node uses for a folder, or for a name without its extension; python uses __main__.py.
func withIndex(path string) string {
	if regular(path) {
		return path
	}
	for _, ending := range []string{".js", ".mjs", ".cjs", ".ts", ".json", ".node", "/index.js", "/__main__.py", "/index.ts"} {
		if candidate := filepath.FromSlash(filepath.ToSlash(path) + ending); regular(candidate) {
			return candidate
		}
	}
	return path
}

// shebang is the first line of a script after its "#!", "" for any other file. The kernel only reads 256 bytes.
func shebang(path string) string {
	if !regular(path) {
		return ""
	}
	f, err := openFile(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return ""
	}
	return strings.TrimSpace(string(rest))
}

// Runs reports whether only the running server shows what runs.
func (l *Look) Runs() bool { return l.runs }

// Fresh reports whether a file has changed since its content was last read.
func (l *Look) Fresh() bool {
	return slices.ContainsFunc(l.looked, func(f looked) bool { return f.in.SHA256 == "" })
}

// Fill reads the files whose content is unknown. An unreadable file is an error: an incomplete form is not pinned.
func (l *Look) Fill() error {
	var errs []error
	for i := range l.looked {
		f := &l.looked[i]
		if f.in.SHA256 != "" {
			continue
		}
		stamp, err := read(f.real, f.real)
		if err != nil {
			// A program that can be run but not read is rare and honest (mode 0711); only its path is pinned.
			f.in.SHA256 = unreadable
			errs = append(errs, fmt.Errorf("read %s: %w", f.real, err))
			continue
		}
		f.in.SHA256, f.then = stamp.SHA256, stamp
		l.stamps = append(l.stamps, stamp)
	}
	return errors.Join(errs...)
}

// Stamps are the files that were read, for the hub to store.
func (l *Look) Stamps() []pin.FileStamp { return l.stamps }

// Installed fills in the script's package if it is known without running it.
func (l *Look) Installed() {
	if l.runs {
		return
	}
	l.Form.Package = packageOf(l.script, l.module, l.through)
}
