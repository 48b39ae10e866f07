package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

type doctorCommand struct{ jsonFlag }

// checked is one thing doctor looked at. Problem is nil where it is as it should be.
type checked struct {
	Check   string           `json:"check"`
	Found   string           `json:"found,omitempty"`
	Problem *control.Problem `json:"problem,omitempty"`
}

func (c doctorCommand) run(ctx context.Context, s streams) (int, error) {
	results := examine(ctx)
	code := exitFine
	for _, r := range results {
		if r.Problem != nil {
			code = exitFailed
		}
	}
	if c.JSON {
		return code, writeJSON(s.out, listOf(results))
	}
	p := newPage(s)
	for _, r := range results {
		if r.Problem == nil {
			p.printf("%s       %s: %s\n", p.paint(green, "ok"), r.Check, text(r.Found))
			continue
		}
		p.problem(control.Problem{Code: r.Problem.Code, What: r.Check + ": " + r.Problem.What, Next: r.Problem.Next})
	}
	return code, nil
}

// examine looks at everything there is, each thing for itself: one that is wrong hides no other.
func examine(ctx context.Context) []checked {
	results := append([]checked{examineProgram()}, examineClients(clientconfig.ThisSystem())...)
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return append(results, wrong("home", "SP-110", err.Error(), "Start the client, or this command, from a session that has HOME, or set SALLYPORT_HOME there to a folder of your own."))
	}
	folders := examineHome(home)
	results = append(results, folders)
	if folders.Problem != nil && folders.Problem.Code == "SP-111" {
		return results // store and hub are refused for the same reason: one problem is named once
	}
	results = append(results, examineStore(home))
	results = append(results, examineHub(ctx, home)...)
	return append(results, examineSandbox(ctx, home))
}

func wrong(check, code, what, next string) checked {
	return checked{Check: check, Problem: &control.Problem{Code: code, What: what, Next: next}}
}

// examineProgram looks at the file that runs. Wrappers and hub prove each other by it, and clients start it by its path, so
// it must be there, and nobody else may be able to change it.
func examineProgram() checked {
	const check = "program"
	path, err := os.Executable()
	if err != nil {
		return wrong(check, "SP-101", err.Error(), "Install Sallyport again.")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong(check, "SP-101", path+" is gone: it was moved or replaced while it ran", "Restart the client, so that it starts the new one.")
	case err != nil:
		return wrong(check, "SP-101", err.Error(), "Install Sallyport again.")
	case openToOthers(info):
		return wrong(check, "SP-102", path+" can be changed by other users", fmt.Sprintf("chmod go-w %q", path))
	}
	return checked{Check: check, Found: path + ", version " + version}
}

func examineHome(home control.Home) checked {
	const check = "home"
	missing := 0
	folders := []string{home.Dir, filepath.Dir(home.Settings), home.Backups, home.Spool, home.Logs}
	for _, dir := range folders {
		// OwnFolder makes what is missing; a doctor changes nothing, so it looks first.
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			missing++
			if above := lowestThere(dir); !writable(above) {
				return wrong(check, "SP-112", fmt.Sprintf("%s is not made yet, and cannot be: %s cannot be written to", dir, above), "Make it writable for you, or set SALLYPORT_HOME to a folder of your own; a hub cannot start without.")
			}
			continue
		}
		if err := control.OwnFolder(dir); err != nil {
			return wrong(check, "SP-111", err.Error(), "Do that, or set SALLYPORT_HOME to another folder of your own; until then everything new stays blocked.")
		}
		if !writable(dir) {
			return wrong(check, "SP-112", dir+" cannot be written to", "Make it writable for you, or free the disk it is on; a hub cannot start there.")
		}
	}
	if missing == len(folders) {
		return checked{Check: check, Found: home.Dir + ", not made yet"}
	}
	return checked{Check: check, Found: home.Dir}
}

// lowestThere is the nearest folder above dir that is there: what is missing is made in it.
func lowestThere(dir string) string {
	above := filepath.Dir(dir)
	for above != filepath.Dir(above) {
		if _, err := os.Lstat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	return above
}

// examineStore looks at the store's file only: its content belongs to the hub.
func examineStore(home control.Home) checked {
	const check = "store"
	info, err := os.Lstat(home.Store)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(filepath.Join(home.Dir, "seal.key")); err == nil {
			return wrong(check, "SP-002", home.Store+" is missing beside its seal key", "Put the store back and restart the hub; until then nothing is allowed.")
		}
		return checked{Check: check, Found: "not made yet"}
	case err != nil:
		return wrong(check, "SP-120", err.Error(), "Make the file readable for you, or put a backup in its place.")
	case !info.Mode().IsRegular():
		return wrong(check, "SP-120", home.Store+" is no regular file", "Move it away; the hub makes a new store, and everything is reviewed again.")
	case readableByOthers(info):
		return wrong(check, "SP-121", home.Store+" can be read by other users", fmt.Sprintf("chmod 600 %q", home.Store))
	}
	return checked{Check: check, Found: fmt.Sprintf("%s, %d bytes", home.Store, info.Size())}
}

func examineHub(ctx context.Context, home control.Home) []checked {
	const check = "hub"
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	hub, err := control.DialWith(ctx, home, control.DialOptions{Role: control.RoleCLI, Version: version})
	switch {
	case errors.Is(err, control.ErrNoHub):
		if info, err := os.Lstat(home.Socket); err == nil && info.Mode()&os.ModeSocket == 0 {
			return []checked{wrong(check, "SP-132", home.Socket+" is in the way of the hub's socket", "Move it away: no hub can start, and nothing is let through.")}
		}
		return []checked{{Check: check, Found: "none runs; a wrapper starts one when it needs it"}}
	case errors.Is(err, control.ErrProtocol):
		return []checked{wrong(check, "SP-131", err.Error(), "Restart the client and Sallyport, so that both are of one version.")}
	case errors.Is(err, control.ErrForeign):
		return []checked{wrong(check, "SP-132", "something else listens at "+home.Socket+": "+err.Error(), "After an update, restart the client. Else end that program: wrappers let nothing new through meanwhile.")}
	case err != nil:
		return []checked{wrong(check, "SP-130", err.Error(), "End the hub and start it again; nothing is lost.")}
	}
	defer hub.Close()
	status, err := hub.Status(ctx)
	if err != nil {
		return []checked{wrong(check, "SP-130", err.Error(), "End the hub and start it again; nothing is lost.")}
	}
	results := []checked{{Check: check, Found: fmt.Sprintf("%s, process %d, version %s", hubKind(status.Hub), status.Hub.PID, status.Hub.Version)}}
	for _, problem := range status.Problems {
		results = append(results, checked{Check: "hub says", Problem: &problem})
	}
	return results
}
