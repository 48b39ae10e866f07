// Package clientedit says what guarding or unguarding the entries of a client's file does to each of them, or why it can't be done. The hub
// uses it, and so does the command line without a hub, so that a person reads the same either way. It writes no file.
package clientedit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// View is a client's file as it was read.
type View struct {
	Path   string
	Raw    []byte
	Digest string // of Raw
	File   *clientconfig.File
}

// Edit is a client's file that is to be changed.
type Edit struct {
	View
	By      clientconfig.Installation
	Records []clientconfig.Record // how its entries were spelled before they were guarded
}

func refused(code int, format string, args ...any) error {
	return &control.Error{Code: code, Message: strings.Join(strings.Fields(fmt.Errorf(format, args...).Error()), " ")}
}

// Path is the file of a client, or the one that a person named.
func Path(s clientconfig.System, client, config string) (path, name string, err error) {
	if client == "" {
		client = clientconfig.ClaudeDesktop
	}
	if config != "" {
		if !filepath.IsAbs(config) {
			return "", "", refused(control.CodeBadRequest, "the path of a client's file must be absolute")
		}
		return filepath.Clean(config), client, nil
	}
	for _, l := range clientconfig.Locate(s) {
		if l.Client == client && l.Preferred {
			return l.Path, client, nil
		}
	}
	return "", "", refused(control.CodeNotFound, "unknown client %s; name its file with --config", legible.Name(client, "of that name"))
}

// Unread says, for a person, why a client's file can't be read. named: they chose the file themselves.
func Unread(client, path string, named bool, err error) error {
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return refused(control.CodeUnavailable, "%w", err)
	case named:
		return refused(control.CodeNotFound, "%s doesn't exist", path)
	}
	return refused(control.CodeNotFound, "%s doesn't exist: start %s once, or name the file with --config", path, identity.ClientTitle(client))
}

// DigestOf is the SHA-256 of a file's text, in hex.
func DigestOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Look reads the file at a path.
func Look(path string, format clientconfig.Format) (View, error) {
	raw, err := clientconfig.Read(path)
	if err != nil {
		return View{}, err
	}
	return Parse(path, raw, format)
}

// Parse is the view of a text that the file at a path has, or had. It reads what the folders in the text share.
func Parse(path string, raw []byte, format clientconfig.Format) (View, error) {
	file, err := clientconfig.Parse(raw, format)
	if err == nil {
		file.Share(clientconfig.Read)
	}
	return viewOf(path, file, err)
}

// Rewritten is the view of a text that the file would have. What its folders share is not read again: an edit is about what was read before
// it, and a change since then must still be seen as one.
func (v View) Rewritten(raw []byte) (View, error) {
	file, err := v.File.Rewritten(raw)
	return viewOf(v.Path, file, err)
}

func viewOf(path string, file *clientconfig.File, err error) (View, error) {
	if err != nil {
		return View{}, fmt.Errorf("%s: %w", path, err)
	}
	return View{Path: path, Raw: file.Raw(), Digest: DigestOf(file.Raw()), File: file}, nil
}

// Read is the file at a path, to be changed by an installation.
func Read(path string, format clientconfig.Format, by clientconfig.Installation) (Edit, error) {
	view, err := Look(path, format)
	return Edit{View: view, By: by}, err
}

// Guard is the effect of guarding the named entries, nil for all.
func (e Edit) Guard(names []string) (control.Protected, clientconfig.Result, error) {
	result, err := clientconfig.WrapShared(e.File, names, e.By, e.Records)
	out, err := e.protected(result, err)
	if len(e.File.Entries) == 0 {
		out.Note = "nothing to protect: the file names no servers"
	}
	return out, result, err
}

// Add is the effect of adding a new entry, wrapped.
func (e Edit) Add(names []string, n control.NewEntry) (control.Protected, clientconfig.Result, error) {
	var none control.Protected
	if len(names) != 1 || (len(n.Argv) > 0) == (n.URL != "") {
		return none, clientconfig.Result{}, refused(control.CodeBadRequest, "a new entry has one name, and a command or an address")
	}
	fresh := clientconfig.Fresh{Argv: n.Argv}
	if n.URL != "" {
		address, err := clientconfig.AddressOf(n.URL, cmp.Or(n.Transport, "auto"), n.Headers, n.Account)
		if err != nil {
			return none, clientconfig.Result{}, refused(control.CodeBadRequest, "%w", err)
		}
		fresh.Address = &address
	}
	return e.add(names[0], fresh)
}

