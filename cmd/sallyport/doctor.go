package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/notify/bus"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/peer"
)

type doctorCommand struct{ jsonFlag }

// checked is one thing doctor looked at. Problem is nil if it is in order.
type checked struct {
	Check   string           `json:"check"`
	Found   string           `json:"found,omitempty"`
	Problem *control.Problem `json:"problem,omitempty"`
}

func (c doctorCommand) run(ctx context.Context, s streams) (int, error) {
	results := examine(ctx)
	code := exitFine
	if slices.ContainsFunc(results, func(c checked) bool { return c.Problem != nil }) {
		code = exitFailed
	}
	return code, c.print(s, listOf(results), func(p *page) {
		for _, r := range results {
			if r.Problem == nil {
				p.Printf("%s       %s: %s\n", p.Paint(terminal.Green, "ok"), r.Check, terminal.Text(r.Found))
				continue
			}
			p.problem(control.Problem{Code: r.Problem.Code, What: r.Check + ": " + r.Problem.What, Next: r.Problem.Next})
		}
	})
}

// examine checks everything independently, so that one problem hides no other.
func examine(ctx context.Context) []checked {
	results := append([]checked{examineProgram(), examineWindow()}, examineClients(clientconfig.ThisSystem())...)
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return append(results, wrong("home", "SP-110", err.Error(), "Set HOME where the client or this command starts, or set SALLYPORT_HOME to a folder of your own."))
	}
	folders := examineHome(home)
	results = append(results, folders)
	if folders.Problem != nil && folders.Problem.Code == "SP-111" {
		return results // store and hub fail for the same reason: report one problem once
	}
	results = append(results, examineStore(home))
	results = append(results, examineHub(ctx, home)...)
	return append(results, examineKeychain(ctx, home), examineSandbox(ctx), examineNotifications(ctx))
}

func wrong(check, code, what, next string) checked {
	return checked{Check: check, Problem: &control.Problem{Code: code, What: what, Next: next}}
}

// examineProgram checks the running file. Wrappers and hub prove each other by it, and clients start it by its path, so it must exist, and
// other users must not be able to change it.
func examineProgram() checked {
	const check = "program"
	path, err := os.Executable()
	if err != nil {
		return wrong(check, "SP-101", err.Error(), "Reinstall Sallyport.")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong(check, "SP-101", path+" was moved or replaced while it was running", "Restart the client so that it starts the new version.")
	case err != nil:
		return wrong(check, "SP-101", err.Error(), "Reinstall Sallyport.")
	case openToOthers(info):
		return wrong(check, "SP-102", path+" can be changed by other users", fmt.Sprintf("chmod go-w %q", path))
	}
	return checked{Check: check, Found: path + ", version " + version}
}

// examineWindow checks the program with the window, which decides everything and is proved by its file like this one.
func examineWindow() checked {
	const check = "window"
	path := control.DesktopProgram()
	if path == "" {
		return checked{Check: check, Found: "not installed: this installation has the command line alone"}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return wrong(check, "SP-101", err.Error(), "Reinstall Sallyport.")
	case openToOthers(info):
		return wrong(check, "SP-102", path+" can be changed by other users", fmt.Sprintf("chmod go-w %q", path))
	}
	return checked{Check: check, Found: path}
}

// examineNotifications checks whether this session can show notifications. A computer without a screen needs none.
func examineNotifications(ctx context.Context) checked {
	const check = "notifications"
	ctx, cancel := context.WithTimeout(ctx, busTimeout)
	defer cancel()
	words, missing := bus.Look(ctx)
	if missing {
		return wrong(check, "SP-160", words+", so none are shown", "Start your desktop's notification service, or install one, such as dunst or mako. Until then, the window, the tray icon and sallyport status say what needs your review.")
	}
	return checked{Check: check, Found: words}
}

// busTimeout is how long the session bus and the notification service may take together; either answers in milliseconds.
const busTimeout = 3 * time.Second

func examineHome(home control.Home) checked {
	const check = "home"
	missing := 0
	folders := []string{home.Dir, filepath.Dir(home.Settings), home.Backups, home.Spool, home.Logs}
	for _, dir := range folders {
		// OwnFolder creates what is missing, but a doctor changes nothing, so look first.
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			missing++
			if above := lowestThere(dir); !writable(above) {
				return wrong(check, "SP-112", fmt.Sprintf("%s doesn't exist, and Sallyport can't create it: you have no write access to %s", dir, above), "Make that folder writable, or set SALLYPORT_HOME to a folder of your own. Until then the hub can't start.")
			}
			continue
		}
		if err := disk.OwnFolder(dir); err != nil {
			return wrong(check, "SP-111", err.Error(), "Do that, or set SALLYPORT_HOME to another folder of your own. Until then everything new stays blocked.")
		}
		if !writable(dir) {
			return wrong(check, "SP-112", "Sallyport can't write to "+dir, "Make it writable, or free up disk space. Until then the hub can't start.")
		}
	}
	if missing == len(folders) {
		return checked{Check: check, Found: home.Dir + ", not created yet"}
	}
	return checked{Check: check, Found: home.Dir}
}

// lowestThere is the nearest existing folder above dir, in which missing ones are created.
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

