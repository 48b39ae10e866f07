package keychain

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain/ring"
	"github.com/sallyport/sallyport/proxy/keychain/sealed"
)

// isIn fails the test unless the value of a name is what and where it says. An empty place means nowhere.
func (s Store) isIn(t *testing.T, where Place, name, value string) {
	t.Helper()
	place, err := s.Place(t.Context(), name)
	if place != where || (err == nil) != (where != "") || err != nil && !errors.Is(err, ErrNotFound) {
		t.Errorf("%s is in %q, %v; want %q", name, place, err, where)
	}
	if where == "" {
		return
	}
	if got, err := s.Get(t.Context(), name); err != nil || got != value {
		t.Errorf("%s is %q, %v; want %q", name, got, err, value)
	}
}

func (s Store) sets(t *testing.T, name, value string) {
	t.Helper()
	if err := s.Set(t.Context(), name, value); err != nil {
		t.Fatal(err)
	}
}

// moves moves everything; on a busy machine that takes more than one attempt.
func (s Store) moves(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(ring.Enough); ; {
		left, err := s.Move(t.Context())
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%d values stay in the file: %v", left, err)
		}
		if left == 0 {
			return
		}
	}
}

// noFile fails the test if the home has a sealed file or its key.
func noFile(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{sealed.Name, "secrets.key"} {
		if _, err := os.Lstat(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// Every way in which a keychain can't be used, and what the store says of it.
func TestWithoutAKeychainThatCanBeUsedAValueIsInTheFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		why  error
		none bool // there is no keychain, so a name that is not in the file is not stored
	}{
		{"nothing on the bus", func(t *testing.T) { ring.StartBus(t, "") }, ErrAbsent, true},
		{"turned off", func(t *testing.T) { t.Setenv(Variable, "off") }, ErrOff, true},
		{"locked", func(t *testing.T) { bus := ring.StartBus(t, ""); bus.Keyring(); bus.Lock() }, ErrLocked, false},
		{"refused", func(t *testing.T) { ring.StartBus(t, ring.Refusing).Silent() }, ErrRefused, false},
	} {
		for kind, store := range map[string]func(string) Store{"secrets": Secrets, "tokens": Tokens} {
			t.Run(kind+", "+c.name, func(t *testing.T) {
				c.make(t)
				ctx, home := t.Context(), homeOf(t)
				s := store(home)
				want := ErrNotFound
				if !c.none {
					want = c.why
				}
				if _, err := s.Get(ctx, "openai"); !errors.Is(err, want) || !errors.Is(err, c.why) || errors.Is(err, ErrNotFound) != c.none {
					t.Errorf("a name that was never stored: %v", err)
				}
				if target, err := s.Target(ctx); err != nil || target.Place != InFile || !errors.Is(target.Why, c.why) || target.File != filepath.Join(home, "secrets.sealed") {
					t.Errorf("a new value would go to %+v, %v", target, err)
				}
				s.sets(t, "openai", "sk-1")
				s.sets(t, "openai", "sk-2")
				s.sets(t, "other", "x")
				s.isIn(t, InFile, "openai", "sk-2")
				entries, err := s.Entries(ctx)
				if !slices.Equal(entries, []Entry{{"openai", InFile}, {"other", InFile}}) || c.none && err != nil || !c.none && !errors.Is(err, c.why) {
					t.Errorf("listed %v, %v", entries, err)
				}
				if left, err := s.Move(ctx); left != 2 || err != nil {
					t.Errorf("%d values stay, %v", left, err)
				}
				err = s.Delete(ctx, "openai")
				if c.none && err != nil || !c.none && (!errors.Is(err, ErrLater) || !errors.Is(err, c.why)) {
					t.Errorf("delete: %v", err)
				}
				if _, err := s.Get(ctx, "openai"); !errors.Is(err, ErrNotFound) {
					t.Errorf("after it was deleted: %v", err)
				}
				if names, _ := s.List(ctx); !slices.Equal(names, []string{"other"}) {
					t.Errorf("after it was deleted: %q", names)
				}
				if err := s.Delete(ctx, "openai"); c.none && !errors.Is(err, ErrNotFound) {
					t.Errorf("delete it again: %v", err)
				}
			})
		}
	}
}

// Each call waits two seconds for it, so there are fewer of them.
func TestWhileTheKeychainIsSilentAValueIsInTheFile(t *testing.T) {
	ring.StartBus(t, "").Silent()
	s := Tokens(homeOf(t))
	s.sets(t, "login", "refresh 1")
	s.isIn(t, InFile, "login", "refresh 1")
	if _, err := s.Get(t.Context(), "other"); !errors.Is(err, ErrSilent) || errors.Is(err, ErrNotFound) {
		t.Errorf("a name that is not in the file: %v", err)
	}
	if err := s.Delete(t.Context(), "login"); !errors.Is(err, ErrLater) || !errors.Is(err, ErrSilent) {
		t.Errorf("delete: %v", err)
	}
	s.isIn(t, "", "login", "")
}

func TestTheHubsSealsAreNeverInTheFile(t *testing.T) {
	t.Setenv(Variable, "off")
	home := homeOf(t)
	s := Seals(home)
	for name, call := range calls {
		if err := call(s, t.Context()); !errors.Is(err, ErrOff) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the home was made: %v", err)
	}
}

func TestNothingOfANameOrValueIsReadableInTheHome(t *testing.T) {
	t.Setenv(Variable, "off")
	home := homeOf(t)
	texts := []string{"sk-live-0123456789abcdef", "name.of-the_key", "eyJhbGciOi.refresh.token", "login.example.com"}
	Secrets(home).sets(t, texts[1], texts[0])
	Tokens(home).sets(t, texts[3], texts[2])
	if err := Secrets(home).Delete(t.Context(), texts[1]); err != nil {
		t.Fatal(err)
	}
	looked := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		looked++
		for _, text := range texts {
			for form, look := range forms(text) {
				if bytes.Contains(raw, []byte(look)) {
					t.Errorf("%s has %s in it (%s)", path, text, form)
				}
			}
		}
		return err
	})
	if err != nil || looked < 3 {
		t.Errorf("looked at %d files, %v", looked, err)
	}
}

