package main

import (
	"errors"
	"os"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

var errSecretsInside = errors.New("a program inside a guarded server can't use your secrets: run this in a terminal of your own")

// secretStore is what this home has of a person's secrets.
func secretStore() (keychain.Store, int, error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return keychain.Store{}, exitFailed, err
	}
	if control.StartedInside() {
		return keychain.Store{}, exitPerson, errSecretsInside
	}
	return keychain.Secrets(home.Dir), exitFine, nil
}

// withPerson is the same store for a person at a terminal: the system may show its dialog.
func withPerson(s streams, store keychain.Store) keychain.Store {
	if f, ok := s.err.(*os.File); ok && terminal.Is(f) {
		return store.WithPerson()
	}
	return store
}
