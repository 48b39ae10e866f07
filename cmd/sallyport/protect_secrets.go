package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// What an extension asks for and marks as a secret. The person types it, it is kept as any secret is, and the entry has keychain:NAME in its place.

// typedSecrets are secrets that were stored for a conversion. If that fails, they go again.
type typedSecrets struct {
	store keychain.Store
	names []string
}

func (t typedSecrets) takeBack(ctx context.Context) {
	for _, name := range t.names {
		_ = t.store.Delete(context.WithoutCancel(ctx), name)
	}
}

// secrets adds to a request what stands for the secrets of the extension, and asks for those that are not stored. Nothing is asked that would be in
// vain.
func (c protectCommand) secrets(ctx context.Context, s streams, ask *control.Protect) (typed typedSecrets, code int, err error) {
	wanted, given, err := clientconfig.SecretsOf(clientconfig.ThisSystem(), c.Convert, setOf(c.Set))
	if err != nil || len(wanted)+len(given) == 0 {
		return typed, exitFine, nil // the request says what is wrong
	}
	if typed.store, code, err = secretStore(); err != nil {
		return typed, code, err
	}
	for _, name := range given {
		if _, err := withPerson(s, typed.store).Place(ctx, name); errors.Is(err, keychain.ErrNotFound) {
			return typed, exitFailed, fmt.Errorf("%s is not stored: sallyport secret set %s", name, name)
		} else if err != nil {
			return typed, exitFailed, fmt.Errorf("%s: %w", name, err)
		}
	}
	names := map[string]string{}
	for _, key := range wanted {
		names[key] = secretNameOf(c.Convert, key)
		ask.Set = append(ask.Set, key+"="+secretname.Text(names[key]))
	}
	if len(wanted) == 0 || ask.DryRun {
		return typed, exitFine, nil
	}
	if !interactive(s) {
		name := names[wanted[0]]
		return typed, exitUsage, fmt.Errorf("user_config %[1]s is a secret, and there is no terminal to type it on; store it with sallyport secret set %[2]s, then use --set %[1]s=keychain:%[2]s", wanted[0], name)
	}
	if _, err := protectAlone(*ask); err != nil {
		return typed, codeOf(err), err
	}
	for _, key := range wanted {
		if _, err := withPerson(s, typed.store).Place(ctx, names[key]); err == nil {
			return typed, exitFailed, fmt.Errorf("%[1]s is already stored: use it with --set %[2]s=keychain:%[1]s, or delete it first, with sallyport secret delete %[1]s", names[key], key)
		}
	}
	for _, key := range wanted {
		name := names[key]
		value, err := secretValue(ctx, s, "user_config "+key)
		if err == nil {
			err = keychain.CheckValue(value)
		}
		if err == nil {
			err = typed.store.Set(ctx, name, value)
		}
		if err != nil {
			typed.takeBack(ctx)
			return typed, exitFailed, err
		}
		typed.names = append(typed.names, name)
	}
	return typed, exitFine, nil
}

// say names what was stored.
func (t typedSecrets) say(s streams) {
	p := newPage(s)
	for _, name := range t.names {
		p.Printf("Stored. The entry names it as keychain:%s\n", name)
	}
}

// setOf are the values of --set. One that is no KEY=VALUE is for the request to refuse.
func setOf(all []string) map[string]string {
	given := map[string]string{}
	for _, one := range all {
		key, value, _ := strings.Cut(one, "=")
		given[key] = value
	}
	return given
}

// secretNameOf is the name under which a value of an extension is stored.
func secretNameOf(id, key string) string {
	whole := "extension." + id + "." + key
	name := strings.Map(func(r rune) rune {
		if secretname.Check("x"+string(r)) != nil {
			return '_'
		}
		return r
	}, whole)
	if name != whole || secretname.Check(name) != nil { // two of them could become the same
		sum := sha256.Sum256([]byte(whole))
		name = name[:min(len(name), 55)] + "-" + hex.EncodeToString(sum[:4])
	}
	return name
}
