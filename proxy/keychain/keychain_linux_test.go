package keychain

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

// calls are all the calls of a store.
var calls = map[string]func(Store, context.Context) error{
	"State": func(s Store, ctx context.Context) error { return s.State(ctx) },
	"Set":   func(s Store, ctx context.Context) error { return s.Set(ctx, "key", "value") },
	"Get":   func(s Store, ctx context.Context) error { _, err := s.Get(ctx, "key"); return err },
	"Delete": func(s Store, ctx context.Context) error {
		return s.Delete(ctx, "key")
	},
	"List": func(s Store, ctx context.Context) error { _, err := s.List(ctx); return err },
}

func TestAValueIsKeptUntilItIsReplacedOrDeleted(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	ctx, s := t.Context(), Secrets(homeOf(t))
	if err := s.State(ctx); err != nil {
		t.Fatalf("an unlocked keyring: %v", err)
	}
	if _, err := s.Get(ctx, "openai"); !errors.Is(err, ErrNotFound) {
		t.Errorf("before it was stored: %v", err)
	}
	if err := s.Delete(ctx, "openai"); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete what is not there: %v", err)
	}
	if names, err := s.List(ctx); err != nil || len(names) != 0 {
		t.Errorf("an empty list: %q, %v", names, err)
	}
	for _, value := range []string{"first", "sk-ÄÖ \" ' $(x) %s", strings.Repeat("x", MaxValue)} {
		if err := s.Set(ctx, "openai", value); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "openai"); err != nil || got != value {
			t.Errorf("got %q, %v; want %q", got, err, value)
		}
		if all := bus.Values(); len(all) != 1 || all[0] != value {
			t.Errorf("the keyring has %d entries after a value was replaced", len(all))
		}
	}
	if err := s.Set(ctx, "Another.name_2", "x"); err != nil {
		t.Fatal(err)
	}
	if names, err := s.List(ctx); err != nil || !slices.Equal(names, []string{"Another.name_2", "openai"}) {
		t.Errorf("listed %q, %v", names, err)
	}
	if err := s.Delete(ctx, "openai"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "openai"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
}

func TestAnotherHomeAndTheHubsOwnEntriesAreApart(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	ctx := t.Context()
	a := homeOf(t)
	all := map[string]Store{"a person's": Secrets(a), "another home's": Secrets(homeOf(t)), "the hub's": Seals(a), "a sign-in's": Tokens(a)}
	for who, s := range all {
		if err := s.Set(ctx, "name", who); err != nil {
			t.Fatal(err)
		}
	}
	for who, s := range all {
		if got, err := s.Get(ctx, "name"); err != nil || got != who {
			t.Errorf("%s value is %q, %v", who, got, err)
		}
	}
	if err := all["a person's"].Delete(ctx, "name"); err != nil {
		t.Fatal(err)
	}
	for who, s := range all {
		if names, err := s.List(ctx); err != nil || len(names) != 1 && who != "a person's" {
			t.Errorf("%s names are %q, %v", who, names, err)
		}
	}
}

// What goes nowhere else meets a keychain that can't be used with an error that names it as what it is, in every call.
func TestEveryStateOfTheKeychainHasItsOwnError(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		want error
	}{
		{"no variable names a bus", func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
		}, ErrAbsent},
		{"the bus is gone", func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "bus"))
		}, ErrAbsent},
		{"the bus is on the network", func(t *testing.T) { t.Setenv("DBUS_SESSION_BUS_ADDRESS", "tcp:host=127.0.0.1,port=1") }, ErrAbsent},
		{"nothing on the bus", func(t *testing.T) { ring.StartBus(t, "") }, ErrAbsent},
		{"the keyring ended", func(t *testing.T) { ring.StartBus(t, "").Keyring()() }, ErrAbsent},
		{"locked", func(t *testing.T) {
			bus := ring.StartBus(t, "")
			bus.Keyring()
			if err := Seals("/x").Set(t.Context(), "key", "value"); err != nil {
				t.Fatal(err)
			}
			bus.Lock()
		}, ErrLocked},
		{"locked, and never used before", func(t *testing.T) {
			bus := ring.StartBus(t, "")
			bus.Keyring()
			bus.Lock()
		}, ErrLocked},
		{"the bus refuses", func(t *testing.T) { ring.StartBus(t, ring.Refusing).Silent() }, ErrRefused},
		{"turned off", func(t *testing.T) {
			ring.StartBus(t, "").Keyring()
			t.Setenv(Variable, "off")
		}, ErrOff},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(Variable, "")
			c.make(t)
			for name, call := range calls {
				if err := call(Seals("/x"), t.Context()); !errors.Is(err, c.want) {
					t.Errorf("%s: %v; want %v", name, err, c.want)
				}
			}
		})
	}
}

