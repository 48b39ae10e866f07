package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// home is a private data folder that does not exist yet.
func home(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustOpen(t testing.TB, dir string, options Options) *Store {
	t.Helper()
	s, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func update(t testing.TB, s *Store, f func(*Tx) error) {
	t.Helper()
	if err := s.Update(f); err != nil {
		t.Fatal(err)
	}
}

func TestANewHomeOpensAgainWithWhatWasKept(t *testing.T) {
	dir := home(t)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Fresh() {
		t.Error("a new home was not fresh")
	}
	update(t, s, func(tx *Tx) error {
		if err := tx.SetMeta("cli", []byte("1")); err != nil {
			return err
		}
		return tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "legacy", Digest: "d", State: vocab.PartApproved, Raw: []byte(`{"a":1e0}`)})
	})
	if _, err := s.AppendNow(Record{Kind: "approval"}, Record{Kind: "drift"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, Options{})
	if s.Fresh() {
		t.Error("the second open was fresh")
	}
	err = s.View(func(tx *Tx) error {
		if v, err := tx.Meta("cli"); err != nil || string(v) != "1" {
			t.Errorf("mark of the home: %q, %v", v, err)
		}
		pins, tampered, err := tx.Pins("s")
		if err != nil || tampered != 0 || len(pins) != 1 || string(pins[0].Raw) != `{"a":1e0}` {
			t.Errorf("pins: %+v %d %v", pins, tampered, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.Records(Query{})
	if err != nil || len(records) != 2 || records[1].Kind != "drift" {
		t.Errorf("records %+v, %v", records, err)
	}
	v, err := s.Verify(nil)
	if err != nil || v.Bad != "" || v.Records != 2 {
		t.Errorf("verify: %+v, %v", v, err)
	}
	found, err := s.Tampered()
	if err != nil || found.Any() {
		t.Errorf("tampered: %+v, %v", found, err)
	}
}
