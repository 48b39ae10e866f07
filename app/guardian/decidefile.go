package guardian

import (
	"errors"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// FileOf is the client's file that an item is about, "" for other items.
func (g *Guardian) FileOf(code string) (path string) {
	_ = g.office.Viewing(func(tx *store.Tx) error {
		it, err := tx.Item(code)
		if err == nil && review.FileItem(it.Kind) {
			path = review.ReadFileDetail(it).Path
		}
		return err
	})
	return path
}

// DecideFile decides on an item about a client's file: approve restores the wanted state, reject accepts the current one. The file is read
// first, so that the decision is about its current content; a later edit is never overwritten.
func (g *Guardian) DecideFile(peer control.Peer, path string, d control.Decide) (control.Decided, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := control.Decided{Approved: []string{}, Rejected: []string{}, Left: []string{}}
	if _, err := g.waits(peer, d); err != nil { // check the caller first: looking may write
		return out, err
	}
	if err := g.lookAt(path); err != nil {
		return out, err
	}
	it, err := g.waits(peer, d)
	if err != nil {
		return out, err
	}
	w, err := g.loadWanted(path)
	if err != nil {
		return out, err
	}
	if w == nil {
		return out, office.Answer(control.CodeStale, "Sallyport no longer watches %s", path)
	}
	view, err := clientedit.Look(path, clientconfig.FormatOf(w.by.Client))
	if err != nil {
		return out, unavailable(err)
	}
	found := slices.DeleteFunc(judgeFile(w.changes(view.File), w, view.File), func(f fileFinding) bool { return f.kind != it.Kind })
	if c := g.fileContent(w, view, found, it.Kind); c == nil || c.Digest() != it.Digest {
		return out, office.Answer(control.CodeStale, "%s changed since it was shown: review it again", path)
	}
	chosen, names, err := chosenEntries(it, d, &out)
	if err != nil {
		return out, err
	}
	out.Code, out.Server = it.Code, identity.ClientTitle(w.Client)
	if d.Reject {
		err = g.rejectFile(w, view, it, names, &out)
	} else {
		err = g.putBackFile(w, view, found, it, chosen, names, &out)
	}
	if err != nil {
		return control.Decided{}, err
	}
	if err := errors.Join(g.forgetItems(path), g.lookAt(path)); err != nil {
		return out, err
	}
	_ = g.office.Viewing(func(tx *store.Tx) error {
		rest, err := tx.WaitingFor(it.ServerID, it.Kind)
		if err == nil && rest.Code != it.Code {
			out.Next = rest.Code
		}
		return nil
	})
	g.office.Lock()
	g.hub.PushAll()
	g.office.Unlock()
	return out, nil
}

// waits returns the item of a decision, if the caller may decide and it is still pending.
func (g *Guardian) waits(peer control.Peer, d control.Decide) (it store.Item, err error) {
	g.office.Lock()
	defer g.office.Unlock()
	if err := g.office.Decides(peer, d.Code); err != nil {
		return it, err
	}
	err = g.office.Store.View(func(tx *store.Tx) (err error) {
		it, err = office.Undecided(tx, d)
		return err
	})
	return it, g.office.Failed(err)
}

// chosenEntries is the part of an item that a decision covers, with the names of the entries: all of it if nothing is named. Restoring
// tightens, so findings exclude no part.
func chosenEntries(it store.Item, d control.Decide, out *control.Decided) (chosen map[string]bool, names []string, err error) {
	chosen = map[string]bool{}
	for _, name := range d.Items {
		if !slices.ContainsFunc(it.Parts, func(p store.Part) bool { return p.Item == name }) {
			return nil, nil, office.Answer(control.CodeBadRequest, "%s has no item %s", it.Code, legible.Escape(cut.Bytes(name, 128)))
		}
		chosen[name] = true
	}
	for _, p := range it.Parts {
		if len(d.Items) == 0 {
			chosen[p.Item] = true
		}
		switch {
		case !chosen[p.Item]:
			out.Left = append(out.Left, p.Item)
			continue
		case d.Reject:
			out.Rejected = append(out.Rejected, p.Item)
		default:
			out.Approved = append(out.Approved, p.Item)
		}
		names = append(names, p.Item[len(review.EntryPrefix):])
	}
	return chosen, names, nil
}

// decidedFile closes an item in the transaction of its decision.
func (g *Guardian) decidedFile(tx *store.Tx, it store.Item, decided vocab.Decision, out *control.Decided) error {
	it.Decided, it.DecidedAt = decided, g.office.Now()
	if err := tx.PutItem(it); err != nil {
		return err
	}
	kind, keys, words := vocab.RecordApproval, out.Approved, "put back"
	if decided == vocab.DecidedRejected {
		kind, keys, words = vocab.RecordRejection, out.Rejected, "kept as in the file"
	}
	clean := make([]string, len(keys))
	for i, key := range keys {
		clean[i] = review.EntryPrefix + entryWord(key[len(review.EntryPrefix):])
	}
	return g.office.NoteDecision(tx, store.Server{}, kind, it.Code, clean, words, map[string]any{"check": "client_file", "path": review.ReadFileDetail(it).Path, "left": len(out.Left), "digest": it.Digest})
}

func (g *Guardian) rejectFile(w *wantedFile, view clientedit.View, it store.Item, names []string, out *control.Decided) error {
	var there, gone []string
	for _, name := range names {
		if _, ok := view.File.Entry(name); ok {
			there = append(there, name)
		} else {
			gone = append(gone, name)
		}
	}
	records := adopted(w.records, view, w.by, runGuarded(view, w.by, there))
	next := w.snapshot.Without(gone...).With(view.File, w.by, records, there...)
	return g.rewant(w, next, records, names, func(tx *store.Tx) error { return g.decidedFile(tx, it, vocab.DecidedRejected, out) })
}

// runGuarded are the named entries that are wrapped, whatever the wrapper runs.
func runGuarded(view clientedit.View, by clientconfig.Installation, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		e, ok := view.File.Entry(name)
		return !ok || clientconfig.Classify(e, by, nil).Kind != clientconfig.Wrapped
	})
}