// examineStore checks only the store's file: its content belongs to the hub.
func examineStore(home control.Home) checked {
	const check = "store"
	info, err := os.Lstat(home.Store)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(filepath.Join(home.Dir, "seal.key")); err == nil {
			return wrong(check, "SP-002", home.Store+" is missing, but its seal key is there", "Put the store back and restart the hub. Until then everything is blocked.")
		}
		return checked{Check: check, Found: "not created yet"}
	case err != nil:
		return wrong(check, "SP-120", err.Error(), "Make the file readable, or put a backup in its place.")
	case !info.Mode().IsRegular():
		return wrong(check, "SP-120", home.Store+" is not a regular file", "Move it away. The hub then creates a new store, and you review everything again.")
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
			return []checked{wrong(check, "SP-132", home.Socket+" is in the way of the hub's socket", "Move it away. Until then the hub can't start and everything is blocked.")}
		}
		return []checked{{Check: check, Found: "not running; it starts when a server needs it"}}
	case errors.Is(err, control.ErrProtocol):
		return []checked{wrong(check, "SP-131", err.Error(), "Restart the client and Sallyport so that both have the same version.")}
	case errors.Is(err, peer.ErrForeign):
		return []checked{wrong(check, "SP-132", "another program is listening at "+home.Socket+": "+err.Error(), "If you just updated Sallyport, restart the client. If not, quit that program: until then everything new stays blocked.")}
	case err != nil:
		return []checked{wrong(check, "SP-130", err.Error(), "Restart the hub; nothing is lost.")}
	}
	defer hub.Close()
	status, err := control.AskStatus(ctx, hub)
	if err != nil {
		return []checked{wrong(check, "SP-130", err.Error(), "Restart the hub; nothing is lost.")}
	}
	results := []checked{{Check: check, Found: fmt.Sprintf("%s, process %d, version %s", hubKind(status.Hub), status.Hub.PID, status.Hub.Version)}}
	for _, problem := range status.Problems {
		results = append(results, checked{Check: "hub says", Problem: &problem})
	}
	return results
}

// examineKeychain says where secrets are kept, and why. Sallyport works without a keychain, so a missing or locked one is no problem of the
// installation.
func examineKeychain(ctx context.Context, home control.Home) checked {
	const check = "keychain"
	target, err := keychain.Secrets(home.Dir).Target(ctx)
	switch {
	case err != nil:
		return wrong(check, "SP-151", err.Error(), "Until then, keychain:NAME doesn't work, and no secret can be stored.")
	case target.Why == nil:
		return checked{Check: check, Found: "ready; secrets are kept in it"}
	}
	kept := "new secrets are kept in " + target.File
	if errors.Is(target.Why, keychain.ErrAbsent) || errors.Is(target.Why, keychain.ErrLocked) || errors.Is(target.Why, keychain.ErrOff) {
		return checked{Check: check, Found: target.Why.Error() + ". Until then, " + kept + ", and the activity log has no second copy of its head"}
	}
	return wrong(check, "SP-150", target.Why.Error(), "Open the keychain's own program and see what it says. Until then, "+kept+", and those in the keychain can't be used.")
}

// examineClients checks the files of installed clients: whether each can be read, and whether entries that look like our wrapper really
// are. Unguarded entries are no fault of the installation; `status` counts those.
func examineClients(system clientconfig.System) []checked {
	const check = "client"
	program, err := os.Executable()
	if err != nil {
		return nil // already reported for the program
	}
	var results []checked
	for _, place := range clientconfig.Locate(system) {
		switch place.State {
		case clientconfig.Found:
			results = append(results, examineClient(place, program)...)
		case clientconfig.Denied:
			results = append(results, wrong(check, "SP-202", fmt.Sprintf("%s: %v", place.Name, place.Err), "Allow Sallyport to read the file, then try again. Until then it can't tell what is guarded."))
		case clientconfig.Unreadable:
			results = append(results, wrong(check, "SP-203", fmt.Sprintf("%s: %v", place.Name, place.Err), "Check what is at this path. Sallyport won't change it."))
		case clientconfig.Absent, clientconfig.Unseen: // nothing to look at
		}
	}
	if len(results) == 0 {
		results = append(results, checked{Check: check, Found: "no client's settings file found"})
	}
	return results
}

func examineClient(place clientconfig.Location, program string) []checked {
	const check = "client"
	raw, err := clientconfig.Read(place.Path)
	var file *clientconfig.File
	if err == nil {
		file, err = clientconfig.Parse(raw, place.Format)
	}
	if err != nil {
		return []checked{wrong(check, "SP-203", fmt.Sprintf("%s: %s: %v", place.Name, place.Path, err), "Fix the file, then try again. Sallyport won't change it, and the client may not read it either.")}
	}
	var results []checked
	guarded := 0
	by := clientconfig.Installation{Path: program, Client: place.Client}
	for _, entry := range file.Entries {
		class := clientconfig.Classify(entry, by, nil)
		if class.Kind == clientconfig.Wrapped {
			guarded++
		}
		if class.Kind != clientconfig.LooksWrapped {
			continue
		}
		code, next := "SP-216", "Check the entry in an editor, or put the guard back: sallyport protect"
		switch class.Reason {
		case clientconfig.MissingFile:
			code, next = "SP-218", "Run protect from where Sallyport is installed now, or run unprotect. Until then the client can't start this server."
		case clientconfig.MovedHome:
			code, next = "SP-217", "Remove that variable from the entry's env: it would send the server to another hub or another screen."
		case clientconfig.OtherCommand, clientconfig.OtherArgs: // as above
		}
		results = append(results, wrong(check, code, fmt.Sprintf("%s: entry %q: %s", place.Name, entry.Name, class.Why), next))
	}
	return append(results, checked{Check: check, Found: fmt.Sprintf("%s, %s, %d of %d guarded", place.Name, place.Path, guarded, len(file.Entries))})
}
