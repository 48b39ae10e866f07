package guardian

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/store"
)

// wantedFile is the wanted state of one client's file, from the store and the private file next to it.
type wantedFile struct {
	store.ClientFile
	by       clientconfig.Installation
	records  []clientconfig.Record
	snapshot clientconfig.Snapshot
	whole    bool // snapshot is the stored one; else it was rebuilt from the records, without env
}

// changes are what differs between a file and what is wanted of it.
func (w *wantedFile) changes(file *clientconfig.File) []clientconfig.Change {
	return clientconfig.Compare(w.snapshot, file, w.by, w.records)
}

// entryText is an entry's whole value in the file, with what it is a copy of, "" if it is missing.
func entryText(s clientconfig.Snapshot, name string) string {
	kept, _ := s.Entry(name)
	return kept.Raw + kept.Shared
}

// guards reports whether any entry of a wanted state is wrapped: otherwise there is nothing to watch.
func guards(s clientconfig.Snapshot) bool {
	return slices.ContainsFunc(s.Entries, func(k clientconfig.Kept) bool { return k.Guarded })
}

// entriesOf is a wanted state as the store keeps it.
func (g *Guardian) entriesOf(path string, s clientconfig.Snapshot, records []clientconfig.Record) ([]store.ClientEntry, error) {
	sealer, err := g.recordBox(path)
	if err != nil {
		return nil, err
	}
	entries := make([]store.ClientEntry, 0, len(s.Entries))
	for _, k := range s.Entries {
		entry := store.ClientEntry{Name: k.Name, Want: store.WantOpen, EnvNames: k.EnvNames}
		if k.Guarded {
			entry.Want = store.WantWrapped
			record := clientconfig.FindRecord(records, k.Name)
			if record == nil {
				return nil, fmt.Errorf("no record of %q", k.Name)
			}
			if entry.Record, err = sealer.seal(*record); err != nil {
				return nil, err
			}
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// WholeFolder contains the private files from which missing entries are restored. They contain values of env, like the client's own file:
// 0600 in a folder of ours, never in the store, a record, a log or a response.
func (g *Guardian) WholeFolder() string { return filepath.Join(g.opts.Home.Dir, "clients") }

func (g *Guardian) wholeFile(path, whole string) string {
	id := strings.TrimPrefix(store.ClientFileID(path), "file:")
	return filepath.Join(g.WholeFolder(), id+"-"+whole[:32]+".json")
}

// keepWhole stores a wanted state durably, and returns its name for the store.
func (g *Guardian) keepWhole(path string, s clientconfig.Snapshot) (string, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("keep what is wanted: %w", err)
	}
	whole := g.office.Store.KeyedHash("client-file", raw)
	name := g.wholeFile(path, whole)
	if _, err := g.readWhole(path, whole); err == nil {
		return whole, nil
	}
	if err := disk.OwnFolder(g.WholeFolder()); err != nil {
		return "", err
	}
	if err := disk.WriteWhole(name, raw); err != nil {
		return "", fmt.Errorf("keep what is wanted: %w", err)
	}
	return whole, nil
}

// maxWhole is the largest client file, with room for its spelling as JSON inside JSON.
const maxWhole = 256 << 20

// readWhole reads a wanted state. A changed one does not count: something else wrote it.
func (g *Guardian) readWhole(path, whole string) (s clientconfig.Snapshot, err error) {
	if len(whole) < 32 {
		return s, fs.ErrNotExist
	}
	raw, err := disk.Read(g.wholeFile(path, whole), maxWhole)
	if err != nil {
		return s, err
	}
	if g.office.Store.KeyedHash("client-file", raw) != whole {
		return s, fmt.Errorf("%s is not what was kept", g.wholeFile(path, whole))
	}
	return s, json.Unmarshal(raw, &s)
}

// sweepWhole removes the wanted states of a file, except the one that the store names.
func (g *Guardian) sweepWhole(path, named string) {
	id := strings.TrimPrefix(store.ClientFileID(path), "file:")
	found, err := os.ReadDir(g.WholeFolder())
	if err != nil {
		return
	}
	for _, entry := range found {
		name := filepath.Join(g.WholeFolder(), entry.Name())
		if strings.HasPrefix(entry.Name(), id+"-") && (named == "" || name != g.wholeFile(path, named)) {
			_ = os.Remove(name)
		}
	}
}

// loadWanted is the wanted state of a file, nil if it is not protected.
func (g *Guardian) loadWanted(path string) (*wantedFile, error) {
	var f store.ClientFile
	err := g.office.Viewing(func(tx *store.Tx) (err error) {
		f, err = tx.ClientFile(path)
		return err
	})
	if office.Absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return g.wantedOf(f), nil
}

func (g *Guardian) wantedOf(f store.ClientFile) *wantedFile {
	w := &wantedFile{ClientFile: f, by: g.installation(f.Program, f.Client)}
	if _, err := os.Stat(f.Program); err != nil {
		w.by.Path = g.opts.Program // Sallyport was moved: use its current path from now on
	}
	sealer, err := g.recordBox(f.Path)
	if err == nil {
		for _, e := range f.Entries {
			if r, ok := sealer.open(e.Record); ok {
				w.records = append(w.records, r)
			}
		}
	}
	if w.snapshot, err = g.readWhole(f.Path, f.Whole); err == nil {
		w.whole = true
		return w
	}
	w.snapshot = clientconfig.Snapshot{}
	for _, e := range f.Entries {
		kept := clientconfig.Kept{Name: e.Name, EnvNames: e.EnvNames}
		if r := clientconfig.FindRecord(w.records, e.Name); r != nil {
			kept.Called, kept.Project = r.Called, r.Project
			kept.Command, kept.Args, kept.HasArgs, kept.Guarded = r.Wrapper, r.Written(), true, true
			kept.Raw = mask.PlainJSON(map[string]any{"command": r.Wrapper, "args": r.Written()})
		}
		w.snapshot.Entries = append(w.snapshot.Entries, kept)
	}
	return w
}
