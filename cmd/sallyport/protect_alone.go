package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

// What is done to a client's file where no hub runs: a preview of protect, and unprotect whole, because the way out must
// work for an installation that is broken.

// clientFile is a client's file as it was read here.
type clientFile struct {
	path   string
	format clientconfig.Format
	raw    []byte
	file   *clientconfig.File
}

// openClientFile reads the file that ask names, or the one that its client reads.
func openClientFile(ask control.Protect) (clientFile, error) {
	f := clientFile{path: ask.Config}
	for _, place := range clientconfig.Places(clientconfig.ThisSystem()) {
		if place.Client == ask.Client {
			f.format = place.Format
		}
	}
	if f.path == "" {
		for _, place := range clientconfig.Locate(clientconfig.ThisSystem()) {
			if place.Client == ask.Client && place.Preferred {
				f.path = place.Path
			}
		}
	}
	var err error
	if f.raw, err = clientconfig.Read(f.path); errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("%s: there is no such file; is it elsewhere (--config PATH), or the client not installed?", f.path)
	} else if err != nil {
		return f, err
	}
	if f.file, err = clientconfig.Parse(f.raw, f.format); err != nil {
		return f, fmt.Errorf("%s: %w; nothing was changed", f.path, err)
	}
	return f, nil
}

// answer is what a hub would say of an edit of the file.
func (f clientFile) answer(ask control.Protect, result clientconfig.Result) (control.Protected, error) {
	sum := sha256.Sum256(f.raw)
	done := control.Protected{Client: ask.Client, Path: f.path, Digest: hex.EncodeToString(sum[:]), Entries: []control.ClientEntry{}}
	for _, o := range result.Outcomes {
		done.Entries = append(done.Entries, control.ClientEntry{Name: o.Name, State: stateOf(o.Did), Why: o.Why})
	}
	if !f.file.HasServers || len(f.file.Entries) == 0 && len(ask.Names) == 0 {
		done.Note = "nothing to protect: the file has no servers"
	}
	var err error
	if result.Changed {
		done.Diff, err = clientconfig.Diff(f.path, f.raw, result.Raw, f.format)
	}
	return done, err
}

func stateOf(did clientconfig.Did) string {
	switch did {
	case clientconfig.DidWrap, clientconfig.DidRewrap:
		return control.EntryWrapped
	case clientconfig.DidUnwrap:
		return control.EntryUnwrapped
	case clientconfig.DidMiss:
		return control.EntryMissing
	case clientconfig.DidNone:
		return control.EntryGuarded
	}
	return control.EntryLeft
}

// protectAlone says what protect would do.
func protectAlone(ask control.Protect) (control.Protected, error) {
	f, err := openClientFile(ask)
	if err != nil {
		return control.Protected{}, err
	}
	by := clientconfig.Installation{Path: ask.Program, Client: ask.Client}
	result, err := clientconfig.Wrap(f.raw, f.format, named(ask), by, nil)
	if err != nil {
		return control.Protected{}, err
	}
	return f.answer(ask, result)
}

// unprotectAlone takes wrappers out of a file. The store, which remembers how entries were spelled, has no owner now; the
// backups remember it as well.
func unprotectAlone(ask control.Protect) (control.Protected, error) {
	f, err := openClientFile(ask)
	if err != nil {
		return control.Protected{}, err
	}
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return control.Protected{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return control.Protected{}, fmt.Errorf("find this program: %w", err)
	}
	backups := &clientconfig.Backups{Dir: home.Backups}
	by := clientconfig.Installation{Path: program, Client: ask.Client}
	result, err := f.unwrap(named(ask), by, backups)
	if err != nil {
		return control.Protected{}, err
	}
	done, err := f.answer(ask, result)
	for i, entry := range done.Entries {
		if entry.State == control.EntryGuarded {
			done.Entries[i].State = control.EntryOpen
		}
	}
	if err != nil || ask.DryRun || !result.Changed {
		return done, err
	}
	for _, dir := range []string{home.Dir, home.Backups} {
		if err := control.OwnFolder(dir); err != nil {
			return control.Protected{}, err
		}
	}
	kept, err := clientconfig.Write(f.path, f.raw, result.Raw, backups)
	if err != nil {
		return control.Protected{}, err
	}
	done.Backup, done.Written = kept.ID, true
	return done, nil
}

// unwrap takes wrappers out with the help of the backups of this file, newest first. A backup that becomes this very file
// when it is wrapped is what was there; of the others comes how each entry was spelled.
func (f clientFile) unwrap(names []string, by clientconfig.Installation, backups *clientconfig.Backups) (clientconfig.Result, error) {
	all, err := backups.List()
	if err != nil {
		return clientconfig.Result{}, fmt.Errorf("look at the backups: %w", err)
	}
	var (
		records []clientconfig.Record
		whole   []byte
	)
	for _, kept := range all {
		if kept.Path != f.path && !sameFile(kept.Path, f.path) {
			continue
		}
		text, err := backups.Text(kept)
		if err != nil {
			continue // one that was damaged is no reason to leave the others
		}
		for _, path := range f.wrappers(by.Path) {
			was := clientconfig.Installation{Path: path, Client: by.Client}
			wrapped, err := clientconfig.Wrap(text, f.format, nil, was, nil)
			if err != nil {
				continue
			}
			if whole == nil && names == nil && bytes.Equal(wrapped.Raw, f.raw) {
				whole = text
			}
			for _, record := range wrapped.Records {
				if f.fits(record) && !slices.ContainsFunc(records, func(r clientconfig.Record) bool { return r.Name == record.Name }) {
					records = append(records, record)
				}
			}
		}
	}
	result, err := clientconfig.Unwrap(f.raw, f.format, names, by, records)
	if err == nil && result.Changed && whole != nil {
		result.Raw = whole
	}
	return result, err
}

// wrappers are the paths under which entries of the file may run through us: ours, and what stands there.
func (f clientFile) wrappers(ours string) []string {
	paths := []string{ours}
	for _, entry := range f.file.Entries {
		if slices.Contains(entry.Args, "wrap") && !slices.Contains(paths, entry.Command) {
			paths = append(paths, entry.Command)
		}
	}
	return paths
}

// fits says whether a record of a backup is that of the entry that stands in the file now.
func (f clientFile) fits(record clientconfig.Record) bool {
	entry, ok := f.file.Entry(record.Name)
	return ok && slices.Equal(entry.Args, record.Written())
}

// named is the list that clientconfig takes: nil is every entry.
func named(ask control.Protect) []string {
	if ask.All || len(ask.Names) == 0 {
		return nil
	}
	return ask.Names
}
