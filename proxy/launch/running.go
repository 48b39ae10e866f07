package launch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
)

// running is one process in the process table.
type running struct {
	pid    int
	depth  int // below the server's main process
	parent int
	exe    string
	argv   []string
	dir    string
	env    []string
}

// Server is a started server.
type Server struct {
	PID    func() int      // its main process, 0 if it is gone
	Input  uint64          // inode of its input pipe
	Output uint64          // inode of its output pipe
	Exited <-chan struct{} // closed when it ends
	Walled bool            // it runs in a sandbox
}

// Limits on the wait for what only a running server shows.
const (
	lookFirst   = 20 * time.Millisecond
	lookMost    = 200 * time.Millisecond
	afterAnswer = 3 * time.Second // after the first response: what is not seen by then stays unseen
	longest     = 2 * time.Minute // for a package that is first fetched over a slow line
)

// Running watches the processes of a server until its first response and completes the form with what it sees then: which program answers,
// and its package. Earlier processes may be an installer's own scripts. answered is closed when the server has answered its client. Running
// returns false if the server ended before it could be seen.
func (l *Look) Running(ctx context.Context, s Server, answered <-chan struct{}) bool {
	since := time.Now()
	deadline := time.NewTimer(longest)
	defer deadline.Stop()
	var early, seen *pin.LaunchPackage
	var main, end running
	var found, over, last bool
	for pause := lookFirst; ; pause = min(2*pause, lookMost) {
		if !over && (l.runs || answered == nil || last) {
			tree := tree(s.PID())
			if now := l.seen(ctx, s, tree, since); now != nil {
				seen = now
			}
			if m, e, ok := s.line(tree); ok {
				main, end, found = m, e, true
			}
		}
		if last || over || answered == nil && found && (seen != nil || !l.runs || l.runner.optional) {
			break
		}
		if !l.runs && answered != nil {
			pause = longest // there is nothing to see before it answers
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			last = true
		case <-answered:
			answered, pause, early, seen, found = nil, lookFirst, seen, nil, false
			deadline.Reset(afterAnswer)
		case <-s.Exited:
			over = true
		case <-deadline.C:
			last = true
		case <-timer.C:
		}
		timer.Stop()
	}
	if seen == nil {
		seen = early
	}
	l.again()
	switch {
	case !l.runs:
		l.Installed()
	case seen != nil:
		l.Form.Package = seen
	case over:
	case l.runner.optional:
		l.Form.Package = nil
	default:
		l.Form.Package = l.runner.unseen()
	}
	if over && (answered != nil || !found) {
		return false
	}
	if l.Form.Answers != nil {
		answers := l.answers(main, end, found)
		if answers != nil && (answers.Unseen || answers.Executable.SHA256 == unreadable) && s.ends() {
			return false // it ended meanwhile
		}
		l.Form.Answers = answers
	}
	return true
}

// ends reports whether a server is over or about to be: its process is gone a little before we are told.
func (s Server) ends() bool {
	select {
	case <-s.Exited:
		return true
	case <-time.After(lookMost):
		return false
	}
}

func (l *Look) seen(ctx context.Context, s Server, tree []running, since time.Time) *pin.LaunchPackage {
	if !l.runs {
		return nil
	}
	if l.runner.manager == "docker" {
		if s.Walled {
			return nil // the docker command is the server's choice, and would run outside its sandbox
		}
		return l.image(ctx, since)
	}
	for _, p := range tree {
		if found := p.runs(); found != nil && !isRunner(found) {
			return found
		}
	}
	return nil
}

// tree is the process and its descendants, nearest first.
func tree(pid int) []running {
	if pid == 0 {
		return nil
	}
	tree := below(pid)
	slices.SortStableFunc(tree, func(a, b running) int { return a.depth - b.depth })
	return tree
}

// line follows the conversation: from the main process to the child that holds the same two pipes, under any number, and on. Programs that
// only look something up give their children other pipes. A child that runs the same as its parent is a worker.
func (s Server) line(tree []running) (main, end running, ok bool) {
	if len(tree) == 0 || tree[0].depth != 0 {
		return main, end, false
	}
	main = tree[0]
	end = main
	for {
		next := -1
		for i, p := range tree {
			if p.parent == end.pid && (next < 0 || p.pid < tree[next].pid) && holds(p.pid, s.Input, s.Output) {
				next = i
			}
		}
		if next < 0 || tree[next].exe == end.exe && slices.Equal(tree[next].argv, end.argv) {
			return main, end, true
		}
		end = tree[next]
	}
}

// again reads the files that have changed since before the start: the program may have read the new content.
func (l *Look) again() {
	for i := range l.looked {
		f := &l.looked[i]
		if now, err := stat(f.real); err == nil && f.then.Path != "" && (!sameFile(f.then, now) || f.then.CTime != 0 && f.then.CTime != now.CTime) {
			f.in.SHA256 = ""
		}
	}
	_ = l.Fill() // an unreadable file is marked as such
}

