package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/store"
)

// Protect puts wrappers into a client's file. It only tightens, so any hub does it, whoever asks. A program inside a wrapped
// server does not choose what stands for Sallyport in the file, nor settles with it what waits for a person.
func (h *Hub) Protect(peer control.Peer, p control.Protect) (control.Protected, error) {
	h.guard.mu.Lock()
	defer h.guard.mu.Unlock()
	if err := h.ready(); err != nil {
		return control.Protected{}, err
	}
	if peer.Descends {
		p.Program = ""
	}
	e, err := h.editing(p)
	if err != nil {
		return control.Protected{}, err
	}
	names, left := e.meant(p, peer.Descends)
	result, err := clientconfig.Wrap(e.view.raw, e.view.file.Format, names, e.by, e.records())
	if err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	}
	out := e.answer(p, result)
	for _, name := range left {
		why := "you left it out before: name it to protect it"
		if peer.Descends {
			why = "it waits for a decision in the inbox"
		}
		out.Entries = append(out.Entries, control.ClientEntry{Name: name, State: control.EntryLeft, Why: why})
	}
	if len(e.view.file.Entries) == 0 {
		out.Note = "nothing to protect: the file names no servers"
	}
	if out.Diff, err = clientconfig.Diff(e.view.path, e.view.raw, result.Raw, e.view.file.Format); err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	}
	if p.DryRun {
		return out, nil
	}
	if err := e.missing(result); err != nil {
		return out, err
	}
	after, err := viewOf(e.view.path, result.Raw)
	if err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "the edit would not read back, so nothing was changed: %s", oneLine(err.Error()))
	}
	var done, guarded []string
	for _, o := range result.Outcomes {
		switch o.Did {
		case clientconfig.DidWrap, clientconfig.DidRewrap:
			done = append(done, o.Name)
		case clientconfig.DidNone:
			guarded = append(guarded, o.Name)
		}
	}
	records := withNewer(e.records(), result.Records)
	w := e.wanted
	if w == nil {
		w = &wantedFile{ClientFile: store.ClientFile{Path: e.view.path, Client: e.by.Client, Since: h.opts.Now()}}
		records = withNewer(h.adopted(&wantedFile{by: e.by}, after, guarded), result.Records)
	}
	w.by = e.by
	next := w.snapshot.With(after.file, e.by, records, append(done, guarded...)...)
	if e.wanted == nil {
		next = after.file.Snapshot(e.by, records) // what is not wrapped now is left out
	}
	switch {
	case !guards(next), len(done)+len(guarded) == 0:
		return out, nil
	case result.Changed:
		backup, err := h.carryOut(clientChange{
			why: whyProtect, from: e.view, to: result.Raw, client: e.by.Client, program: e.by.Path, names: done, wanted: next, records: records,
		})
		if err != nil {
			return control.Protected{}, err
		}
		out.Backup, out.Written = backup.ID, true
	case plainJSON(next) != plainJSON(w.snapshot):
		if err := h.rewant(w, next, records, nil, nil); err != nil {
			return control.Protected{}, err
		}
		h.rewatch()
	}
	h.guard.looked[e.view.path] = true
	return out, h.lookAt(e.view.path)
}

// Unprotect takes wrappers out again. It loosens, so it is a decision.
func (h *Hub) Unprotect(peer control.Peer, p control.Protect) (control.Protected, error) {
	return h.unprotect(p, func() error { return h.mayDecide(peer) })
}

// UnprotectHere is Unprotect of the window, in this process.
func (h *Hub) UnprotectHere(p control.Protect) (control.Protected, error) {
	return h.unprotect(p, func() error { return nil })
}

