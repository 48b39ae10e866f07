package guardian

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// Backups are the client files kept before each change, newest first.
func (g *Guardian) Backups() ([]control.Backup, error) {
	kept, err := g.backups().List()
	if err != nil {
		return nil, office.Answer(control.CodeUnavailable, "can't list the backups: %s", office.OneLine(err.Error()))
	}
	out := make([]control.Backup, 0, len(kept))
	for _, b := range kept {
		out = append(out, control.Backup{ID: b.ID, Path: b.Path, Time: b.Time, Size: int64(b.Size), Digest: b.SHA256})
	}
	return out, nil
}

// RestoreBackup puts a kept file back: a write like any other. It may take wrappers out, so it is a decision unless every
// entry that is guarded now stays so.
func (g *Guardian) RestoreBackup(peer control.Peer, r control.RestoreBackup) (control.Protected, error) {
	return g.restore(r, func() error { return g.office.MayDecide(peer) }, peer.Descends)
}

// RestoreBackupHere is RestoreBackup of the window, in this process.
func (g *Guardian) RestoreBackupHere(r control.RestoreBackup) (control.Protected, error) {
	return g.restore(r, func() error { return nil }, false)
}

func (g *Guardian) restore(r control.RestoreBackup, allowed func() error, descends bool) (control.Protected, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.ready(); err != nil {
		return control.Protected{}, err
	}
	kept, err := g.backups().Find(r.ID)
	if err != nil {
		return control.Protected{}, office.Answer(control.CodeNotFound, "%s", office.OneLine(err.Error()))
	}
	raw, err := g.backups().Text(kept)
	if err != nil {
		return control.Protected{}, office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
	}
	after, err := viewOf(kept.Path, raw)
	if err != nil {
		return control.Protected{}, office.Answer(control.CodeUnavailable, "can't read the backup: %s", office.OneLine(err.Error()))
	}
	w, err := g.recoverWrite(kept.Path)
	if err != nil {
		return control.Protected{}, office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
	}
	out := control.Protected{Path: kept.Path, Client: clientconfig.ClaudeDesktop, Entries: []control.ClientEntry{}}
	by := clientconfig.Installation{Path: g.opts.Program, Client: out.Client}
	var records []clientconfig.Record
	if w != nil {
		by, records, out.Client = w.by, w.records, w.Client
	}
	was, err := clientconfig.Read(kept.Path)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone {
		return control.Protected{}, office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
	}
	out.Digest = DigestOf(was)
	if r.Digest != "" && r.Digest != out.Digest {
		return control.Protected{}, office.Answer(control.CodeStale, "%s changed since it was shown: check it again", kept.Path)
	}
	before, readable := viewOf(kept.Path, was)
	loosens := descends
	for _, e := range after.file.Entries {
		state := control.EntryOpen
		if clientconfig.Classify(e, by, nil).Kind == clientconfig.Wrapped {
			state = control.EntryGuarded
		}
		out.Entries = append(out.Entries, control.ClientEntry{Name: e.Name, State: state})
		if w != nil {
			wanted, known := w.snapshot.Entry(e.Name)
			loosens = loosens || state != control.EntryGuarded && (!known || wanted.Guarded)
		}
		if readable == nil {
			now, there := before.file.Entry(e.Name)
			loosens = loosens || state != control.EntryGuarded && there && clientconfig.Classify(now, by, nil).Kind == clientconfig.Wrapped
		}
	}
	if readable == nil {
		if out.Diff, err = clientconfig.Diff(kept.Path, was, raw, clientconfig.Format{}); err != nil {
			return control.Protected{}, office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
		}
	}
	if r.DryRun || bytes.Equal(was, raw) && !gone {
		return out, nil
	}
	if loosens {
		if err := g.mayLoosen(allowed, r.Decided, "this backup has servers without a guard"); err != nil {
			return control.Protected{}, err
		}
	}
	records = withNewer(records, nil)
	adopting := &wantedFile{by: by, records: records}
	records = g.adopted(adopting, after, runGuarded(adopting, after, entryNames(after.file)))
	next := after.file.Snapshot(by, records)
	switch {
	case gone:
		if _, err := g.backups().Restore(kept.ID); err != nil {
			return control.Protected{}, office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
		}
		if w != nil {
			err = g.rewant(w, next, records, nil, nil)
		}
	default:
		var backup clientconfig.Backup
		from := clientView{path: kept.Path, raw: was, digest: out.Digest}
		backup, err = g.carryOut(clientChange{why: whyRestore, from: from, to: raw, client: out.Client, program: by.Path, wanted: next, records: records, names: entryNames(after.file)})
		out.Backup = backup.ID
	}
	if err != nil {
		return control.Protected{}, err
	}
	out.Written = true
	return out, errors.Join(g.forgetItems(kept.Path), g.lookAt(kept.Path))
}

func entryNames(f *clientconfig.File) []string {
	names := make([]string, 0, len(f.Entries))
	for _, e := range f.Entries {
		names = append(names, e.Name)
	}
	return names
}
