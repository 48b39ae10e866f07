package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

type secretCommand struct {
	Set    secretSetCommand    `cmd:"" three:"not done: a program inside a guarded server can't use your secrets" help:"Store a key or password under a name. Settings then name it as keychain:NAME. The value is typed, without showing it, or read from standard input; it is never an argument."`
	List   secretListCommand   `cmd:"" three:"not done: a program inside a guarded server can't use your secrets" help:"List the names of what you stored. Values are never shown."`
	Delete secretDeleteCommand `cmd:"" three:"not done: a program inside a guarded server can't use your secrets" help:"Delete a stored value."`
}

// errSecretUsage replaces every error about how a secret command was typed: what was typed may be the value.
var errSecretUsage = errors.New("it takes a name and nothing else; the value is typed when you are asked, or piped in, because other programs can read a command line")

var errSecretsInside = errors.New("a program inside a guarded server can't use your secrets: run this in a terminal of your own")

// secretStore is what this home has in the keychain. The system may show its dialog if a person sits at the terminal.
func secretStore(s streams) (keychain.Store, int, error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return keychain.Store{}, exitFailed, err
	}
	if control.StartedInside() {
		return keychain.Store{}, exitPerson, errSecretsInside
	}
	store := keychain.Secrets(home.Dir)
	if f, ok := s.err.(*os.File); ok && terminal.Is(f) {
		store = store.WithPerson()
	}
	return store, exitFine, nil
}

type secretSetCommand struct {
	Name string `arg:"" help:"Name, such as openai: letters, digits, dots, underscores and hyphens, at most 64."`
}

func (c secretSetCommand) check() error { return keychain.CheckName(c.Name) }

func (c secretSetCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore(s)
	if err != nil {
		return code, err
	}
	// Look first, so that nobody types a value for nothing. A locked keychain is unlocked when the value is stored.
	if _, err := store.Target(ctx); err != nil {
		return exitFailed, err
	}
	value, err := secretValue(ctx, s, c.Name)
	if err != nil {
		return exitFailed, err
	}
	if err := keychain.CheckValue(value); err != nil {
		return exitUsage, err
	}
	if err := store.Set(ctx, c.Name, value); err != nil {
		return exitFailed, err
	}
	s.did("it was stored")
	p := newPage(s)
	p.Printf("Stored. Settings can name it as keychain:%s\n", c.Name)
	c.sayWhere(ctx, store, p)
	return exitFine, nil
}

// sayWhere says that the value is in the file, and why.
func (c secretSetCommand) sayWhere(ctx context.Context, store keychain.Store, p *page) {
	if place, err := store.Place(ctx, c.Name); err != nil || place != keychain.InFile {
		return
	}
	target, err := store.Target(ctx)
	if err != nil || target.Why == nil { // the keychain can be used since a moment ago: the next call moves it
		return
	}
	p.Printf("It is in %s, because %s. It moves to the keychain once that can be used.\n", terminal.Text(target.File), target.Reason())
}

// secretValue reads a line from the terminal without showing it, or else all of standard input, without the line break at its end.
func secretValue(ctx context.Context, s streams, name string) (value string, err error) {
	if f, ok := s.in.(*os.File); ok && terminal.Is(f) {
		show, err := terminal.Hide(f)
		if err != nil {
			return "", fmt.Errorf("this terminal would show the value (%w): pipe it in instead", err)
		}
		fmt.Fprintf(s.err, "Value of %s (not shown): ", name)
		value, err = readLine(ctx, s)
		show()
		fmt.Fprintln(s.err)
		if err != nil {
			return "", errors.New("nothing was stored")
		}
		return strings.TrimRight(value, "\r\n"), nil
	}
	type read struct {
		raw []byte
		err error
	}
	got := make(chan read, 1)
	go func() {
		raw, err := io.ReadAll(io.LimitReader(s.in, keychain.MaxValue+3)) // a line break, and one byte that makes it too long
		got <- read{raw, err}
	}()
	select {
	case <-ctx.Done():
		return "", errors.New("nothing was stored")
	case r := <-got:
		return strings.TrimSuffix(strings.TrimSuffix(string(r.raw), "\n"), "\r"), r.err
	}
}

type secretListCommand struct{ jsonFlag }

// storedSecret is a secret as far as it is ever shown.
type storedSecret struct {
	Name string `json:"name"`
}

func (c secretListCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore(s)
	if err != nil {
		return code, err
	}
	names, err := store.List(ctx)
	if err != nil {
		return exitFailed, err
	}
	var stored []storedSecret
	for _, name := range names {
		stored = append(stored, storedSecret{name})
	}
	return exitFine, c.print(s, listOf(stored), func(p *page) {
		for _, secret := range stored {
			p.Printf("%s\n", terminal.Text(secret.Name))
		}
		if len(stored) == 0 {
			p.Printf("No secrets. To store one: sallyport secret set NAME\n")
		}
	})
}

type secretDeleteCommand struct {
	Name string `arg:"" help:"Name of the secret."`
}

func (c secretDeleteCommand) check() error { return keychain.CheckName(c.Name) }

func (c secretDeleteCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore(s)
	if err != nil {
		return code, err
	}
	err = store.Delete(ctx, c.Name)
	if errors.Is(err, keychain.ErrNotFound) {
		return exitFailed, fmt.Errorf("%s is not stored; \"sallyport secret list\" shows what is", c.Name)
	}
	if err != nil && !errors.Is(err, keychain.ErrLater) {
		return exitFailed, err
	}
	s.did("it was deleted")
	p := newPage(s)
	p.Printf("Deleted. What names keychain:%s doesn't work any more.\n", c.Name)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), ":")
		p.Printf("Because %s, it may still have the value. It is deleted there once the keychain can be used.\n", reason)
	}
	return exitFine, nil
}