func (h *Hub) unprotect(p control.Protect, allowed func() error) (control.Protected, error) {
	h.guard.mu.Lock()
	defer h.guard.mu.Unlock()
	if err := h.ready(); err != nil {
		return control.Protected{}, err
	}
	e, err := h.editing(p)
	if err != nil {
		return control.Protected{}, err
	}
	var names []string
	if len(p.Names) > 0 {
		names = p.Names
	}
	result, err := clientconfig.Unwrap(e.view.raw, e.view.file.Format, names, e.by, e.records())
	if err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	}
	out := e.answer(p, result)
	if out.Diff, err = clientconfig.Diff(e.view.path, e.view.raw, result.Raw, e.view.file.Format); err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	}
	if p.DryRun {
		return out, nil
	}
	if err := e.missing(result); err != nil {
		return out, err
	}
	if err := h.mayLoosen(allowed, p.Decided || !result.Changed && e.wanted == nil, "without its wrapper a server runs unguarded"); err != nil {
		return control.Protected{}, err
	}
	after, err := viewOf(e.view.path, result.Raw)
	if err != nil {
		return control.Protected{}, answer(control.CodeUnavailable, "the edit would not read back, so nothing was changed: %s", oneLine(err.Error()))
	}
	w := e.wanted
	if w == nil {
		w = &wantedFile{ClientFile: store.ClientFile{Path: e.view.path, Client: e.by.Client, Since: h.opts.Now()}, by: e.by}
	}
	var done, gone []string
	for _, o := range result.Outcomes {
		if o.Did == clientconfig.DidUnwrap || o.Did == clientconfig.DidNone {
			done = append(done, o.Name)
		}
	}
	if names == nil {
		for _, k := range w.snapshot.Entries {
			if _, there := after.file.Entry(k.Name); !there {
				gone = append(gone, k.Name)
			}
		}
	}
	next := w.snapshot.Without(gone...).With(after.file, e.by, nil, done...)
	switch {
	case result.Changed:
		backup, err := h.carryOut(clientChange{
			why: whyUnprotect, from: e.view, to: result.Raw, client: e.by.Client, program: e.by.Path, names: done, wanted: next, records: e.records(),
		})
		if err != nil {
			return control.Protected{}, err
		}
		out.Backup, out.Written = backup.ID, true
	case e.wanted != nil && plainJSON(next) != plainJSON(w.snapshot):
		if err := h.rewant(w, next, e.records(), done, nil); err != nil {
			return control.Protected{}, err
		}
	}
	return out, errors.Join(h.forgetItems(e.view.path), h.lookAt(e.view.path))
}

// ready says whether clients' files can be worked with at all.
func (h *Hub) ready() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.usable()
}

// mayLoosen says whether what loosens may be done: by whom, and whether a person said so.
func (h *Hub) mayLoosen(allowed func() error, decided bool, why string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := allowed(); err != nil {
		return err
	}
	if !decided {
		return answer(control.CodeLoosens, "%s", why)
	}
	return nil
}

