package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/ring"
	"github.com/sallyport/sallyport/proxy/keychain/sealed"
)

func TestAHubMovesWhatIsInTheFileToTheKeychain(t *testing.T) {
	bus := ring.StartBus(t, "")
	home := newHome(t)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]keychain.Store{"openai": keychain.Secrets(home.Dir), "server": keychain.Tokens(home.Dir)} {
		if err := store.Set(t.Context(), name, "value of "+name); err != nil {
			t.Fatal(err)
		}
	}
	inFile := func() bool {
		_, err := os.Lstat(filepath.Join(home.Dir, sealed.Name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	end := bus.Keyring()
	bus.Lock()
	p := witnessed(t, home)
	p.close()
	if !inFile() {
		t.Error("a locked keychain took the values")
	}
	bus.Unlock()
	p = open(t, home, nil)
	p.close()
	if !inFile() {
		t.Error("a hub that has no keychain moved the values")
	}
	p = witnessed(t, home)
	eventually(t, "the file is gone", func() bool { return !inFile() })
	for _, want := range []string{"value of openai", "value of server"} {
		if !slices.Contains(bus.Values(), want) {
			t.Errorf("the keychain lacks the %s", want)
		}
	}
	if value, err := keychain.Secrets(home.Dir).Get(t.Context(), "openai"); err != nil || value != "value of openai" {
		t.Errorf("%q, %v", value, err)
	}
	p.close()
	end()
}
