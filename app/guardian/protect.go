package guardian

import (
	"errors"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Protect puts wrappers into a client's file. It only tightens, so every hub does it for every caller. A program inside a wrapped server
// can neither choose Sallyport's path in the file nor settle a pending item with it.
func (g *Guardian) Protect(peer control.Peer, p control.Protect) (control.Protected, error) {
	return g.untilItStays(p, clientconfig.Wrapped, func() (control.Protected, error) { return g.protect(peer, p) })
}

func (g *Guardian) protect(peer control.Peer, p control.Protect) (none control.Protected, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if peer.Descends {
		p.Program = ""
	}
	e, err := g.editing(p)
	if err != nil {
		return none, err
	}
	out, result, err := e.guarding(g.opts.System, peer, p)
	if err != nil {
		return none, err
	}
	if p.DryRun {
		return out, nil
	}
	after, err := e.after(result)
	if err != nil {
		return out, err
	}
	var done, guarded []string
	for _, o := range result.Outcomes {
		switch o.Did {
		case clientconfig.DidWrap, clientconfig.DidRewrap:
			done = append(done, o.Name)
		case clientconfig.DidNone:
			guarded = append(guarded, o.Name)
		case clientconfig.DidUnwrap, clientconfig.DidLeave, clientconfig.DidMiss: // not guarded
		}
	}
	w, records := g.wantedFor(e), clientconfig.Renew(e.Records, result.Records)
	if e.wanted == nil {
		records = clientconfig.Renew(adopted(nil, after, e.By, guarded), result.Records)
	}
	w.by = e.By
	next := w.snapshot.With(after.File, e.By, records, append(done, guarded...)...)
	if e.wanted == nil {
		next = after.File.Snapshot(e.By, records) // what is not wrapped now is left out
	}
	if !guards(next) || len(done)+len(guarded) == 0 {
		return out, nil
	}
	if err := g.apply(e, w, result, &out, clientChange{why: whyProtect, names: done, wanted: next, records: records}, nil); err != nil {
		return none, err
	}
	g.looked[e.Path] = true
	return out, g.lookAt(e.Path)
}

// guarding is the effect of a call to protect.
func (e *edit) guarding(s clientconfig.System, peer control.Peer, p control.Protect) (out control.Protected, result clientconfig.Result, err error) {
	if p.Convert != "" {
		if peer.Descends {
			return out, result, office.Answer(control.CodeDescends, "a guarded server can't add entries to a client's file")
		}
		return e.Convert(s, p.Convert, p.Set)
	}
	if p.Add != nil {
		if peer.Descends {
			return out, result, office.Answer(control.CodeDescends, "a program inside a server can't add servers to a client's file")
		}
		return e.Add(p.Names, *p.Add)
	}
	if peer.Descends { // a program could write a file that a project shares, and have the client start what is in it
		bare, file := *e, *e.File
		file.Shared, bare.File = nil, &file
		e = &bare
	}
	names, left := e.meant(p, peer.Descends)
	if out, result, err = e.Guard(names); err == nil {
		err = e.sayLeft(&out, left, peer.Descends)
	}
	return out, result, err
}

// Unprotect removes wrappers. It loosens, so it is a decision.
func (g *Guardian) Unprotect(peer control.Peer, p control.Protect) (control.Protected, error) {
	return g.untilItStays(p, "", func() (control.Protected, error) { return g.unprotect(peer, p) })
}

func (g *Guardian) unprotect(peer control.Peer, p control.Protect) (none control.Protected, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, err := g.editing(p)
	if err != nil {
		return none, err
	}
	var names []string // nil: all
	if len(p.Names) > 0 {
		names = p.Names
	}
	out, result, err := e.Unguard(names)
	if err != nil {
		return none, err
	}
	if p.DryRun {
		return out, nil
	}
	after, err := e.after(result)
	if err != nil {
		return out, err
	}
	if err := g.mayLoosen(peer, p.Decided || !result.Changed && e.wanted == nil, "without its guard, a server is not checked"); err != nil {
		return none, err
	}
	w := g.wantedFor(e)
	var taken, done, gone []string
	for _, o := range result.Outcomes {
		switch o.Did {
		case clientconfig.DidUnwrap:
			taken, done = append(taken, o.Name), append(done, o.Name)
		case clientconfig.DidNone:
			done = append(done, o.Name) // it already ran unguarded; that is wanted now
		case clientconfig.DidWrap, clientconfig.DidRewrap, clientconfig.DidLeave, clientconfig.DidMiss: // its entry is guarded as before, or was not there
		}
	}
	for _, k := range w.snapshot.Entries {
		if names == nil || slices.Contains(taken, k.Name) { // a copy goes with its wrapper
			if _, there := after.File.Entry(k.Name); !there {
				gone = append(gone, k.Name)
			}
		}
	}
	next := w.snapshot.Without(gone...).With(after.File, e.By, nil, done...)
	if result.Changed || e.wanted != nil {
		if err := g.apply(e, w, result, &out, clientChange{why: whyUnprotect, names: taken, wanted: next, records: e.Records}, done); err != nil {
			return none, err
		}
	}
	return out, errors.Join(g.forgetItems(e.Path), g.lookAt(e.Path))
}

// wantedFor is the wanted state of the file of an edit, empty if it is not protected yet.
func (g *Guardian) wantedFor(e *edit) *wantedFile {
	if e.wanted != nil {
		return e.wanted
	}
	return &wantedFile{ClientFile: store.ClientFile{Path: e.Path, Client: e.By.Client, Since: g.office.Now()}, by: e.By}
}

// after is the file as an edit leaves it, if every entry that the edit names is there.
func (e *edit) after(result clientconfig.Result) (after clientedit.View, err error) {
	if err := e.Missing(result); err != nil {
		return after, err
	}
	if after, err = e.Rewritten(result.Raw); err != nil {
		return after, office.Answer(control.CodeUnavailable, "the new file couldn't be read back, so nothing was changed: %s", office.OneLine(err.Error()))
	}
	return after, nil
}

// apply writes the file as an edit leaves it. If its text stays as it is, only the wanted state changes, and asIs are the entries that are
// kept as they are.
func (g *Guardian) apply(e *edit, w *wantedFile, result clientconfig.Result, out *control.Protected, c clientChange, asIs []string) (err error) {
	switch {
	case result.Changed:
		c.from, c.to, c.client, c.program, c.was = e.View, result.Raw, e.By.Client, e.By.Path, w.snapshot
		out.Backup, err = g.carryOut(c)
		out.Written = err == nil
	case mask.PlainJSON(c.wanted) != mask.PlainJSON(w.snapshot):
		err = g.rewant(w, c.wanted, c.records, asIs, nil)
	}
	return err
}

// mayLoosen reports whether loosening is permitted: for this caller, and confirmed by a person.
func (g *Guardian) mayLoosen(peer control.Peer, decided bool, why string) error {
	g.office.Lock()
	defer g.office.Unlock()
	if err := g.office.MayDecide(peer); err != nil {
		return err
	}
	if !decided {
		return office.Answer(control.CodeLoosens, "%s", why)
	}
	return nil
}

// forgetItems withdraws the pending items about a file that is no longer protected.
func (g *Guardian) forgetItems(path string) error {
	if w, err := g.loadWanted(path); err != nil || w != nil {
		return err
	}
	err := g.office.Updating(func(tx *store.Tx) error {
		for _, kind := range fileKinds {
			if _, _, err := g.office.Settle(tx, nil, kind, store.ClientFileID(path), g.office.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	g.office.Lock()
	defer g.office.Unlock()
	g.hub.PushAll()
	return err
}
