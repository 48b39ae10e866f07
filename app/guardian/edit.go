package guardian

import (
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// edit is a client's file about to be changed, with its wanted state.
type edit struct {
	clientedit.Edit
	wanted *wantedFile // nil: not protected
}

// editing finds and reads the file of a call. The caller holds the lock.
func (g *Guardian) editing(p control.Protect) (*edit, error) {
	if _, err := g.office.Reading(); err != nil {
		return nil, err
	}
	path, client, err := clientedit.Path(g.opts.System, p.Client, p.Config)
	if err != nil {
		return nil, err
	}
	path = g.sameProtected(path)
	w, err := g.recoverWrite(path)
	if err != nil {
		return nil, unavailable(err)
	}
	by := g.installation(g.opts.Program, client)
	if w != nil {
		by = w.by
	}
	view, err := clientedit.Look(path, clientconfig.FormatOf(by.Client))
	switch {
	case err != nil:
		return nil, clientedit.Unread(client, path, p.Config != "", err)
	case p.Digest != "" && p.Digest != view.Digest:
		return nil, changedSince(path)
	}
	e := &edit{Edit: clientedit.Edit{View: view, By: by}, wanted: w}
	if w != nil {
		e.Records = w.records
	}
	if p.Program != "" {
		if e.By.Path, err = g.ourProgram(p.Program); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// sameProtected is the path under which a file is already protected: a link and its target are one file.
func (g *Guardian) sameProtected(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	for _, f := range g.ProtectedFiles() {
		if other, err := os.Stat(f.Path); err == nil && os.SameFile(info, other) {
			return f.Path
		}
	}
	return path
}

// ourProgram accepts a path for Sallyport only if it leads to the file that this hub knows.
func (g *Guardian) ourProgram(path string) (string, error) {
	a, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(path) {
		return "", office.Answer(control.CodeBadRequest, "%s is not a Sallyport program", legible.Escape(cut.Bytes(path, 256)))
	}
	b, err := os.Stat(g.opts.Program)
	if err != nil || !os.SameFile(a, b) {
		return "", office.Answer(control.CodeBadRequest, "%s is not the program the hub runs; after an update, restart the hub", legible.Escape(cut.Bytes(path, 256)))
	}
	return path, nil
}

// meant are the entries that a call to protect covers, nil for all. left are those it leaves out although it named none: entries a person
// left out or unguarded, and for a program inside a server those with a pending item.
func (e *edit) meant(p control.Protect, descends bool) (names, left []string) {
	keep := func(name string) bool { return true }
	if e.wanted != nil {
		disputed := map[string]bool{}
		for _, c := range clientconfig.Compare(e.wanted.snapshot, e.File, e.By, e.Records) {
			disputed[c.Name] = c.Event != clientconfig.NewEntry
		}
		keep = func(name string) bool {
			kept, known := e.wanted.snapshot.Entry(name)
			if descends && disputed[name] {
				return false
			}
			return !known || kept.Guarded || len(p.Names) > 0 || p.All
		}
	}
	if len(p.Names) == 0 && (e.wanted == nil || p.All && !descends) {
		return nil, nil
	}
	meant := p.Names
	if len(meant) == 0 {
		for _, entry := range e.File.Entries {
			meant = append(meant, entry.Name)
		}
		meant = append(meant, e.File.Offered()...)
	}
	names = []string{}
	for _, name := range meant {
		if keep(name) {
			names = append(names, name)
		} else {
			left = append(left, name)
		}
	}
	return names, left
}

// sayLeft names the entries that a call without names leaves as they are. One that can't be guarded anyway says that instead.
func (e *edit) sayLeft(out *control.Protected, left []string, descends bool) error {
	if len(left) == 0 {
		return nil
	}
	asked, _, err := e.Guard(left)
	if err != nil {
		return err
	}
	for _, entry := range asked.Entries {
		switch {
		case entry.State == control.EntryLeft: // it says why itself
		case descends:
			entry.Why = "it needs your review in the inbox"
		default:
			entry.Why = "you left it out before; name it to protect it"
		}
		entry.State = control.EntryLeft
		out.Entries = append(out.Entries, entry)
	}
	return nil
}
