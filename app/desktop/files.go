package desktop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
)

// Coverage says what is guarded.
type Coverage struct {
	Guarded   int          `json:"guarded"`
	Total     int          `json:"total"`
	Clients   []ClientFile `json:"clients"`
	Unguarded []Unguarded  `json:"unguarded"`
	Unseen    []string     `json:"unseen"`
}

// ClientFile is one client's configuration, and what the page offers if it is missing or broken.
type ClientFile struct {
	control.ClientFile
	Help FileHelp `json:"help"`
}

// Preview is a change to a client's file: what would be written, or what was.
type Preview struct {
	control.Protected
	Nonce      string `json:"nonce"` // of this preview; "" after writing
	ArmAfterMs int    `json:"armAfterMs"`
}

// Looked is the result of a first look at one entry of a client's file.
type Looked struct {
	Server string `json:"server"` // server text
	State  string `json:"state"`  // "nothing to decide", "waits", "not looked at"
	Code   string `json:"code"`
	Kind   string `json:"kind"`
	Items  int    `json:"items"`
	Error  string `json:"error"`
}

// clientFiles is what the page may do with clients' files.
type clientFiles struct {
	*hubLink
	stays   func() error // why no client's file should name this installation, if there is a reason
	probe   []string     // sallyport and its first arguments; the file and its entries follow
	looking sync.Mutex   // one look at a time: each starts servers
	chosen  chosenFile
	reveal  func(path string) error // shows a file in the file manager
}

// Clients lists the clients, and what is guarded in their files.
func (cf *clientFiles) Clients() (Coverage, error) {
	h, err := cf.engine()
	if err != nil {
		return Coverage{}, err
	}
	c, err := h.Coverage(cf.chosen.query())
	out := Coverage{Guarded: c.Guarded, Total: c.Total, Clients: []ClientFile{}, Unguarded: each(c.Unguarded, unguarded), Unseen: some(c.Unseen)}
	for _, f := range c.Clients {
		f.Entries = some(f.Entries)
		out.Clients = append(out.Clients, ClientFile{ClientFile: f, Help: cf.chosen.help(f)})
	}
	return out, err
}

// The changes to a client's file that the page can ask for, as a nonce's subject names them.
const (
	doProtect   = "protect"
	doUnprotect = "unprotect"
	doRestore   = "restore"
)

// change asks the hub to change a client's file, or for a dry run. To restore, client is the id of the backup.
func (cf *clientFiles) change(what string, q control.Protect) (control.Protected, error) {
	h, err := cf.engine()
	if err != nil {
		return control.Protected{}, err
	}
	if what == doProtect && cf.stays != nil {
		if err := cf.stays(); err != nil { // in the words of `sallyport protect`
			return control.Protected{}, &control.Error{Code: control.CodeUnavailable, Message: err.Error()}
		}
	}
	q.All = len(q.Names) == 0
	switch what {
	case doUnprotect:
		return h.Unprotect(here, q)
	case doRestore:
		return h.RestoreBackup(here, control.RestoreBackup{ID: q.Client, DryRun: q.DryRun, Digest: q.Digest, Decided: q.Decided})
	}
	return h.Protect(control.Peer{Role: control.RoleCLI}, q)
}

func preview(d control.Protected) Preview {
	d.Entries = some(d.Entries)
	return Preview{Protected: d}
}

func (cf *clientFiles) previewed(what, client, path string, names []string) (Preview, error) {
	done, err := cf.change(what, control.Protect{Client: client, Config: path, Names: names, DryRun: true})
	if err != nil {
		return Preview{}, err
	}
	out := preview(done)
	out.Nonce, out.ArmAfterMs = cf.nonces.mint(fileSubject(what, client, path, names), out.Digest, ""), armAfterMs
	return out, nil
}

func (cf *clientFiles) write(what, client, path string, names []string, digest, nonce string) (Preview, error) {
	if err := cf.nonces.spend(nonce, fileSubject(what, client, path, names), digest, "", false); err != nil {
		return Preview{}, err
	}
	done, err := cf.change(what, control.Protect{Client: client, Config: path, Names: names, Digest: digest, Decided: true})
	return preview(done), err
}

