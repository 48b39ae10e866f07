package keychain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/keychain/sealed"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// Place is where a value is kept.
type Place string

const (
	InKeychain Place = "keychain"
	InFile     Place = "file" // sealed.Name in the home
)

// Entry is a name and where its value is.
type Entry struct {
	Name  string
	Place Place
}

// Target is where a new value would go.
type Target struct {
	Place Place
	// Why says why it is not the keychain: ErrAbsent, ErrOff, ErrLocked, ErrRefused or ErrSilent.
	Why error
	// File is the path of the sealed file, whether it exists or not.
	File string
}

// Reason is Why without what to do about it, such as "the keychain is locked".
func (t Target) Reason() string {
	if t.Why == nil {
		return ""
	}
	return Reason(t.Why)
}

// Reason is an error of a store without what to do about it.
func Reason(err error) string {
	reason, _, _ := strings.Cut(err.Error(), ":")
	return reason
}

// Target says where a new value would go. An error means that the sealed file can't be used: then no value can be stored or read.
func (s Store) Target(ctx context.Context) (Target, error) {
	why := s.State(ctx)
	if s.file.IsZero() {
		return Target{Place: InKeychain}, why
	}
	if _, err := s.file.Read(ctx); err != nil {
		return Target{}, err
	}
	switch {
	case why == nil:
		return Target{InKeychain, nil, s.file.Path()}, nil
	case unusable(why):
		return Target{InFile, why, s.file.Path()}, nil
	}
	return Target{}, why
}

// Place says where the value of a name is, or returns ErrNotFound. It moves nothing.
func (s Store) Place(ctx context.Context, name string) (Place, error) {
	if err := secretname.Check(name); err != nil {
		return "", err
	}
	entries, err := s.file.Read(ctx)
	if err != nil {
		return "", err
	}
	entry, there := entries[s.key(name)]
	switch {
	case entry.Gone:
		return "", ErrNotFound
	case there:
		return InFile, nil
	}
	if _, err := unlocking(ctx, s, func(ctx context.Context) (string, error) { return s.get(ctx, name) }); err != nil {
		return "", s.without(err)
	}
	return InKeychain, nil
}

// Entries are all names, sorted, and where their values are. If the keychain can't be listed, it returns the error and what is in the file.
func (s Store) Entries(ctx context.Context) (all []Entry, err error) {
	filed := map[sealed.Key]sealed.Entry{}
	if !s.file.IsZero() {
		s.askPerson(ctx)
		s.person = false // once is enough
		if _, err := s.Move(ctx); err != nil {
			return nil, err
		}
		if filed, err = s.file.Read(ctx); err != nil {
			return nil, err
		}
	}
	for key, entry := range filed {
		if key.Kind == s.kind && !entry.Gone {
			all = append(all, Entry{key.Name, InFile})
		}
	}
	names, err := s.listed(ctx)
	for _, name := range names {
		if _, there := filed[s.key(name)]; !there {
			all = append(all, Entry{name, InKeychain})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	if !s.file.IsZero() && missing(err) {
		err = nil
	}
	return all, err
}

// inFile returns a value that is in the file, and moves it if the keychain can take it. It is ErrNotFound if it was deleted.
func (s Store) inFile(ctx context.Context, name string) (value string, there bool, err error) {
	entries, err := s.file.Read(ctx)
	if err != nil {
		return "", false, err
	}
	entry, there := entries[s.key(name)]
	if !there {
		return "", false, nil
	}
	_ = s.move(ctx, name) // what can't be moved now stays
	if entry.Gone {
		return "", true, ErrNotFound
	}
	return entry.Value, true, nil
}

func (s Store) key(name string) sealed.Key { return sealed.Key{Kind: s.kind, Name: name} }

// missing reports whether there is no keychain in this session, so that what is not in the file is not there at all.
func missing(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrOff) }

// unusable reports whether err says why the keychain can't be used now.
func unusable(err error) bool {
	return missing(err) || errors.Is(err, ErrLocked) || errors.Is(err, ErrRefused) || errors.Is(err, ErrSilent)
}

// without is the error of a value that is not in the file and for which the keychain has err. Without a keychain it is ErrNotFound too.
func (s Store) without(err error) error {
	if s.file.IsZero() || !missing(err) {
		return err
	}
	return inNeither{err}
}

// inNeither is both ErrNotFound and why there is no keychain.
type inNeither struct{ why error }

func (n inNeither) Error() string {
	if errors.Is(n.why, ErrOff) {
		return fmt.Sprintf("it is not in %s, and %s", sealed.Name, ErrOff)
	}
	return fmt.Sprintf("it is not in %s, and this session has no keychain", sealed.Name)
}

func (n inNeither) Unwrap() []error { return []error{ErrNotFound, n.why} }