func (g *Guardian) putBackFile(w *wantedFile, view clientedit.View, found []fileFinding, it store.Item, chosen map[string]bool, names []string, out *control.Decided) error {
	result, err := putBack(w, view, found, chosen)
	if err != nil {
		return unavailable(err)
	}
	if names, err = undone(result, names, out); err != nil {
		return err
	}
	after, err := view.Rewritten(result.Raw)
	if err != nil {
		return office.Answer(control.CodeUnavailable, "Sallyport can't read what it would put back, so nothing was changed: %s", office.OneLine(err.Error()))
	}
	records := clientconfig.Renew(w.records, result.Records)
	next := w.snapshot.With(after.File, w.by, records, names...)
	finish := func(tx *store.Tx) error { return g.decidedFile(tx, it, vocab.DecidedApproved, out) }
	if !result.Changed {
		return g.rewant(w, next, records, names, finish)
	}
	_, err = g.carryOut(clientChange{
		why: whyPutBack, code: it.Code, from: view, to: result.Raw, client: w.Client, program: w.by.Path, names: names,
		wanted: next, records: records, finish: finish,
	})
	return err
}

// undone leaves out what could not be restored: such an entry is not settled.
func undone(result clientconfig.Result, names []string, out *control.Decided) ([]string, error) {
	why := ""
	for _, o := range result.Outcomes {
		if o.Did != clientconfig.DidLeave && o.Did != clientconfig.DidMiss {
			continue
		}
		why = o.Why
		names = slices.DeleteFunc(names, func(n string) bool { return n == o.Name })
		out.Approved = slices.DeleteFunc(out.Approved, func(n string) bool { return n == review.EntryPrefix+o.Name })
		out.Left = append(out.Left, review.EntryPrefix+o.Name)
	}
	if len(names) == 0 {
		return nil, office.Answer(control.CodeBadRequest, "none of it can be put back: %s; fix the entry in the client's file, or reject the item to leave it as it is", why)
	}
	return names, nil
}
