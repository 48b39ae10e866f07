package keychain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain/sealed"
)

// What a home keeps in two places must not be older in the one that counts: a refresh token is used once, and a deleted key must stay deleted.
//
//   - While the file has an entry, the entry counts, and it is never older than what the keychain has. So it is written first, then the
//     keychain, and only then does it leave the file. A kill between two of these steps leaves an entry that still counts and is still true;
//     the next call that meets it takes the remaining steps.
//   - Without an entry, the keychain counts. Whoever writes there has the file's lock, so no entry appears meanwhile.
//   - A value that is deleted while the keychain can't be used leaves an entry that says so, because the keychain may have an older value.

// glance is how long a call that has its value already waits for a keychain that might take it.
const glance = 500 * time.Millisecond

// place stores a value in the keychain, else in the file.
//
// If the keychain is locked and a person waits, they are asked first, before the file's lock is taken: they may take two minutes. If it stays
// locked, for whatever reason, the value is stored all the same. A person who has typed a secret expects it to be stored.
func (s Store) place(ctx context.Context, name, value string) error {
	s.askPerson(ctx)
	return s.file.Change(ctx, func(d *sealed.Draft) error {
		if _, there := d.Get(s.key(name)); there {
			if err := d.Put(s.key(name), sealed.Entry{Value: value}); err != nil {
				return err
			}
		}
		err := s.toKeychain(ctx, name, value)
		switch {
		case err == nil:
			_ = d.Drop(s.key(name)) // else the file has the same value, and it leaves the file later
			return nil
		case unusable(err), errors.Is(err, errTooLong):
			return d.Put(s.key(name), sealed.Entry{Value: value})
		}
		return err
	})
}

// displace deletes a value in both places.
func (s Store) displace(ctx context.Context, name string) error {
	s.askPerson(ctx)
	return s.file.Change(ctx, func(d *sealed.Draft) error {
		entry, there := d.Get(s.key(name))
		had := there && !entry.Gone
		if had {
			if err := d.Put(s.key(name), sealed.Entry{Gone: true}); err != nil {
				return err
			}
		}
		err := s.outOfKeychain(ctx, name)
		switch {
		case err == nil:
			_ = d.Drop(s.key(name)) // else the file says that it is gone, which is true
			return nil
		case errors.Is(err, ErrNotFound):
			_ = d.Drop(s.key(name))
			if had {
				return nil
			}
			return ErrNotFound
		case missing(err):
			if had {
				return nil
			}
			return s.without(err)
		case !unusable(err):
			return err
		}
		if err := d.Put(s.key(name), sealed.Entry{Gone: true}); err != nil {
			return err
		}
		return fmt.Errorf("%w: %w", err, ErrLater)
	})
}

// Move moves what is in the file to the keychain, as far as the keychain can be used, and returns how many values stay. An error means that
// the file can't be used.
func (s Store) Move(ctx context.Context) (left int, err error) {
	entries, err := s.file.Read(ctx)
	if err != nil {
		return 0, err
	}
	usable := true
	for key, entry := range entries {
		if key.Kind != s.kind {
			continue
		}
		if usable {
			err := s.move(ctx, key.Name)
			if err == nil {
				continue
			}
			usable = errors.Is(err, errTooLong)
		}
		if !entry.Gone {
			left++
		}
	}
	return left, nil
}

var (
	errTooLong = errors.New("it is longer than what one entry of this system's keychain holds")
	errBusy    = errors.New("another process changes the file")
)

// move moves the entry of one name, or says why it stays.
func (s Store) move(ctx context.Context, name string) error {
	if _, err := within(ctx, glance, func(ctx context.Context) (none, error) { return none{}, s.state(ctx) }); err != nil {
		return err
	}
	tried, err := s.file.TryChange(func(d *sealed.Draft) error {
		entry, there := d.Get(s.key(name))
		if !there {
			return nil
		}
		var err error
		if !entry.Gone {
			err = s.toKeychain(ctx, name, entry.Value)
		} else if err = s.outOfKeychain(ctx, name); errors.Is(err, ErrNotFound) {
			err = nil
		}
		if err != nil {
			return err
		}
		return d.Drop(s.key(name))
	})
	if err == nil && !tried {
		return errBusy
	}
	return err
}

// toKeychain stores a value in the keychain and looks whether it is there: it may be about to leave the file.
func (s Store) toKeychain(ctx context.Context, name, value string) error {
	if len(value) > maxEntry {
		return errTooLong
	}
	if _, err := within(ctx, patience, func(ctx context.Context) (none, error) { return none{}, s.set(ctx, name, value) }); err != nil {
		return err
	}
	got, err := within(ctx, patience, func(ctx context.Context) (string, error) { return s.get(ctx, name) })
	if err == nil && got != value || errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: it did not keep what it took", ErrRefused)
	}
	return err
}

func (s Store) outOfKeychain(ctx context.Context, name string) error {
	_, err := within(ctx, patience, func(ctx context.Context) (none, error) { return none{}, s.delete(ctx, name) })
	return err
}

// askPerson has the system ask a person who waits to unlock the keychain. What comes of it shows when the keychain is used.
func (s Store) askPerson(ctx context.Context) {
	if s.person && errors.Is(s.State(ctx), ErrLocked) {
		_, _ = within(ctx, personPatience, func(ctx context.Context) (none, error) { return none{}, s.unlock(ctx) })
	}
}