// PreviewProtect returns what Protect would write. No names means every entry.
func (cf *clientFiles) PreviewProtect(client, path string, names []string) (Preview, error) {
	return cf.previewed(doProtect, client, path, names)
}

// Protect guards entries of a client's file, exactly as previewed.
func (cf *clientFiles) Protect(client, path string, names []string, digest, nonce string) (Preview, error) {
	done, err := cf.write(doProtect, client, path, names, digest, nonce)
	if err == nil && cf.say != nil {
		cf.say.onScreen.wrote()
	}
	return done, err
}

// PreviewUnprotect returns what Unprotect would write.
func (cf *clientFiles) PreviewUnprotect(client, path string, names []string) (Preview, error) {
	return cf.previewed(doUnprotect, client, path, names)
}

// Unprotect removes the guard from entries, exactly as previewed.
func (cf *clientFiles) Unprotect(client, path string, names []string, digest, nonce string) (Preview, error) {
	return cf.write(doUnprotect, client, path, names, digest, nonce)
}

// Backups are the copies made before each change, newest first.
func (cf *clientFiles) Backups() ([]control.Backup, error) {
	return told(cf.hubLink, (*app.Hub).Backups, some)
}

// PreviewRestore returns what Restore would write.
func (cf *clientFiles) PreviewRestore(id string) (Preview, error) {
	return cf.previewed(doRestore, id, "", nil)
}

// Restore replaces a file with its backup, exactly as previewed.
func (cf *clientFiles) Restore(id, digest, nonce string) (Preview, error) {
	return cf.write(doRestore, id, "", nil, digest, nonce)
}

// lookLimit bounds a look at a whole file: at most 30 s a server, and nobody has more than a few.
const lookLimit = 10 * time.Minute

// Look starts entries of a client's file once, now, and reports what was found. It runs `sallyport probe`: the look a wrapper takes, in a
// process from which a server can't reach the window.
func (cf *clientFiles) Look(client, path string, names []string) ([]Looked, error) {
	if len(cf.probe) == 0 {
		return nil, errNoHub
	}
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			return nil, &control.Error{Code: control.CodeBadRequest, Message: "can't check this entry on its own: its name begins with -"}
		}
	}
	path, err := cf.pathOf(client, path)
	if err != nil {
		return nil, err
	}
	cf.looking.Lock()
	defer cf.looking.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	args := append(cf.probe[1:len(cf.probe):len(cf.probe)], "--config", path)
	if client != "" {
		args = append(args, "--client", client)
	}
	args = append(args, names...)
	command := exec.CommandContext(ctx, cf.probe[0], args...)
	command.Dir = filepath.VolumeName(path) + string(filepath.Separator)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err = command.Run()
	var reports struct {
		Items []Looked `json:"items"`
	}
	if json.Unmarshal(out.Bytes(), &reports) != nil {
		why := strings.TrimSpace(strings.TrimPrefix(said.String(), "sallyport: "))
		if why == "" && err != nil {
			why = err.Error()
		}
		return nil, &control.Error{Code: control.CodeUnavailable, Message: "couldn't check the servers: " + why}
	}
	return some(reports.Items), nil
}

// pathOf is the path given, or that of the client's own file.
func (cf *clientFiles) pathOf(client, path string) (string, error) {
	if path != "" {
		if !filepath.IsAbs(path) {
			return "", &control.Error{Code: control.CodeBadRequest, Message: "the path of a client's file must be absolute"}
		}
		return filepath.Clean(path), nil
	}
	h, err := cf.engine()
	if err != nil {
		return "", err
	}
	c, err := h.Coverage(control.CoverageQuery{})
	for _, f := range c.Clients {
		if f.Path != "" && f.State == control.FileFound && (f.Client == client || client == "" && f.Client == "claude-desktop") {
			return f.Path, nil
		}
	}
	return "", errors.Join(err, &control.Error{Code: control.CodeNotFound, Message: "no settings file found for that client"})
}
