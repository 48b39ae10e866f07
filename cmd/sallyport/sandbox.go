package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// errNoPolicy: what the server may reach could not be learned.
var errNoPolicy = errors.New("SP-141: Sallyport couldn't tell which sandbox the server needs, so it was not started; run sallyport status to see why")

// sandbox is the server's sandbox, nil for none: what the hub says now, or strict. Without the hub's word the server is not started, so
// that a missing hub, store or file never removes a sandbox. (The launch pin already holds a server back until then; this does not rely on
// it.)
func (l *hubLink) sandbox(strict bool) (*sandbox.Sandbox, error) {
	state := l.State()
	level := vocab.Sandbox(state.Settings["sandbox"])
	if strict && level != "" {
		level = vocab.SandboxStrict
	}
	switch level {
	case vocab.SandboxOff:
		l.under = level
		return nil, nil
	case vocab.SandboxShield, vocab.SandboxStrict:
	default:
		return nil, errNoPolicy
	}
	hide, err := l.home.Private()
	if err != nil {
		return nil, fmt.Errorf("hide our own folders: %w", err)
	}
	box := &sandbox.Sandbox{Strict: level == vocab.SandboxStrict, Hide: append(slices.Clone(hide), state.Hide...), Hold: hide}
	makeClaudeFolder(clientconfig.ThisSystem())
	for _, system := range systems() {
		hidden, keep := clientPlaces(system)
		box.Hide, box.Keep = append(box.Hide, hidden...), append(box.Keep, keep...)
	}
	l.under = level
	return box, nil
}

// systems are where clients keep their files: with this environment, and without one. A wrapper is started with the entry's own HOME and
// XDG_CONFIG_HOME, or none, but the client's file is where it always was.
func systems() []clientconfig.System {
	all := []clientconfig.System{clientconfig.ThisSystem()}
	if u, err := user.Current(); err == nil {
		all = append(all, clientconfig.System{OS: all[0].OS, Home: u.HomeDir, Env: func(string) string { return "" }})
	}
	return all
}

// clientPlaces are the folders of the clients (or their files, if the folder is the home itself), and what stays readable in them: the
// programs of desktop extensions. A file is often replaced by its client, and its cover goes with the old one; the folder stays.
func clientPlaces(system clientconfig.System) (hide, keep []string) {
	for _, place := range clientconfig.Places(system) {
		if place.Folder == "" || holds(place.Folder, system.Home) {
			hide = append(hide, place.Path)
			continue
		}
		hide = append(hide, place.Folder)
		keep = append(keep, filepath.Join(place.Folder, "Claude Extensions"), filepath.Join(place.Folder, "extensions"))
	}
	if system.Home != "" {
		code := filepath.Join(system.Home, ".claude")
		hide = append(hide, code) // its hooks are commands
		keep = append(keep, filepath.Join(code, "plugins"), filepath.Join(code, "local"))
	}
	return hide, keep
}

// makeClaudeFolder creates Claude Desktop's folder if it is missing: otherwise a server could leave a file for it there.
func makeClaudeFolder(system clientconfig.System) {
	places := clientconfig.Places(system)
	if len(places) == 0 || !filepath.IsAbs(places[0].Folder) {
		return
	}
	if _, err := os.Stat(filepath.Dir(places[0].Folder)); err == nil {
		_ = os.Mkdir(places[0].Folder, 0o700) // usually it exists; if we can't create it, no server can either
	}
}

// Report adds to the server's report what sandbox it ran in.
func (l *hubLink) Report(ctx context.Context, r control.Report) (*control.State, error) {
	r.Sandbox = l.under
	return l.Link.Report(ctx, r)
}

// underWords is what a start is recorded with.
func (l *hubLink) underWords() string {
	if l.under == vocab.SandboxOff {
		return "the server was started"
	}
	return "the server was started in its sandbox (" + string(l.under) + ")"
}