func TestASilentKeychainIsWaitedForTwoSecondsAtMost(t *testing.T) {
	asked := ring.StartBus(t, "").Silent()
	ended := make(chan error, len(calls))
	for name, call := range calls {
		go func() { ended <- fmt.Errorf("%s: %w", name, call(Seals("/x"), context.Background())) }()
	}
	for range calls {
		if err := <-ended; !errors.Is(err, ErrSilent) { // it would wait for ever without patience
			t.Error(err)
		}
		<-asked
	}
}

func TestASilentBusIsWaitedForTwoSecondsAtMost(t *testing.T) {
	folder, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	listener := listen(t, filepath.Join(folder, "bus"))
	defer listener.Close()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", folder)
	t.Setenv(Variable, "")
	if err := Seals("/x").Set(t.Context(), "key", "value"); !errors.Is(err, ErrSilent) {
		t.Errorf("a bus that takes connections and says nothing: %v", err)
	}
}

func TestACallerCanHaveLessPatience(t *testing.T) {
	ring.StartBus(t, "").Silent()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Secrets(homeOf(t)).Get(ctx, "key"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gave up: %v", err)
	}
}

// A hub that has no person beside it must never make the system show a dialog: a server could time it to get a password typed.
func TestALockedKeychainShowsADialogOnlyToAPersonWhoWaits(t *testing.T) {
	bus := ring.StartBus(t, "")
	locked := bus.Locked()
	for name, call := range calls {
		if err := call(Seals("/x"), t.Context()); !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := locked.Shown(); n != 0 {
		t.Fatalf("%d dialogs were shown although nobody waits", n)
	}
	s := Seals("/x").WithPerson()
	locked.Dismiss(true)
	if err := s.Set(t.Context(), "key", "value"); !errors.Is(err, ErrRefused) || locked.Shown() != 1 {
		t.Errorf("after the dialog was closed: %v, shown %d times", err, locked.Shown())
	}
	locked.Dismiss(false)
	if names, err := s.List(t.Context()); err != nil || len(names) != 0 || locked.Shown() != 2 {
		t.Errorf("after the dialog was answered: %q, %v, shown %d times", names, err, locked.Shown())
	}
}

func TestAKeyringThatIsAwayForAMomentIsLookedForAgain(t *testing.T) {
	bus := ring.StartBus(t, "")
	locked := bus.Locked()
	s := Seals("/x")
	for name, call := range calls {
		locked.Away(tries - 1)
		if err := call(s, t.Context()); !errors.Is(err, ErrLocked) {
			t.Errorf("%s, back again: %v", name, err)
		}
		locked.Away(tries)
		if err := call(s, t.Context()); !errors.Is(err, ErrRefused) {
			t.Errorf("%s, away for good: %v", name, err)
		}
	}
}

func TestAnEntryOfTheKeychainIsFoundByItsReference(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	secrets := Secrets(homeOf(t))
	ref, err := ParseRef("keychain:openai")
	if err != nil {
		t.Fatal(err)
	}
	resolve := func() (string, error) { return ref.Resolve(t.Context(), secrets, os.Getenv) }
	if value, err := resolve(); value != "" || !errors.Is(err, ErrNotFound) || !strings.HasSuffix(err.Error(), "sallyport secret set openai") {
		t.Errorf("an entry that is missing: %v", err)
	}
	if err := secrets.Set(t.Context(), "openai", "sk-1"); err != nil {
		t.Fatal(err)
	}
	if value, err := resolve(); value != "sk-1" || err != nil {
		t.Errorf("got %q, %v", value, err)
	}
	bus.Lock()
	if value, err := resolve(); value != "" || !errors.Is(err, ErrLocked) || !strings.HasPrefix(err.Error(), "keychain:openai: ") {
		t.Errorf("a locked keychain: %v", err)
	}
}

// homeOf is a home that does not exist yet.
func homeOf(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "home")
}

func listen(t *testing.T, path string) net.Listener {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}
