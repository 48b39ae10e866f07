package guardian

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// Backups are the copies kept before each change, newest first.
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

// RestoreBackup puts a kept file back, with a backup of its own. It may remove wrappers, so it is a decision unless every guarded entry
// stays guarded.
func (g *Guardian) RestoreBackup(peer control.Peer, r control.RestoreBackup) (none control.Protected, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.office.Reading(); err != nil {
		return none, err
	}
	k, err := g.kept(r.ID)
	if err != nil {
		return none, err
	}
	out := control.Protected{Path: k.Path, Client: k.by.Client, Digest: clientedit.DigestOf(k.now)}
	if r.Digest != "" && r.Digest != out.Digest {
		return none, changedSince(k.Path)
	}
	before, unreadable := k.view.Rewritten(k.now)
	if unreadable == nil {
		if out.Diff, err = clientconfig.Diff(k.Path, k.now, k.view.Raw, k.view.File.Format); err != nil {
			return none, unavailable(err)
		}
	}
	var loosens bool
	out.Entries, loosens = k.entries(before.File)
	if r.DryRun || bytes.Equal(k.now, k.view.Raw) && !k.gone {
		return out, nil
	}
	if loosens || peer.Descends {
		if err := g.mayLoosen(peer, r.Decided, "this backup has servers without a guard"); err != nil {
			return none, err
		}
	}
	names := entryNames(k.view.File)
	records := adopted(k.records, k.view, k.by, runGuarded(k.view, k.by, names))
	next := k.view.File.Snapshot(k.by, records)
	if k.gone {
		if _, err = g.backups().Restore(k.ID); err != nil {
			return none, unavailable(err)
		}
		if k.wanted != nil {
			err = g.rewant(k.wanted, next, records, nil, nil)
		}
	} else {
		out.Backup, err = g.carryOut(clientChange{
			why: whyRestore, from: clientedit.View{Path: k.Path, Raw: k.now, Digest: out.Digest}, to: k.view.Raw,
			client: out.Client, program: k.by.Path, wanted: next, records: records, names: names,
		})
	}
	if err != nil {
		return none, err
	}
	out.Written = true
	return out, errors.Join(g.forgetItems(k.Path), g.lookAt(k.Path))
}

// kept is a backup to be restored, with the current file.
type kept struct {
	clientconfig.Backup
	view    clientedit.View // of the backup
	now     []byte          // the file
	gone    bool            // the file is missing
	wanted  *wantedFile     // nil: the file is not protected
	by      clientconfig.Installation
	records []clientconfig.Record
}

// kept finds and reads a backup and its file.
func (g *Guardian) kept(id string) (k kept, err error) {
	if k.Backup, err = g.backups().Find(id); err != nil {
		return k, office.Answer(control.CodeNotFound, "%s", office.OneLine(err.Error()))
	}
	raw, err := g.backups().Text(k.Backup)
	if err != nil {
		return k, unavailable(err)
	}
	if k.wanted, err = g.recoverWrite(k.Path); err != nil {
		return k, unavailable(err)
	}
	k.by = g.installation(g.opts.Program, g.clientAt(k.Path))
	if k.wanted != nil {
		k.by, k.records = k.wanted.by, k.wanted.records
	}
	if k.view, err = clientedit.Parse(k.Path, raw, clientconfig.FormatOf(k.by.Client)); err != nil {
		return k, office.Answer(control.CodeUnavailable, "can't read the backup: %s", office.OneLine(err.Error()))
	}
	k.now, err = clientconfig.Read(k.Path)
	if k.gone = errors.Is(err, fs.ErrNotExist); err != nil && !k.gone {
		return k, unavailable(err)
	}
	return k, nil
}

// clientAt is the client that keeps its servers at a path; a file that a person named counts as Claude Desktop's.
func (g *Guardian) clientAt(path string) string {
	for _, l := range clientconfig.Places(g.opts.System) {
		if l.Path == path {
			return l.Client
		}
	}
	return clientconfig.ClaudeDesktop
}

// entries are the backup's entries. It loosens if one of them would lose the guard that it has in before, or should have.
func (k kept) entries(before *clientconfig.File) (entries []control.ClientEntry, loosens bool) {
	entries = []control.ClientEntry{}
	for _, e := range k.view.File.Entries {
		if clientconfig.Classify(e, k.by, nil).Kind == clientconfig.Wrapped {
			entries = append(entries, control.ClientEntry{Name: e.Name, State: control.EntryGuarded})
			continue
		}
		entries = append(entries, control.ClientEntry{Name: e.Name, State: control.EntryOpen})
		if k.wanted != nil {
			wanted, known := k.wanted.snapshot.Entry(e.Name)
			loosens = loosens || !known || wanted.Guarded
		}
		if before != nil {
			now, there := before.Entry(e.Name)
			loosens = loosens || there && clientconfig.Classify(now, k.by, nil).Kind == clientconfig.Wrapped
		}
	}
	return entries, loosens
}

func entryNames(f *clientconfig.File) []string {
	names := make([]string, 0, len(f.Entries))
	for _, e := range f.Entries {
		names = append(names, e.Name)
	}
	return names
}