// forgetItems withdraws what waits over a file that nobody watches any more.
func (h *Hub) forgetItems(path string) error {
	if w, err := h.loadWanted(path); err != nil || w != nil {
		return err
	}
	err := h.updating(func(tx *store.Tx) error {
		for _, kind := range []string{kindConfig, kindUnguarded} {
			if _, _, err := h.settle(tx, nil, kind, store.ClientFileID(path), h.opts.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pushAll()
	return err
}

// edit is a client's file that is to be changed, with what is wanted of it so far.
type edit struct {
	view   clientView
	wanted *wantedFile // nil: nobody protected it
	by     clientconfig.Installation
}

func (e *edit) records() []clientconfig.Record {
	if e.wanted == nil {
		return nil
	}
	return e.wanted.records
}

// editing finds and reads the file that a call is about. The caller holds h.guard.mu.
func (h *Hub) editing(p control.Protect) (*edit, error) {
	path, client, err := h.clientPath(p.Client, p.Config)
	if err != nil {
		return nil, err
	}
	path = h.sameProtected(path)
	w, err := h.recoverWrite(path)
	if err != nil {
		return nil, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	}
	view, err := viewClient(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, answer(control.CodeNotFound, "%s has no configuration file at %s; start the client once, or name the file with --config", clientTitle(client), path)
	case err != nil:
		return nil, answer(control.CodeUnavailable, "%s", oneLine(err.Error()))
	case p.Digest != "" && p.Digest != view.digest:
		return nil, answer(control.CodeStale, "%s changed since it was shown: look again", path)
	}
	e := &edit{view: view, wanted: w, by: clientconfig.Installation{Path: h.opts.Program, Client: client}}
	if w != nil {
		e.by = clientconfig.Installation{Path: w.by.Path, Client: w.Client}
	}
	if p.Program != "" {
		if e.by.Path, err = h.ourProgram(p.Program); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// sameProtected is the name under which a file is protected already: a link and its target are one file.
func (h *Hub) sameProtected(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	for _, f := range h.protectedFiles() {
		if other, err := os.Stat(f.Path); err == nil && os.SameFile(info, other) {
			return f.Path
		}
	}
	return path
}

// ourProgram takes a path for Sallyport only where it leads to the file that this hub knows as such.
func (h *Hub) ourProgram(path string) (string, error) {
	a, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(path) {
		return "", answer(control.CodeBadRequest, "%s is no path of a Sallyport", inspect.Escape(clip(path, 256)))
	}
	b, err := os.Stat(h.opts.Program)
	if err != nil || !os.SameFile(a, b) {
		return "", answer(control.CodeBadRequest, "%s is another program than the hub's own; restart the hub after an update", inspect.Escape(clip(path, 256)))
	}
	return path, nil
}

// clientPath is the file of a client, or the one that a person named.
func (h *Hub) clientPath(client, config string) (path, name string, err error) {
	if client == "" {
		client = clientconfig.ClaudeDesktop
	}
	if config != "" {
		if !filepath.IsAbs(config) {
			return "", "", answer(control.CodeBadRequest, "the path of a client's file must be absolute")
		}
		return filepath.Clean(config), client, nil
	}
	for _, l := range clientconfig.Locate(h.opts.System) {
		if l.Client != client || !l.Preferred {
			continue
		}
		if !l.Editable {
			return "", "", answer(control.CodeBadRequest, "this version counts the servers of %s and does not edit its file", l.Name)
		}
		return l.Path, client, nil
	}
	return "", "", answer(control.CodeNotFound, "no client %s is known; name its file with --config", inspect.CleanName(client, "of that name"))
}

// meant are the entries that a call to protect is about, nil for all. left are those that it is not about although nobody
// named any: what a person left out or took out stays so, and for a program inside a server what waits for a person.
func (e *edit) meant(p control.Protect, descends bool) (names, left []string) {
	keep := func(name string) bool { return true }
	if e.wanted != nil {
		disputed := map[string]bool{}
		for _, c := range clientconfig.Compare(e.wanted.snapshot, e.wanted.snapshot, e.view.file, e.by, e.wanted.records) {
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
		for _, entry := range e.view.file.Entries {
			meant = append(meant, entry.Name)
		}
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

// answer says what an edit does, or did, to each entry.
func (e *edit) answer(p control.Protect, result clientconfig.Result) control.Protected {
	out := control.Protected{Client: e.by.Client, Path: e.view.path, Digest: e.view.digest, Entries: []control.ClientEntry{}}
	if target, err := filepath.EvalSymlinks(e.view.path); err == nil {
		out.Path = target
	}
	for _, o := range result.Outcomes {
		entry := control.ClientEntry{Name: o.Name, Why: o.Why}
		switch o.Did {
		case clientconfig.DidWrap, clientconfig.DidRewrap:
			entry.State = control.EntryWrapped
		case clientconfig.DidUnwrap:
			entry.State = control.EntryUnwrapped
		case clientconfig.DidMiss:
			entry.State = control.EntryMissing
		case clientconfig.DidNone:
			entry.State = control.EntryOpen
			if now, ok := e.view.file.Entry(o.Name); ok && clientconfig.Classify(now, e.by, nil).Kind == clientconfig.Wrapped {
				entry.State = control.EntryGuarded
			}
		default:
			entry.State = control.EntryLeft
		}
		out.Entries = append(out.Entries, entry)
	}
	return out
}

// missing refuses a call that names what is not there: half a job would look like a whole one.
func (e *edit) missing(result clientconfig.Result) error {
	at := slices.IndexFunc(result.Outcomes, func(o clientconfig.Outcome) bool { return o.Did == clientconfig.DidMiss })
	if at < 0 {
		return nil
	}
	return answer(control.CodeNotFound, "%s has no entry %s; nothing was changed", e.view.path, inspect.Escape(clip(result.Outcomes[at].Name, 128)))
}
