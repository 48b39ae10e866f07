package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
	"github.com/sallyport/sallyport/proxy/launch"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport"
)

// Secrets of a local server. A variable whose whole value is keychain:NAME stands for what is stored under that name: the server gets the value, and
// the client's file, which has the variable in the entry's env, never does. No argument, record or log has it either.

// secretVariables are the variables of an environment that name a secret: the variable to the name.
func secretVariables(environ []string) map[string]string {
	var found map[string]string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if secret, is := secretname.In(value); is && name != "" {
			if found == nil {
				found = map[string]string{}
			}
			found[name] = secret
		}
	}
	return found
}

// withSecrets is an environment with the values of the secrets that it names, nil if it names none, and those values. The keychain is asked only if
// one is named. An error names a variable and its secret.
func withSecrets(ctx context.Context, environ []string) (env, values []string, err error) {
	if len(secretVariables(environ)) == 0 {
		return nil, nil, nil
	}
	got := map[string]string{}
	env = slices.Clone(environ)
	for i, entry := range env {
		variable, text, _ := strings.Cut(entry, "=")
		name, is := secretname.In(text)
		if !is || variable == "" {
			continue
		}
		if strings.EqualFold(variable, "PATH") || launch.IsLoader(variable) || pin.IsHome(variable) { // what runs is known by its text, before the start
			return nil, nil, fmt.Errorf("the variable %s decides which code runs, so it can't be filled in with a secret", variable)
		}
		if got[name] == "" {
			if got[name], err = storedSecretOf(ctx, name); err != nil {
				return nil, nil, fmt.Errorf("the variable %s: %w", variable, err)
			}
			values = append(values, got[name])
		}
		env[i] = variable + "=" + got[name]
	}
	return env, values, nil
}

// storedSecretOf is the value that a wrapper uses for its server. A guarded server that starts a wrapper of its own gets none (secretStore).
func storedSecretOf(ctx context.Context, name string) (string, error) {
	store, _, err := secretStore()
	if err != nil {
		return "", err
	}
	ref, err := keychain.ParseRef(secretname.Text(name))
	if err != nil {
		return "", err
	}
	return ref.Resolve(ctx, store, os.Getenv)
}

// ownSecrets is withSecrets for the environment of this wrapper.
func ownSecrets(ctx context.Context) (env, values []string, err error) {
	if len(secretVariables(os.Environ())) == 0 { // the usual case: nothing is copied
		return nil, nil, nil
	}
	return withSecrets(ctx, transport.Environ())
}

// masked are what is masked in the server's log: the secrets that it gets, and those of its environment. A shorter one is a word of any log.
func masked(secrets, environ []string) []string {
	all := slices.DeleteFunc(slices.Clone(secrets), func(value string) bool { return len(value) < minSecret })
	for _, value := range secretsOf(environ) {
		if _, names := secretname.In(value); !names {
			all = append(all, value)
		}
	}
	return all[:min(len(all), maxSecrets)]
}
