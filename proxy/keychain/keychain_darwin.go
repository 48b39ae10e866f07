package keychain

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Without cgo, the Keychain is reached through the system's own program. It has never run here: see docs/platforms.md.
const security = "/usr/bin/security"

// maxEntry is what one entry holds, in bytes. security reads lines of at most 4,096 bytes, and would take the rest of a longer one for another
// command.
const maxEntry = MaxValue

const whatHelps = "on macOS it needs a default keychain"

// The entry's value is base64, because security prints a value with other than plain letters in another form.

func (s Store) account(name string) string { return s.kind + "." + name }

func (s Store) service() string { return "sallyport." + s.home }

func (s Store) state(ctx context.Context) error {
	_, err := runSecurity(ctx, "", "default-keychain", "-d", "user")
	return err
}

// set gives the value on standard input, since everybody can read a program's arguments. security reports no failure from there, so the
// value is read back.
func (s Store) set(ctx context.Context, name, value string) error {
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	line := fmt.Sprintf("add-generic-password -U -s %s -a %s -w %s\n", s.service(), s.account(name), encoded)
	if _, err := runSecurity(ctx, line, "-i"); err != nil {
		return err
	}
	if got, err := s.get(ctx, name); err != nil || got != value {
		return errors.Join(ErrRefused, err)
	}
	return nil
}

func (s Store) get(ctx context.Context, name string) (string, error) {
	out, err := runSecurity(ctx, "", "find-generic-password", "-s", s.service(), "-a", s.account(name), "-w")
	if err != nil {
		return "", err
	}
	value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
	if err != nil {
		return "", fmt.Errorf("%w: something else wrote this entry", ErrRefused)
	}
	return string(value), nil
}

func (s Store) delete(ctx context.Context, name string) error {
	_, err := runSecurity(ctx, "", "delete-generic-password", "-s", s.service(), "-a", s.account(name))
	return err
}

func (s Store) list(ctx context.Context) ([]string, error) {
	out, err := runSecurity(ctx, "", "dump-keychain") // without -d it prints no value
	if err != nil {
		return nil, err
	}
	return accountsIn(out, s.service(), s.account("")), nil
}

// unlock has nothing to do: the system shows its own dialog.
func (Store) unlock(context.Context) error { return ErrLocked }

func runSecurity(ctx context.Context, input string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, security, args...)
	command.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	command.Stdout = &out
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.As(err, &exit):
		return nil, ErrAbsent
	}
	return nil, exitMeans(exit.ExitCode())
}
