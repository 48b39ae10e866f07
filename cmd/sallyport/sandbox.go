package main

import (
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
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport"
)

// errNoPolicy: what the server may reach could not be learned.
//
//lint:ignore ST1005 it begins with a name
var errNoPolicy = errors.New("Sallyport couldn't tell which sandbox the server needs, so it was not started; run sallyport status to see why")

// sandbox is what the server is to run in, nil for none: what the hub says now, or strict. Without a word of the hub there
// is no server: what was to have a sandbox never starts without one because a hub, a store or a file was not there to say
// so. (The launch pin holds a server back until then; this is for the day that it does not.)
func (l *hubLink) sandbox(strict bool) (*sandbox.Sandbox, error) {
	state := l.State()
	level := state.Settings["sandbox"]
	if strict && level != "" {
		level = "strict"
	}
	switch level {
	case "off":
		l.under = level
		return nil, nil
	case "shield", "strict":
	default:
		return nil, coded("SP-141", errNoPolicy)
	}
	hide, err := l.home.Private()
	if err != nil {
		return nil, fmt.Errorf("hide our own folders: %w", err)
	}
	box := &sandbox.Sandbox{Strict: level == "strict", Hide: append(slices.Clone(hide), state.Hide...), Hold: hide}
	makeClaudeFolder(clientconfig.ThisSystem())
	for _, system := range systems() {
		hidden, keep := clientPlaces(system)
		box.Hide, box.Keep = append(box.Hide, hidden...), append(box.Keep, keep...)
	}
	l.under = level
	return box, nil
}

// systems are where clients keep their files: as this environment has it, and as it is without one. A wrapper is started with
// the entry's own HOME and XDG_CONFIG_HOME, or none, and the client's file is where it was.
func systems() []clientconfig.System {
	all := []clientconfig.System{clientconfig.ThisSystem()}
	if u, err := user.Current(); err == nil {
		all = append(all, clientconfig.System{OS: all[0].OS, Home: u.HomeDir, Env: func(string) string { return "" }})
	}
	return all
}

// clientPlaces are the folders of the clients, or their files where the folder is the home itself, and what stays readable in
// them: the programs of desktop extensions. A file is replaced by its client all the time, and what covers it goes with the
// old one; the folder stays.
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

// makeClaudeFolder makes Claude Desktop's folder where it is missing: a server could leave a file for it there.
func makeClaudeFolder(system clientconfig.System) {
	places := clientconfig.Places(system)
	if len(places) == 0 || !filepath.IsAbs(places[0].Folder) {
		return
	}
	if _, err := os.Stat(filepath.Dir(places[0].Folder)); err == nil {
		_ = os.Mkdir(places[0].Folder, 0o700) // exists, mostly; where it cannot be made, no server can make it either
	}
}

// Report says with what the server declares what it ran under when it did.
func (l *hubLink) Report(ctx context.Context, r control.Report) (*control.State, error) {
	r.Sandbox = l.under
	return l.Link.Report(ctx, r)
}

// underWords is what a start is recorded with.
func (l *hubLink) underWords() string {
	if l.under == "off" {
		return "the server was started"
	}
	return "the server was started in its sandbox (" + l.under + ")"
}

// sandboxRefused puts a code to a server that was not started because its sandbox could not be had.
func sandboxRefused(err error) error {
	var no *sandbox.Error
	if errors.As(err, &no) {
		return coded("SP-140", err)
	}
	return err
}

// coded is an error with the code of its paragraph in docs/problems.md.
func coded(code string, err error) error { return fmt.Errorf("%s: %w", code, err) }

// sandboxWords is what a server runs under: what is set, and what its wrappers have it under where that is another.
func sandboxWords(s control.Server) string {
	if s.Sandbox == "" {
		return "off"
	}
	for _, now := range s.RunsIn {
		if now != s.Sandbox {
			return s.Sandbox + " (now " + strings.Join(s.RunsIn, ", ") + ")"
		}
	}
	return s.Sandbox
}

// examineSandbox looks whether a sandbox can be had, and whether each server that is to have one has it.
func examineSandbox(ctx context.Context, home control.Home) checked {
	const check = "sandbox"
	said, unable := trySandbox(ctx)
	wanted, behind := walled(knownServers(ctx, home))
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

// walled are the servers that are to have a sandbox, and those that run under another one than is set, each with its level.
func walled(servers []control.Server) (wanted, behind []string) {
	for _, s := range servers {
		if s.Sandbox != "" && s.Sandbox != "off" {
			wanted = append(wanted, s.Server+": "+sandboxWords(s))
		}
		if sandboxWords(s) != s.Sandbox && s.Sandbox != "" {
			behind = append(behind, s.Server+": "+sandboxWords(s))
		}
	}
	return wanted, behind
}

// sandboxProblem is what is wrong with servers that are to have a sandbox, nil where nothing is. unable says why none can be had.
func sandboxProblem(unable error, wanted, behind []string) *control.Problem {
	switch {
	case unable != nil && len(wanted) > 0:
		return &control.Problem{Code: "SP-140", What: plain(unable) + "; set for " + strings.Join(wanted, ", "), Next: "Follow it. Until then these servers are not started."}
	case unable == nil && len(behind) > 0:
		return &control.Problem{Code: "SP-142", What: "servers run in a different sandbox than the one you set: " + strings.Join(behind, ", "), Next: "Restart the client so that they start in the right one."}
	}
	return nil
}

// sandboxStatus looks for such a problem. It costs two starts of a program, so only where a server is to have a sandbox.
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

// trySandbox says whether a server of this home could be started in a sandbox now, and why not.
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

// knownServers asks the hub, nil where none answers.
func knownServers(ctx context.Context, home control.Home) []control.Server {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	hub, err := control.DialWith(ctx, home, control.DialOptions{Role: control.RoleCLI, Version: version})
	if err != nil {
		return nil
	}
	defer hub.Close()
	servers, err := control.AskServers(ctx, hub)
	if err != nil {
		return nil
	}
	return servers
}