func (e Edit) add(name string, fresh clientconfig.Fresh) (control.Protected, clientconfig.Result, error) {
	result, err := clientconfig.Add(e.File, name, fresh, e.By, e.Records)
	if err != nil {
		return control.Protected{}, result, refused(control.CodeBadRequest, "%s: %w", e.Path, err)
	}
	out, err := e.protected(result, nil)
	for i := range out.Entries {
		out.Entries[i].Runs, _ = mask.Argv(fresh.Argv)
		if fresh.Address != nil {
			shown, _ := mask.URL(fresh.Address.URL)
			out.Entries[i].Runs = []string{shown}
		}
	}
	return out, result, err
}

// switchOff is what is left to do once an extension is an entry too.
const switchOff = "now switch the extension off in the client's settings, under Extensions: until then the client starts both, and one of them unguarded"

// Convert is the effect of adding a desktop extension as a guarded entry.
func (e Edit) Convert(s clientconfig.System, id string, set []string) (none control.Protected, _ clientconfig.Result, _ error) {
	given := map[string]string{}
	for _, one := range set {
		key, value, ok := strings.Cut(one, "=")
		if !ok || key == "" {
			return none, clientconfig.Result{}, refused(control.CodeBadRequest, "--set takes KEY=VALUE")
		}
		given[key] = value
	}
	if e.By.Client != clientconfig.ClaudeDesktop {
		return none, clientconfig.Result{}, refused(control.CodeBadRequest, "only extensions of Claude Desktop can be converted")
	}
	name, fresh, err := clientconfig.Convert(s, id, given)
	if err != nil {
		return none, clientconfig.Result{}, refused(control.CodeBadRequest, "%w", err)
	}
	if _, there := e.File.Entry(name); there {
		return none, clientconfig.Result{}, refused(control.CodeBadRequest, "the file has an entry of this name already; rename that one, then try again")
	}
	out, result, err := e.add(name, fresh)
	out.Note = switchOff
	return out, result, err
}

// Unguard is the effect of removing the guard from the named entries, nil for all.
func (e Edit) Unguard(names []string) (control.Protected, clientconfig.Result, error) {
	result, err := clientconfig.Unwrap(e.Raw, e.File.Format, names, e.By, e.Records)
	out, err := e.protected(result, err)
	return out, result, err
}

func (e Edit) protected(result clientconfig.Result, err error) (control.Protected, error) {
	out := control.Protected{Client: e.By.Client, Path: e.Path, Digest: e.Digest, Entries: []control.ClientEntry{}}
	if err == nil {
		out.Diff, err = clientconfig.Diff(e.Path, e.Raw, result.Raw, e.File.Format)
	}
	if err != nil {
		return control.Protected{}, refused(control.CodeUnavailable, "%w", err)
	}
	if target, err := filepath.EvalSymlinks(e.Path); err == nil {
		out.Path = target
	}
	for _, o := range result.Outcomes {
		entry := control.ClientEntry{Name: o.Name, Why: o.Why}
		now, there := e.File.Entry(o.Name)
		if !there {
			now, there = e.File.SharedEntry(o.Name)
		}
		if there && now.Command != "" {
			entry.Runs, _ = mask.Argv(append([]string{now.Command}, now.Args...))
		}
		switch o.Did {
		case clientconfig.DidWrap, clientconfig.DidRewrap:
			entry.State = control.EntryWrapped
			if now.URL != "" {
				shown, _ := mask.URL(now.URL)
				entry.Runs = []string{shown}
			}
		case clientconfig.DidUnwrap:
			entry.State = control.EntryUnwrapped
		case clientconfig.DidMiss:
			entry.State = control.EntryMissing
		case clientconfig.DidNone:
			entry.State = control.EntryOpen
			if there && clientconfig.Classify(now, e.By, nil).Kind == clientconfig.Wrapped {
				entry.State = control.EntryGuarded
			}
		default:
			entry.State = control.EntryLeft
		}
		out.Entries = append(out.Entries, entry)
	}
	return out, nil
}

// Missing refuses an edit that names a missing entry, because half a job would look like a whole one.
func (e Edit) Missing(result clientconfig.Result) error {
	at := slices.IndexFunc(result.Outcomes, func(o clientconfig.Outcome) bool { return o.Did == clientconfig.DidMiss })
	if at < 0 {
		return nil
	}
	name := result.Outcomes[at].Name
	return refused(control.CodeNotFound, "%s has no entry %s; nothing was changed", e.Path, legible.Escape(name[:min(len(name), 128)]))
}
