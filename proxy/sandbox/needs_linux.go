package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/program"
)

// strict builds the sandbox of that level: everything read-only, no network, and in home, temporary and run folders only what the program
// needs to start.
func (w *walls) strict(s Server, hidden []string) {
	w.add("--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	homes := []string{}
	if home, ok := program.Lookup(s.Env, "HOME"); ok && filepath.IsAbs(home) {
		homes = append(homes, home)
	}
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
	}
	passing := []string{"/run", "/tmp", "/var/tmp"}
	if folder, ok := program.Lookup(s.Env, "TMPDIR"); ok {
		passing = append(passing, folder)
	}
	for _, folder := range whole(passing) {
		if w.in(folder, w.gone) {
			w.add("--perms", "1777", "--dir", folder)
			continue
		}
		mode := "1777"
		if folder == "/run" {
			mode = "0755"
		}
		w.empty(folder, mode)
	}
	for _, folder := range whole(homes) {
		if !w.in(folder, w.gone) {
			w.empty(folder, "0700")
		} else {
			w.add("--perms", "0700", "--dir", folder)
		}
	}
	for _, need := range needs(s) {
		if w.in(need, w.gone) && !slices.Contains(w.gone, need) && !w.in(need, hidden) {
			w.add("--ro-bind", need, need)
		}
	}
	w.add("--ro-bind-try", "/run/current-system", "/run/current-system")
}

// needs are the folders and files that a program is started from, shallow ones first: its own installation, its interpreter's, those of
// folders and scripts that its arguments name as programs, and the caches of npx and uvx.
func needs(s Server) []string {
	n := &need{env: s.Env, dir: s.Dir, seen: map[string]bool{}}
	n.program(program.FromDir(s.Path, s.Dir), 0)
	for _, arg := range s.Argv[1:] {
		if !isInterpreter(s.Path) {
			break // the rest is data, whatever it looks like
		}
		if file := program.FromDir(arg, s.Dir); !strings.HasPrefix(arg, "-") && isScript(file) {
			n.program(file, 0)
			break // the rest are the script's own arguments
		}
	}
	home, _ := program.Lookup(s.Env, "HOME")
	launcher := filepath.Base(s.Path)
	switch {
	case !filepath.IsAbs(home):
	case slices.Contains([]string{"npx", "npm", "pnpm", "bunx"}, launcher):
		n.tree(home + "/.npm")
	case slices.Contains([]string{"uvx", "uv", "pipx"}, launcher):
		n.tree(home + "/.cache/uv")
		n.tree(home + "/.local/share/uv")
		n.tree(home + "/.local/share/pipx")
	}
	slices.SortFunc(n.found, byDepth)
	return slices.Compact(n.found)
}

type need struct {
	env   []string
	dir   string
	found []string
	seen  map[string]bool
}

func (n *need) tree(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		n.found = append(n.found, real)
	}
}

// maxLinks limits the symbolic links and interpreters followed from one program.
const maxLinks = 16

// program adds a file with its installation, then follows it: to the next link, and to the interpreter in its first line.
func (n *need) program(file string, depth int) {
	file = filepath.Clean(file)
	if depth > maxLinks || n.seen[file] {
		return
	}
	n.seen[file] = true
	// The link's folder may itself be reached over links: the kernel uses the real one.
	if real, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(real, filepath.Base(file))
	}
	info, err := os.Lstat(file)
	if err != nil {
		return
	}
	n.found = append(n.found, installation(file))
	if info.Mode()&os.ModeSymlink != 0 {
		if target, err := os.Readlink(file); err == nil {
			n.program(program.FromDir(target, filepath.Dir(file)), depth+1)
		}
		return
	}
	if !info.Mode().IsRegular() {
		return
	}
	if interpreter, argument := firstLine(file); filepath.Base(interpreter) == "env" && argument != "" {
		if found, err := program.Find(argument, n.env, n.dir); err == nil && isInterpreter(found) {
			n.program(found, depth+1)
		}
	} else if isInterpreter(interpreter) {
		n.program(interpreter, depth+1)
	}
}

// interpreters are programs whose first argument is another program. A script's first line is the server's choice: if any program counted,
// one that named a private file, or a program in a private project, would be given it.
var interpreters = []string{
	"node", "nodejs", "deno", "bun", "tsx", "ts-node", "python", "pypy", "uv", "ruby", "perl", "php", "lua", "java", "julia", "Rscript", "dotnet",
	"sh", "bash", "dash", "zsh", "ksh", "fish",
}

// isInterpreter ignores the version in a name: python3.12 is one.
func isInterpreter(path string) bool {
	return slices.Contains(interpreters, strings.TrimRight(filepath.Base(path), "0123456789.-"))
}

// installation guesses the folder that a program is installed in: a virtual environment, a tree of node modules, a prefix with bin and lib,
// a project with a package.json. A file anywhere else is bound alone.
func installation(file string) string {
	dir := filepath.Dir(file)
	if at := strings.Index(file, "/node_modules/"); at > 0 {
		return file[:at]
	}
	for folder := dir; strings.Count(folder, "/") > 2; folder = filepath.Dir(folder) {
		for _, mark := range []string{"pyvenv.cfg", "package.json", "pyproject.toml"} {
			if exists(filepath.Join(folder, mark)) && !isHome(folder) {
				return folder
			}
		}
	}
	if prefix := filepath.Dir(dir); filepath.Base(dir) == "bin" && exists(prefix+"/lib") && filepath.Base(prefix) != ".local" && !isHome(prefix) {
		return prefix
	}
	return file
}

// isHome reports whether a folder is a home, which is never bound as a whole, even with a package.json in it.
func isHome(folder string) bool {
	if exists(folder + "/.config") {
		return true
	}
	u, err := user.Current()
	return err == nil && folder == u.HomeDir
}

func isScript(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", ".jar", ".php", ".pl"}, filepath.Ext(file)) || len(program.Shebang(file)) > 0
}

// firstLine returns the interpreter that a script names, and its first argument that is not a flag.
func firstLine(file string) (interpreter, argument string) {
	fields := program.Shebang(file)
	if len(fields) == 0 {
		return "", ""
	}
	for _, f := range fields[1:] {
		if !strings.HasPrefix(f, "-") && !strings.Contains(f, "=") {
			return fields[0], f
		}
	}
	return fields[0], ""
}
