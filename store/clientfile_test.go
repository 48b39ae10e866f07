package store

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

func TestTheWantedStateOfAClientFileIsKeptAndSealed(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	want := ClientFile{
		Path: "/c/claude_desktop_config.json", Client: "claude-desktop", Program: "/usr/bin/sallyport", Since: time.Unix(5, 0).UTC(), Whole: "aa",
		Entries: []ClientEntry{{Name: "files", Want: WantWrapped, Record: []byte(`{"command":"npx"}`), EnvNames: []string{"TOKEN"}}},
		Pending: &PendingWrite{From: "a", To: "b", Why: "protect"},
	}
	if err := s.Update(func(tx *Tx) error { return tx.PutClientFile(want) }); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	defer mustClose(t, s)
	err := s.View(func(tx *Tx) error {
		got, err := tx.ClientFile(want.Path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if all := tx.ClientFiles(); len(all) != 1 {
			t.Errorf("got %d files", len(all))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := s.Tampered(); err != nil || found.Any() {
		t.Errorf("what we wrote looks written by something else: %+v, %v", found, err)
	}
	if err := s.Update(func(tx *Tx) error { return tx.DeleteClientFile(want.Path) }); err != nil {
		t.Fatal(err)
	}
	err = s.View(func(tx *Tx) error {
		_, err := tx.ClientFile(want.Path)
		return err
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a file nobody protects any more: %v", err)
	}
}

func TestKeyedHashesTellPartsAndLabelsApart(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	defer mustClose(t, s)
	other := mustOpen(t, home(t), Options{})
	defer mustClose(t, other)
	seen := map[string]string{}
	for name, hash := range map[string]string{
		"a b":           s.KeyedHash("env", []byte("a"), []byte("b")),
		"ab":            s.KeyedHash("env", []byte("ab")),
		"another label": s.KeyedHash("rest", []byte("ab")),
		"another home":  other.KeyedHash("env", []byte("ab")),
	} {
		if before, ok := seen[hash]; ok {
			t.Errorf("%s and %s have one hash", name, before)
		}
		seen[hash] = name
	}
	before := s.KeyedHash("env", []byte("ab"))
	if after := s.KeyedHash("env", []byte("ab")); after != before {
		t.Error("a hash differs from itself")
	}
}