// forms are the ways a text would be found in a file: as it is, in hex, and in base64 from each of the three places where a letter can start.
func forms(text string) map[string]string {
	found := map[string]string{"plain": text, "hex": hex.EncodeToString([]byte(text)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(text)))}
	for shift := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"std": base64.RawStdEncoding, "url": base64.RawURLEncoding} {
			all := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + text))
			found[fmt.Sprint("base64 ", name, shift)] = all[4 : len(all)-4]
		}
	}
	return found
}

func TestAValueMovesOnceTheKeychainCanBeUsedAgain(t *testing.T) {
	bus := ring.StartBus(t, "")
	end := bus.Keyring()
	ctx, home := t.Context(), homeOf(t)
	secrets, tokens := Secrets(home), Tokens(home)
	secrets.sets(t, "kept", "in the keychain")
	secrets.sets(t, "replaced", "old")
	secrets.sets(t, "deleted", "old")
	noFile(t, home)

	bus.Lock()
	if _, err := secrets.Get(ctx, "kept"); !errors.Is(err, ErrLocked) || errors.Is(err, ErrNotFound) {
		t.Errorf("a value in a locked keychain: %v", err)
	}
	secrets.sets(t, "replaced", "new")
	tokens.sets(t, "login", "refresh 1")
	tokens.sets(t, "other", "refresh 9")
	if err := secrets.Delete(ctx, "deleted"); !errors.Is(err, ErrLater) || !errors.Is(err, ErrLocked) || strings.Contains(err.Error(), "\n") {
		t.Errorf("delete while it is locked: %v", err)
	}
	secrets.isIn(t, InFile, "replaced", "new")
	if _, err := secrets.Get(ctx, "deleted"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}

	bus.Unlock()
	if got, err := tokens.Get(ctx, "login"); err != nil || got != "refresh 1" {
		t.Errorf("got %q, %v", got, err)
	}
	tokens.isIn(t, InKeychain, "login", "refresh 1") // Get has moved it
	if place, err := tokens.Place(ctx, "other"); place != InFile || err != nil {
		t.Errorf("the other one is in %q, %v", place, err)
	}
	if entries, err := secrets.Entries(ctx); err != nil || !slices.Equal(entries, []Entry{{"kept", InKeychain}, {"replaced", InKeychain}}) {
		t.Errorf("listed %v, %v", entries, err)
	}
	tokens.moves(t)
	noFile(t, home)
	values := bus.Values()
	slices.Sort(values)
	if !slices.Equal(values, []string{"in the keychain", "new", "refresh 1", "refresh 9"}) {
		t.Errorf("the keyring has %q", values)
	}

	end() // and a keyring that comes back has all of it
	tokens.sets(t, "login", "refresh 2")
	tokens.isIn(t, InFile, "login", "refresh 2")
	bus.Keyring()
	tokens.sets(t, "login", "refresh 3")
	tokens.isIn(t, InKeychain, "login", "refresh 3")
	secrets.isIn(t, InKeychain, "replaced", "new")
	noFile(t, home)
	if err := tokens.Delete(ctx, "login"); err != nil {
		t.Error(err)
	}
	tokens.isIn(t, "", "login", "")
}

