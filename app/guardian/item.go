package guardian

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// fileKinds are the kinds of items about a client's file.
var fileKinds = []vocab.ItemKind{vocab.ItemConfigChanged, vocab.ItemUnguarded}

// settleFile makes the pending items about a file match the findings: one item per kind, a new code for new content.
func (g *Guardian) settleFile(w *wantedFile, view clientedit.View, found []fileFinding) error {
	id := store.ClientFileID(w.Path)
	contents := map[vocab.ItemKind]*review.Content{}
	for _, kind := range fileKinds {
		contents[kind] = g.fileContent(w, view, found, kind)
	}
	g.office.Lock()
	defer g.office.Unlock()
	if err := g.office.Usable(); err != nil {
		return nil
	}
	var notices []review.Notice
	changed := false
	err := g.office.Update(func(tx *store.Tx) (bool, error) {
		notices, changed = nil, false
		for _, kind := range fileKinds {
			item, fresh, err := g.office.Settle(tx, contents[kind], kind, id, g.office.Now())
			if err != nil {
				return false, err
			}
			if !fresh {
				continue
			}
			changed = true
			if g.office.Flooded(id, g.office.Now()) {
				continue // someone who changes a file ten times a minute must not fill the timeline or a person's screen
			}
			r := store.Record{Summary: "a client's file is back to what you wanted", Detail: office.Detail(map[string]any{"check": "client_file", "path": w.Path, "client": w.Client, "kind": kind})}
			status := vocab.StatusOK
			if item != nil {
				status, r.Code, r.Summary = vocab.StatusWarned, item.Code, item.Title
				notices = append(notices, review.NoticeOf(*item, identity.ClientTitle(w.Client)))
			}
			if _, err := tx.Append(g.office.Record(vocab.RecordConfigChange, status, r)); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
	if err != nil {
		return g.office.Failed(err)
	}
	if changed {
		g.hub.PushAll()
	}
	for _, n := range notices {
		g.office.Tell(n)
	}
	return nil
}

// fileContent is the inbox item of one kind about a file, nil if there is none.
func (g *Guardian) fileContent(w *wantedFile, view clientedit.View, found []fileFinding, kind vocab.ItemKind) *review.Content {
	found = slices.DeleteFunc(slices.Clone(found), func(f fileFinding) bool { return f.kind != kind })
	if len(found) == 0 {
		return nil
	}
	c := &review.Content{Kind: kind, ServerID: store.ClientFileID(w.Path), Severity: vocab.SeverityReview, Clients: []string{w.Client}}
	d := review.FileDetail{Path: w.Path, Client: w.Client, Words: map[string]string{}}
	now := view.File.Snapshot(w.by, w.records)
	for _, f := range found {
		item := review.EntryPrefix + f.name
		c.Parts = append(c.Parts, store.Part{Item: item, State: f.state, Digest: g.office.Store.KeyedHash("client-entry",
			[]byte(f.name), []byte(f.state), []byte(entryText(now, f.name)), []byte(entryText(w.snapshot, f.name)))})
		d.Words[item] = f.words
		c.Severity = review.Graver(c.Severity, f.severity)
	}
	if result, err := putBack(w, view, found, nil); err == nil {
		if text, err := clientconfig.Diff(w.Path, view.Raw, result.Raw, view.File.Format); err == nil {
			d.Diff = text
		}
	}
	c.Title = g.fileTitle(w, found)
	c.Detail = office.Detail(d)
	return c
}

// putBack is a file with the wanted state restored for the chosen parts, all if nil.
func putBack(w *wantedFile, view clientedit.View, found []fileFinding, chosen map[string]bool) (clientconfig.Result, error) {
	var changes []clientconfig.Change
	wiped := false
	for _, f := range found {
		switch {
		case chosen != nil && !chosen[review.EntryPrefix+f.name]:
		case f.change.Event != clientconfig.WipedServers:
			changes = append(changes, f.change)
		case chosen == nil && !wiped:
			wiped = true
			changes = append(changes, f.change)
		case chosen != nil && len(chosen) >= len(f.change.Names) && !slices.ContainsFunc(f.change.Names, func(n string) bool { return !chosen[review.EntryPrefix+n] }):
			if !wiped {
				wiped = true
				changes = append(changes, f.change)
			}
		case chosen != nil:
			changes = append(changes, clientconfig.Change{Event: clientconfig.RemovedEntry, Name: f.name})
		}
	}
	return clientconfig.PutBack(view.File, w.snapshot, changes, w.by, w.records)
}

// fileTitle is ours: counts, and a name only if it is harmless.
func (g *Guardian) fileTitle(w *wantedFile, found []fileFinding) string {
	verbs := map[vocab.PartState][2]string{
		vocab.PartNew: {"is new and not guarded", "are new and not guarded"}, vocab.PartChanged: {"changed", "changed"},
		vocab.PartRemoved: {"is gone", "are gone"}, vocab.PartUnwrapped: {"lost its guard", "lost their guards"},
		vocab.PartFake: {"only looks guarded", "only look guarded"},
	}
	var words []string
	for _, state := range []vocab.PartState{vocab.PartFake, vocab.PartUnwrapped, vocab.PartRemoved, vocab.PartChanged, vocab.PartNew} {
		var names []string
		for _, f := range found {
			if f.state == state {
				names = append(names, f.name)
			}
		}
		switch {
		case len(names) == 1:
			words = append(words, entryWord(names[0])+" "+verbs[state][0])
		case len(names) > 1:
			words = append(words, fmt.Sprintf("%d servers %s", len(names), verbs[state][1]))
		}
	}
	switch {
	case found[0].change.Event == clientconfig.WipedServers:
		words = []string{fmt.Sprintf("all servers were removed from its file (%d are gone)", len(found))}
	case !g.looked[w.Path] && found[0].kind == vocab.ItemUnguarded:
		words = append(words, "changed while the hub was off")
	}
	return identity.ClientTitle(w.Client) + ": " + strings.Join(words, "; ")
}

func entryWord(name string) string {
	if clean := legible.Name(name, ""); clean != "" {
		return clean
	}
	return "a server"
}

func cleanNames(names []string) []string {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = entryWord(name)
	}
	return clean
}

// fileFinding is one change of a protected file, as an inbox item lists it.
type fileFinding struct {
	change   clientconfig.Change
	name     string
	kind     vocab.ItemKind
	state    vocab.PartState
	severity vocab.Severity
	words    string
}

// judgeFile says what each change of a protected file means for a person. It is pure.
func judgeFile(changes []clientconfig.Change, w *wantedFile, now *clientconfig.File) []fileFinding {
	var found []fileFinding
	add := func(c clientconfig.Change, name string, kind vocab.ItemKind, state vocab.PartState, severity vocab.Severity, words string) {
		found = append(found, fileFinding{c, name, kind, state, severity, words})
	}
	for _, c := range changes {
		wanted, known := w.snapshot.Entry(c.Name)
		switch c.Event {
		case clientconfig.WipedServers:
			for _, name := range c.Names {
				add(c, name, vocab.ItemConfigChanged, vocab.PartRemoved, vocab.SeverityHigh, "removed from the file, with all the others")
			}
		case clientconfig.RemovedEntry:
			add(c, c.Name, vocab.ItemConfigChanged, vocab.PartRemoved, vocab.SeverityReview, "removed from the file")
		case clientconfig.NewEntry:
			words := "new in the file and not guarded"
			switch {
			case c.Class.Kind != clientconfig.LooksWrapped && c.Class.Why != "" && !c.Class.Guardable():
				words = "new in the file, and can't be guarded: " + c.Class.Why
			case c.Class.Kind == clientconfig.LooksWrapped:
				words = "new in the file, with the guard of another entry"
			}
			add(c, c.Name, vocab.ItemConfigChanged, vocab.PartNew, vocab.SeverityReview, words)
		case clientconfig.ChangedEntry:
			severity := vocab.SeverityReview
			if known && wanted.Guarded && slices.ContainsFunc(c.Fields, func(field string) bool { return field == "command" || field == "args" || field == "url" }) {
				severity = vocab.SeverityHigh
			}
			words := strings.Join(c.Fields, ", ") + " changed"
			if slices.Equal(c.Fields, []string{"shared"}) {
				words = "its project shares another entry now; the guarded copy runs what it ran before. If you approve, the copy follows"
			}
			add(c, c.Name, vocab.ItemConfigChanged, vocab.PartChanged, severity, words)
		case clientconfig.LostWrapper:
			words := "its guard was removed, so the client starts the server directly"
			e, _ := now.Entry(c.Name)
			if r := clientconfig.FindRecord(w.records, c.Name); r == nil || !r.Of(e) {
				words = "its guard was removed and its command changed, so the client starts that command directly"
			}
			if e.URL != "" {
				words = "its guard was removed, so the client reaches the server directly"
			}
			add(c, c.Name, vocab.ItemUnguarded, vocab.PartUnwrapped, vocab.SeverityHigh, words)
		default: // FalseWrapper, and anything a later version finds
			severity := vocab.SeverityCritical
			if c.Class.Reason == clientconfig.MissingFile && clientconfig.FindRecord(w.records, c.Name) != nil && !slices.Contains(c.Fields, "command") {
				severity = vocab.SeverityHigh // nothing runs: our wrapper's file is missing
			}
			add(c, c.Name, vocab.ItemUnguarded, vocab.PartFake, severity, "it only looks guarded: "+c.Class.Why)
		}
	}
	return found
}
