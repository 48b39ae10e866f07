package launch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
)

// running is one process as the process table shows it.
type running struct {
	pid   int
	depth int // below the server's main process
	exe   string
	argv  []string
	dir   string
	env   []string
}

// Bounds of the wait for what only a running server shows.
const (
	lookFirst   = 20 * time.Millisecond
	lookMost    = 200 * time.Millisecond
	afterAnswer = 3 * time.Second // a server that has answered runs: what is not seen by then is not seen
	longest     = 2 * time.Minute // a package that is fetched over a slow line first
)

// Running watches the processes below pid until the package that really runs is seen, and completes the form with it.
// answered is closed when the server has answered its client: what is seen then counts, what was seen before may have been
// an installer's own script.
func (l *Look) Running(ctx context.Context, pid int, answered <-chan struct{}) {
	if !l.runs {
		l.Installed()
		return
	}
	since := time.Now()
	deadline := time.NewTimer(longest)
	defer deadline.Stop()
	var seen *pin.LaunchPackage
	last := false
	for pause := lookFirst; ; pause = min(2*pause, lookMost) {
		if now := l.seen(ctx, pid, since); now != nil {
			seen = now
		}
		if last || answered == nil && seen != nil {
			break
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			last = true
		case <-answered:
			answered, pause = nil, lookFirst
			deadline.Reset(afterAnswer)
		case <-deadline.C:
			last = true
		case <-timer.C:
		}
		timer.Stop()
	}
	switch {
	case seen != nil:
		l.Form.Package = seen
	case l.runner.optional:
		l.Form.Package = nil
	default:
		l.Form.Package = &pin.LaunchPackage{Manager: l.runner.manager, Unseen: true}
	}
}

func (l *Look) seen(ctx context.Context, pid int, since time.Time) *pin.LaunchPackage {
	if l.runner.manager == "docker" {
		return l.image(ctx, since)
	}
	tree := below(pid)
	slices.SortStableFunc(tree, func(a, b running) int { return a.depth - b.depth })
	for _, p := range tree {
		if found := p.runs(); found != nil && !isRunner(found) {
			return found
		}
	}
	return nil
}

// runs is the package whose code a process runs, nil where it shows none.
func (p running) runs() *pin.LaunchPackage {
	if len(p.argv) == 0 {
		return nil
	}
	t, ok := scriptOf(interpreterName(p.exe), p.argv[1:])
	if !ok {
		return packageOf(p.exe, "", "") // a program that a package brought: esbuild, ruff
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

// lifecycle is the script that npm was told to run, for a process that has given itself another title: its arguments are
// gone from the process table, its environment is still there.
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

// isRunner says that a package is a package manager itself.
func isRunner(p *pin.LaunchPackage) bool {
	switch p.Name {
	case "npm", "npx", "pnpm", "yarn", "corepack", "bun":
		return p.Manager == "npm"
	case "uv", "pipx", "pip":
		return p.Manager == "pypi"
	}
	return false
}
