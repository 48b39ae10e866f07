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
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

type secretCommand struct {
	Set    secretSetCommand    `cmd:"" three:"not done: this hub takes no decision to replace a value from here, or a program inside a guarded server asks" help:"Store a key or password under a name. Settings then name it as keychain:NAME. The value is typed, without showing it, or read from standard input; it is never an argument. Asks before replacing a value."`
	List   secretListCommand   `cmd:"" three:"not done: a program inside a guarded server can't use your secrets" help:"List the names of what you stored, where each value is kept, and what uses it. Values are never shown."`
	Delete secretDeleteCommand `cmd:"" three:"not done: a program inside a guarded server can't use your secrets" help:"Delete a stored value."`
}

// errSecretUsage replaces every error about how a secret command was typed: what was typed may be the value.
var errSecretUsage = errors.New("it takes a name and nothing else; the value is typed when you are asked, or piped in, because other programs can read a command line")

type secretSetCommand struct {
	Name string `arg:"" help:"Name, such as openai: letters, digits, dots, underscores and hyphens, at most 64."`
	Yes  bool   `help:"Answer yes to the question whether to replace a value."`
}

func (c secretSetCommand) check() error { return secretname.Check(c.Name) }

func (c secretSetCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore()
	if err != nil {
		return code, err
	}
	// Look first, so that nobody types a value for nothing.
	if _, err := store.Target(ctx); err != nil {
		return exitFailed, err
	}
	// A locked keychain that a person doesn't unlock now can't say whether it has a value. Then the new one is stored in the file, and counts:
	// the person may be where no dialog can be shown.
	_, err = withPerson(s, store).Place(ctx, c.Name)
	replaces := err == nil
	if replaces {
		if code, err := c.mayReplace(ctx, s); err != nil {
			return code, err
		}
	}
	value, err := secretValue(ctx, s, c.Name)
	if err != nil {
		return exitFailed, err
	}
	if err := keychain.CheckValue(value); err != nil {
		return exitUsage, err
	}
	if replaces {
		if err := c.replace(ctx); err != nil {
			return codeOf(err), err
		}
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

// mayReplace asks the person whether to replace a value, or says why they can't do that here.
func (c secretSetCommand) mayReplace(ctx context.Context, s streams) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, c.instead(err, false)
	}
	defer hub.Close()
	switch {
	case !hub.Welcome().CLIApproval:
		_, err := control.AskReplaceSecret(ctx, hub, c.Name)
		return codeOf(err), c.instead(err, hub.Welcome().Window)
	case c.Yes:
		return exitFine, nil
	case !interactive(s):
		return exitUsage, fmt.Errorf("%s is already stored, and there is no terminal to ask on; use --yes if you want to replace it", c.Name)
	}
	if err := answered(ctx, s, fmt.Sprintf("%s is already stored. Replace its value? [y/N] ", c.Name), "y"); err != nil {
		return exitFailed, errors.New("nothing was stored")
	}
	return exitFine, nil
}

// instead says what a person can do where this command can't decide. A value that was deleted is not replaced.
func (c secretSetCommand) instead(err error, window bool) error {
	switch {
	case err == nil:
		return errors.New("the hub took the decision although it said it wouldn't; please report this")
	case hubError(err, control.CodeNotHere) && window:
		return fmt.Errorf("%s is already stored; replace its value in the window: Settings, Keys and passwords", c.Name)
	case hubError(err, control.CodeNotHere):
		return fmt.Errorf("%[1]s is already stored, and this hub takes no decision to replace it from the command line. Deleting it needs none: sallyport secret delete %[1]s, then sallyport secret set %[1]s", c.Name)
	}
	return fmt.Errorf("%[1]s is already stored, and replacing it is a decision: %[2]w. Deleting it needs none: sallyport secret delete %[1]s, then sallyport secret set %[1]s", c.Name, err)
}

// replace makes the decision, so that the activity log has it.
func (c secretSetCommand) replace(ctx context.Context) error {
	hub, err := dial(ctx)
	if err != nil {
		return c.instead(err, false)
	}
	defer hub.Close()
	_, err = control.AskReplaceSecret(ctx, hub, c.Name)
	return err
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

type secretDeleteCommand struct {
	Name string `arg:"" help:"Name of the secret."`
}

func (c secretDeleteCommand) check() error { return secretname.Check(c.Name) }

func (c secretDeleteCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore()
	if err != nil {
		return code, err
	}
	err = withPerson(s, store).Delete(ctx, c.Name)
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
		p.Printf("Because %s, it may still have the value. It is deleted there once the keychain can be used.\n", keychain.Reason(err))
	}
	return exitFine, nil
}