// Each state that a kill leaves between two steps of a write, a move or a deletion.
func TestWhatAKillLeftInBothPlacesIsNeverTheOlderValue(t *testing.T) {
	for _, c := range []struct {
		name           string
		keychain, file string // "" is none, and "-" in the file says that it was deleted
		value          string
	}{
		{"written to the file and not to the keychain", "old", "new", "new"},
		{"written to both", "new", "new", "new"},
		{"written to the file, where there was none", "", "new", "new"},
		{"deleted in the file and not in the keychain", "old", "-", ""},
		{"deleted in the keychain and not out of the file", "", "-", ""},
	} {
		for _, state := range []string{"usable", "locked"} {
			t.Run(c.name+", "+state, func(t *testing.T) {
				bus := ring.StartBus(t, "")
				bus.Keyring()
				ctx, home := t.Context(), homeOf(t)
				s := Tokens(home)
				if c.keychain != "" {
					s.sets(t, "login", c.keychain)
				}
				if err := s.file.Change(ctx, func(d *sealed.Draft) error {
					return d.Put(s.key("login"), sealed.Entry{Value: strings.TrimPrefix(c.file, "-"), Gone: c.file == "-"})
				}); err != nil {
					t.Fatal(err)
				}
				if state == "locked" {
					bus.Lock()
				}
				check := func() {
					t.Helper()
					got, err := s.Get(ctx, "login")
					if got != c.value || (c.value == "") != errors.Is(err, ErrNotFound) {
						t.Errorf("got %q, %v; want %q", got, err, c.value)
					}
				}
				check()
				if state == "locked" {
					bus.Unlock()
					check()
				}
				noFile(t, home)
				check()
				s.sets(t, "login", "newest")
				s.isIn(t, InKeychain, "login", "newest")
			})
		}
	}
}

func TestALockedKeychainAsksAPersonFirstAndThenTheFileIsUsed(t *testing.T) {
	bus := ring.StartBus(t, "")
	locked := bus.Locked() // it asks again for each entry, even after it was unlocked
	home := homeOf(t)
	s := Secrets(home).WithPerson()
	locked.Dismiss(true)
	s.sets(t, "openai", "sk-1")
	if n := locked.Shown(); n != 1 {
		t.Errorf("%d dialogs were shown to store a value", n)
	}
	s.isIn(t, InFile, "openai", "sk-1")
	if n := locked.Shown(); n != 1 {
		t.Errorf("%d dialogs were shown in all: reading what is in the file needs none", n)
	}
	if entries, err := s.Entries(t.Context()); !errors.Is(err, ErrLocked) || !slices.Equal(entries, []Entry{{"openai", InFile}}) || locked.Shown() != 2 {
		t.Errorf("listed %v, %v, after %d dialogs", entries, err, locked.Shown())
	}
	if err := s.Delete(t.Context(), "openai"); !errors.Is(err, ErrLater) || locked.Shown() != 3 {
		t.Errorf("delete: %v, after %d dialogs", err, locked.Shown())
	}
	locked.Dismiss(false)
	if names, err := s.List(t.Context()); err != nil || len(names) != 0 || locked.Shown() != 4 {
		t.Errorf("after the dialog was answered: %q, %v, after %d dialogs", names, err, locked.Shown())
	}
	noFile(t, home)
}

func TestATokenMayBeLongerThanASecret(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	home := homeOf(t)
	long := strings.Repeat("t", MaxToken)
	Tokens(home).sets(t, "login", long)
	Tokens(home).isIn(t, InKeychain, "login", long)
	noFile(t, home)
	bus.Lock()
	Tokens(home).sets(t, "other", long)
	Tokens(home).isIn(t, InFile, "other", long)
	if err := Tokens(home).Set(t.Context(), "login", long+"t"); err == nil {
		t.Error("a token of more than 64 KiB was taken")
	}
	if err := Secrets(home).Set(t.Context(), "openai", long); err == nil {
		t.Error("a secret of 64 KiB was taken")
	}
}

// An unusable file might have a newer value than the keychain, so nothing is read or written beside it.
func TestADamagedFileIsAnErrorOfEveryCall(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	home := homeOf(t)
	s := Secrets(home)
	s.sets(t, "key", "in the keychain")
	bus.Lock()
	s.sets(t, "other", "in the file")
	bus.Unlock()
	path := filepath.Join(home, sealed.Name)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]func(Store, context.Context) error{
		"Target":  func(s Store, ctx context.Context) error { _, err := s.Target(ctx); return err },
		"Place":   func(s Store, ctx context.Context) error { _, err := s.Place(ctx, "key"); return err },
		"Entries": func(s Store, ctx context.Context) error { _, err := s.Entries(ctx); return err },
		"Move":    func(s Store, ctx context.Context) error { _, err := s.Move(ctx); return err },
	}
	for name, call := range calls {
		if name != "State" { // of the keychain
			all[name] = call
		}
	}
	for name, call := range all {
		err := call(s, t.Context())
		if err == nil || !strings.Contains(err.Error(), path+" can't be opened (it is damaged") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, raw) {
		t.Errorf("the file was written over: %v", err)
	}
}
