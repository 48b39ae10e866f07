package guardian

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/vocab"
)

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
			case c.Class.Kind == clientconfig.Remote, c.Class.Kind == clientconfig.Odd:
				words = "new in the file, and can't be guarded: " + c.Class.Why
			case c.Class.Kind == clientconfig.LooksWrapped:
				words = "new in the file, with the guard of another entry"
			}
			add(c, c.Name, vocab.ItemConfigChanged, vocab.PartNew, vocab.SeverityReview, words)
		case clientconfig.ChangedEntry:
			severity := vocab.SeverityReview
			if known && wanted.Guarded && (slices.Contains(c.Fields, "command") || slices.Contains(c.Fields, "args")) {
				severity = vocab.SeverityHigh
			}
			add(c, c.Name, vocab.ItemConfigChanged, vocab.PartChanged, severity, strings.Join(c.Fields, ", ")+" changed")
		case clientconfig.LostWrapper:
			words := "its guard was removed, so the client starts the server directly"
			e, _ := now.Entry(c.Name)
			if r := clientconfig.FindRecord(w.records, c.Name); r == nil || !slices.Equal(r.Argv, e.Argv()) {
				words = "its guard was removed and its command changed, so the client starts that command directly"
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