// sandboxWords is a server's sandbox: the setting, and what its wrappers really use if that differs.
func sandboxWords(s control.Server) string {
	set := string(cmp.Or(s.Sandbox, vocab.SandboxOff))
	if s.Sandbox == "" || !slices.ContainsFunc(s.RunsIn, func(now vocab.Sandbox) bool { return now != s.Sandbox }) {
		return set
	}
	var now []string
	for _, one := range s.RunsIn {
		now = append(now, string(one))
	}
	return set + " (now " + strings.Join(now, ", ") + ")"
}

// examineSandbox checks whether a sandbox can be made, and whether each server that should have one does.
func examineSandbox(ctx context.Context) checked {
	const check = "sandbox"
	said, unable := trySandbox(ctx)
	wanted, behind := walled(knownServers(ctx))
	if problem := sandboxProblem(unable, wanted, behind); problem != nil {
		return checked{Check: check, Problem: problem}
	}
	if unable != nil {
		return checked{Check: check, Found: plain(unable) + "; no server asks for one"}
	}
	found := said
	if len(wanted) > 0 {
		found += "; " + strings.Join(wanted, ", ")
	}
	if open := sandbox.AbstractSockets(); len(open) > 0 {
		found += "; a shield leaves open: " + strings.Join(open, ", ")
	}
	return checked{Check: check, Found: found}
}

// walled are the servers that should have a sandbox, and those that run in another one than set, each with its level.
func walled(servers []control.Server) (wanted, behind []string) {
	for _, s := range servers {
		if s.Sandbox == vocab.SandboxShield || s.Sandbox == vocab.SandboxStrict {
			wanted = append(wanted, terminal.Server(s.Server, s.Shown)+": "+sandboxWords(s))
		}
		if sandboxWords(s) != string(s.Sandbox) && s.Sandbox != "" {
			behind = append(behind, terminal.Server(s.Server, s.Shown)+": "+sandboxWords(s))
		}
	}
	return wanted, behind
}

// sandboxProblem is the problem with servers that should have a sandbox, nil if none. unable says why none can be made.
func sandboxProblem(unable error, wanted, behind []string) *control.Problem {
	switch {
	case unable != nil && len(wanted) > 0:
		return &control.Problem{Code: "SP-140", What: plain(unable) + "; set for " + strings.Join(wanted, ", "), Next: "Follow it. Until then these servers are not started."}
	case unable == nil && len(behind) > 0:
		return &control.Problem{Code: "SP-142", What: "servers run in a different sandbox than the one you set: " + strings.Join(behind, ", "), Next: "Restart the client so that they start in the right one."}
	}
	return nil
}

// sandboxStatus looks for such a problem. It starts two programs, so it runs only if a server should have a sandbox.
func sandboxStatus(ctx context.Context, servers []control.Server) []control.Problem {
	wanted, behind := walled(servers)
	if len(wanted)+len(behind) == 0 {
		return nil
	}
	_, unable := trySandbox(ctx)
	if problem := sandboxProblem(unable, wanted, behind); problem != nil {
		return []control.Problem{*problem}
	}
	return nil
}

// trySandbox reports whether a server of this home could be started in a sandbox now, and why not.
func trySandbox(ctx context.Context) (said string, unable error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(home.Dir); errors.Is(err, fs.ErrNotExist) {
		return transport.TrySandbox(ctx, nil) // Private would make it, and to look changes nothing
	}
	hold, err := home.Private()
	if err != nil {
		return "", err
	}
	return transport.TrySandbox(ctx, hold)
}

func knownServers(ctx context.Context) []control.Server {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout) // doctor reports a hub that doesn't answer, and must not wait for it
	defer cancel()
	hub, err := dial(ctx)
	if err != nil {
		return nil
	}
	defer hub.Close()
	servers, _ := control.AskServers(ctx, hub) // without a hub's word there are none to check
	return servers
}
