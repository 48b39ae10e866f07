package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
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
		return f, fmt.Errorf("%s doesn't exist: if the file is elsewhere, name it with --config PATH", f.path)
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
	records, err := clientconfig.Recover(f.path, f.raw, f.format, by, backups)
	if err != nil {
		return control.Protected{}, fmt.Errorf("read the backups: %w", err)
	}
	result, err := clientconfig.Unwrap(f.raw, f.format, named(ask), by, records)
	if err != nil {
		return control.Protected{}, err
	}
	done, err := f.answer(ask, result)
	if done.Note != "" {
		done.Note = "nothing to unprotect: the file has no servers"
	}
	for i, entry := range done.Entries {
		if entry.State == control.EntryGuarded {
			done.Entries[i].State = control.EntryOpen
		}
	}
	if err != nil || ask.DryRun {
		return done, err
	}
	for _, entry := range done.Entries {
		if entry.State == control.EntryMissing { // half a job would look like a whole one
			return done, fmt.Errorf("%s has no entry %q; nothing was changed", f.path, entry.Name)
		}
	}
	if !result.Changed {
		return done, nil
	}
	for _, dir := range []string{home.Dir, home.Backups} {
		if err := disk.OwnFolder(dir); err != nil {
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

// named is the list that clientconfig takes: nil is every entry.
func named(ask control.Protect) []string {
	if ask.All || len(ask.Names) == 0 {
		return nil
	}
	return ask.Names
}