// answers is the program that answers, nil if it is the command's own and runs what the command says.
func (l *Look) answers(main, end running, found bool) *pin.LaunchAnswers {
	through := "/proc/" + strconv.Itoa(end.pid) + "/exe"
	runs, err := stat(through)
	if !found || err != nil {
		return &pin.LaunchAnswers{Unseen: true}
	}
	itself := l.isCommand(runs)
	told, script, loads, _ := toldBy(end.exe, end.rest(), end.dir)
	if script == "" {
		script = end.lifecycle()
	}
	switch {
	case itself && end.pid == main.pid && (script == "" || l.tells(end, script)):
		return nil
	case itself && l.runs && l.Form.Package != nil:
		return nil
	}
	if l.Form.Package == nil {
		l.Form.Package = end.runs()
	}
	a := &pin.LaunchAnswers{Executable: pin.LaunchFile{Path: plain(end.exe), SHA256: l.content(through, end.exe)}}
	for _, load := range loads {
		a.Loads = append(a.Loads, pin.LaunchFile{Path: plain(load), SHA256: l.content(load, load)})
	}
	switch {
	case l.Form.Package != nil && l.runs:
	case script != "":
		a.Script = file(script)
		a.Script.SHA256 = l.content(script, script)
	case len(end.argv) < 2 && told.words == codeFromInput:
		a.Told = "what its entry in the process table does not show" // it changed its title
	default:
		a.Told = plain(told.words)
	}
	return a
}

// tells reports whether the command itself tells its interpreter to run this script.
func (l *Look) tells(p running, script string) bool {
	if n := len(l.args); n > 0 && len(p.argv) >= n && slices.Equal(p.argv[len(p.argv)-n:], l.args) {
		return true
	}
	for _, ours := range []string{l.script, l.target.Path} {
		a, errA := os.Stat(script)
		b, errB := os.Stat(ours)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return true
		}
	}
	return false
}

// isCommand reports whether a process runs the command's executable or its interpreter.
func (l *Look) isCommand(runs pin.FileStamp) bool {
	return slices.ContainsFunc(l.looked, func(f looked) bool {
		return (f.in == &l.Form.Executable || f.in == l.Form.Interpreter) && sameFile(f.then, runs)
	})
}

// sameFile reports whether two stamps are of one unmodified file, under any name. The change time does not count: creating a link changes
// it.
func sameFile(a, b pin.FileStamp) bool {
	return a.Inode == b.Inode && a.Device == b.Device && a.Size == b.Size && a.MTime == b.MTime
}

// unreadable replaces the digest of a file that could not be read.
const unreadable = "unreadable"

// content is the digest of the file at path, opened through another path; from the hub's stamps if the file is unchanged.
func (l *Look) content(through, path string) string {
	now, err := stat(through)
	if err == nil {
		now.Path = path
		if digest := l.unchanged(now); digest != "" {
			return digest
		}
		now, err = read(through, path)
	}
	if err != nil {
		return unreadable
	}
	l.stamps = append(l.stamps, now)
	return now.SHA256
}

func (p running) rest() []string { return p.argv[min(1, len(p.argv)):] }

// runs is the package whose code a process runs, nil if it shows none.
func (p running) runs() *pin.LaunchPackage {
	if len(p.argv) == 0 {
		return nil
	}
	t, ok := scriptOf(interpreterName(p.exe), p.argv[1:])
	if !ok {
		return packageOf(p.exe, "", "") // a program that a package brings along: esbuild, ruff
	}
	through := p.argv[0]
	if !filepath.IsAbs(through) {
		through = p.exe
	}
	script := t.script
	if script == "" && t.module == "" {
		script = p.lifecycle()
	}
	if script != "" && !filepath.IsAbs(script) {
		script = filepath.Join(p.dir, script)
	}
	if script != "" {
		if script = withIndex(script); !regular(script) {
			if script = p.lifecycle(); script == "" {
				return nil
			}
		}
	}
	return packageOf(script, t.module, through)
}

// lifecycle is the script that npm was told to run, for a process that changed its title: its arguments are gone from the process table,
// but its environment remains.
func (p running) lifecycle() string {
	var name, path string
	for _, entry := range p.env {
		key, value, _ := strings.Cut(entry, "=")
		switch key {
		case "npm_lifecycle_script":
			name, _, _ = strings.Cut(strings.Trim(value, "'\""), " ")
			name = strings.Trim(name, "'\"")
		case "PATH":
			path = value
		}
	}
	if name == "" || strings.ContainsAny(name, `/\`) {
		return ""
	}
	for _, folder := range filepath.SplitList(path) {
		if strings.HasSuffix(filepath.ToSlash(folder), "node_modules/.bin") {
			if candidate := filepath.Join(folder, name); regular(candidate) {
				return candidate
			}
		}
	}
	return ""
}

func isRunner(p *pin.LaunchPackage) bool {
	switch p.Name {
	case "npm", "npx", "pnpm", "yarn", "corepack", "bun":
		return p.Manager == "npm"
	case "uv", "pipx", "pip":
		return p.Manager == "pypi"
	}
	return false
}
