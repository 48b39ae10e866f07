// Package keychain keeps short secrets in the operating system's keychain: a Secret Service on Linux, the Keychain on macOS, the Credential
// Manager on Windows. A Store is what one home has of one kind: [Secrets] are what a person stored under a name, [Tokens] what the hub keeps
// of sign-ins, [Seals] what the hub keeps out of its own folder.
//
// Where the keychain can't be used, Secrets and Tokens go to the home's sealed file (package sealed); Seals never do. A value in the file is
// never older than one in the keychain, so it counts while it is there. Once the keychain can be used again, the next call that meets the value
// moves it there, as does [Store.Move].
//
// No call waits longer than two seconds for a keychain that does not respond, and none shows a dialog of the system unless the Store was told
// that a person waits (WithPerson). Why a keychain can't be used is an error of its own: the caller says so by name and goes on without the
// value. No error has a value in it.
//
// The package must not know what its values are for.
package keychain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain/sealed"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// What callers decide on. Each says what a person can do.
var (
	ErrAbsent   = errors.New("this session has no keychain: " + whatHelps)
	ErrOff      = errors.New(Variable + "=off turns the keychain off")
	ErrLocked   = errors.New("the keychain is locked: unlock it, then try again")
	ErrRefused  = errors.New("the keychain refuses access")
	ErrSilent   = errors.New("the keychain did not respond within 2 seconds: look for a dialog of it, or restart it")
	ErrNotFound = errors.New("it is not in the keychain")
	// ErrLater is what Delete returns, together with one of ErrLocked, ErrRefused and ErrSilent, for a value that no call returns any more
	// although the keychain may still have it. It is deleted there as soon as the keychain can be used.
	ErrLater = errors.New("it is no longer used, and is deleted from the keychain once that can be used again")
)

// Variable turns the keychain off for a process and the hub it starts: Secrets and Tokens are in the sealed file then. Without it, every home
// in a temporary folder would leave an entry behind in a person's keychain.
const Variable = "SALLYPORT_KEYCHAIN"

const (
	// patience is for one call, with all its messages. gnome-keyring takes 1 ms to read and 21 ms to write.
	patience = 2 * time.Second
	// personPatience is how long a person has to unlock the keychain.
	personPatience = 2 * time.Minute
)

const kindToken = "token"

// Store is one kind of entries that one home has.
type Store struct {
	home   string // of the entries, so that another home has its own
	kind   string
	person bool
	file   sealed.File // zero: the keychain or nothing
}

// Secrets are the values that a person stored for the home in folder dir.
func Secrets(dir string) Store {
	return Store{home: scope(dir), kind: "secret", file: sealed.In(dir, scope(dir))}
}

// Tokens are what the hub of that home keeps of sign-ins. A value may be longer than a secret.
func Tokens(dir string) Store {
	return Store{home: scope(dir), kind: kindToken, file: sealed.In(dir, scope(dir))}
}

// Seals are what the hub of that home keeps out of its own folder.
func Seals(dir string) Store { return Store{home: scope(dir), kind: "seal"} }

// scope tells homes apart. A path can have characters that a keychain does not take, and is nobody's business who lists its entries.
func scope(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// WithPerson is the same store for a command whose person can answer a dialog: if the keychain is locked, the system may ask to unlock it.
func (s Store) WithPerson() Store {
	s.person = true
	return s
}

// State is nil if the keychain can be read and written now.
func (s Store) State(ctx context.Context) error {
	_, err := within(ctx, patience, func(ctx context.Context) (none, error) { return none{}, s.state(ctx) })
	return err
}

// Set stores a value under a name, in place of one that is there. When it returns nil, the value is on the disk or the keychain has it.
func (s Store) Set(ctx context.Context, name, value string) error {
	if err := errors.Join(secretname.Check(name), s.check(value)); err != nil {
		return err
	}
	if !s.file.IsZero() {
		return s.place(ctx, name, value)
	}
	_, err := unlocking(ctx, s, func(ctx context.Context) (none, error) { return none{}, s.set(ctx, name, value) })
	return err
}

// Get returns the value of a name.
func (s Store) Get(ctx context.Context, name string) (string, error) {
	if err := secretname.Check(name); err != nil {
		return "", err
	}
	if !s.file.IsZero() {
		if value, there, err := s.inFile(ctx, name); there || err != nil {
			return value, err
		}
	}
	value, err := unlocking(ctx, s, func(ctx context.Context) (string, error) { return s.get(ctx, name) })
	return value, s.without(err)
}

// Delete removes a name with its value, or returns ErrNotFound. See ErrLater for a keychain that can't be used now.
func (s Store) Delete(ctx context.Context, name string) error {
	if err := secretname.Check(name); err != nil {
		return err
	}
	if !s.file.IsZero() {
		return s.displace(ctx, name)
	}
	_, err := unlocking(ctx, s, func(ctx context.Context) (none, error) { return none{}, s.delete(ctx, name) })
	return err
}

// List returns the names, sorted. If the keychain can't be listed, it returns the error and the names that it knows of.
func (s Store) List(ctx context.Context) (names []string, err error) {
	entries, err := s.Entries(ctx)
	for _, entry := range entries {
		names = append(names, entry.Name)
	}
	return names, err
}

// listed are the names in the keychain, sorted.
func (s Store) listed(ctx context.Context) ([]string, error) {
	names, err := unlocking(ctx, s, s.list)
	names = slices.DeleteFunc(names, func(name string) bool { return secretname.Check(name) != nil }) // something else wrote these
	slices.Sort(names)
	return slices.Compact(names), err
}

type none struct{}

// unlocking calls f, and once more after a person has unlocked the keychain.
func unlocking[T any](ctx context.Context, s Store, f func(context.Context) (T, error)) (T, error) {
	value, err := within(ctx, patience, f)
	if !s.person || !errors.Is(err, ErrLocked) {
		return value, err
	}
	_, err = within(ctx, personPatience, func(ctx context.Context) (none, error) { return none{}, s.unlock(ctx) })
	switch {
	case errors.Is(err, ErrSilent):
		return value, fmt.Errorf("%w (its dialog was not answered within %s)", ErrLocked, personPatience)
	case err != nil:
		return value, err
	}
	return within(ctx, patience, f)
}

// within runs f for at most d. f may stay behind a keychain that never answers; its context has ended then.
func within[T any](ctx context.Context, d time.Duration, f func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var nothing T
	if os.Getenv(Variable) == "off" {
		return nothing, ErrOff
	}
	if err := ctx.Err(); err != nil {
		return nothing, err
	}
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	ended := make(chan outcome, 1)
	go func() {
		value, err := f(limited)
		ended <- outcome{value, err}
	}()
	select {
	case o := <-ended:
		if o.err == nil || limited.Err() == nil {
			return o.value, o.err
		}
	case <-limited.Done():
	}
	if err := ctx.Err(); err != nil { // the caller gave up, or had less patience
		if errors.Is(err, context.DeadlineExceeded) {
			err = ErrSilent
		}
		return nothing, err
	}
	return nothing, ErrSilent
}
