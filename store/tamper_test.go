package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// meddle writes to the closed store, as another program would.
func meddle(t testing.TB, dir string, f func(tx *bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(dir, File), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(f), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestWhatSomethingElseWroteIsFoundAndNotTrusted(t *testing.T) {
	pinKey, err := itemKey("s", "legacy", "tool:a")
	if err != nil {
		t.Fatal(err)
	}
	otherKey, err := itemKey("s", "legacy", "tool:evil")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		meddle func(tx *bolt.Tx) error
		named  string // in Records, "" if only the roll shows it
		rolled bool
		pins   int // still returned
	}{
		{"a pin whose content was edited", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketPins)
			return b.Put(pinKey, bytes.Replace(bytes.Clone(b.Get(pinKey)), []byte(`"rejected"`), []byte(`"approved"`), 1))
		}, "tool:a", false, 1},
		{"a pin that was written without a seal", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketPins).Put(otherKey, []byte(`{"server":"s","item":"tool:evil","era":"legacy","state":"approved"}`))
		}, "tool:evil", true, 2},
		{"a pin sealed with another key", func(tx *bolt.Tx) error {
			raw := []byte(`{"server":"s","item":"tool:evil","era":"legacy","state":"approved"}`)
			return tx.Bucket(bucketPins).Put(otherKey, append(seal([]byte("guess"), bucketPins, otherKey, raw), raw...))
		}, "tool:evil", true, 2},
		{"a sealed pin copied to another item", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketPins)
			approved, _ := itemKey("s", "modern", "tool:a")
			return b.Put(otherKey, bytes.Clone(b.Get(approved)))
		}, "tool:evil", true, 2},
		{"a rejection that was taken away", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketPins).Delete(pinKey)
		}, "", true, 1},
		{"a server that was taken away with its block", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketServers).Delete([]byte("s"))
		}, "", true, 2},
		{"a mark of the home that was forged", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketMeta).Put([]byte("home.cli"), []byte(`"MQ=="`))
		}, "home.cli", true, 2},
		{"a roll that was taken away", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketMeta).Delete(metaRoll)
		}, "", true, 2},
		{"an inbox item that was edited", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketInbox)
			return b.Put([]byte("4F2A"), bytes.Replace(bytes.Clone(b.Get([]byte("4F2A"))), []byte("critical"), []byte("reviewed"), 1))
		}, "4F2A", false, 2},
		{"a head of the chain that was edited", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketMeta).Put(metaHead, []byte(`{}`))
		}, "head", false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := home(t)
			s := mustOpen(t, dir, Options{})
			update(t, s, func(tx *Tx) error {
				return errors.Join(
					tx.PutServer(Server{ID: "s", Blocked: true}),
					tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "legacy", State: vocab.PartRejected}),
					tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "modern", State: vocab.PartApproved}),
					tx.PutItem(Item{Code: "4F2A", Severity: "critical"}),
				)
			})
			if found, err := s.Tampered(); err != nil || found.Any() {
				t.Fatalf("before: %+v, %v", found, err)
			}
			mustClose(t, s)
			meddle(t, dir, c.meddle)
			s = mustOpen(t, dir, Options{})
			found, err := s.Tampered()
			if err != nil {
				t.Fatal(err)
			}
			if !found.Any() || found.Rolled != c.rolled {
				t.Errorf("found %+v", found)
			}
			if c.named != "" && (len(found.Records) != 1 || !strings.Contains(found.Records[0], c.named)) {
				t.Errorf("records %q, want one that names %s", found.Records, c.named)
			}
			if c.named == "" && len(found.Records) > 0 {
				t.Errorf("records %q", found.Records)
			}
			err = s.View(func(tx *Tx) error {
				pins, tampered, err := tx.Pins("s")
				if len(pins) != c.pins {
					t.Errorf("pins %+v, want %d", pins, c.pins)
				}
				if wasPin := c.named == "tool:a" || c.named == "tool:evil"; (tampered == 1) != wasPin {
					t.Errorf("%d tampered pins", tampered)
				}
				for _, p := range pins {
					if p.State == vocab.PartApproved && p.Era != "modern" {
						t.Errorf("trusted: %+v", p)
					}
				}
				if _, err := tx.Pin("s", "legacy", "tool:evil"); err == nil {
					t.Error("the forged pin is trusted")
				}
				if v, err := tx.Meta("cli"); err == nil {
					t.Errorf("the forged mark %q is trusted", v)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAnOlderPinBroughtBackIsFound(t *testing.T) {
	dir := home(t)
	key, err := itemKey("s", "legacy", "tool:a")
	if err != nil {
		t.Fatal(err)
	}
	var old []byte
	s := mustOpen(t, dir, Options{})
	for _, state := range []vocab.PartState{vocab.PartApproved, vocab.PartRejected} {
		update(t, s, func(tx *Tx) error {
			old = append(old, tx.bucket(bucketPins).Get(key)...)
			return tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "legacy", State: state})
		})
	}
	mustClose(t, s)
	meddle(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(bucketPins).Put(key, old) })
	s = mustOpen(t, dir, Options{})
	found, err := s.Tampered()
	if err != nil || !found.Rolled {
		t.Fatalf("found %+v, %v", found, err)
	}
	// A person looked, and removed what must not be trusted.
	update(t, s, func(tx *Tx) error { return errors.Join(tx.DeletePin("s", "legacy", "tool:a"), tx.Reseal()) })
	if found, err := s.Tampered(); err != nil || found.Any() {
		t.Errorf("after Reseal: %+v, %v", found, err)
	}
}

func TestARollThatDoesNotHoldIsNotMendedByTheNextWrite(t *testing.T) {
	dir := lived(t)
	meddle(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(bucketServers).Delete([]byte("s")) })
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "another"}) })
	if found, err := s.Tampered(); err != nil || !found.Rolled {
		t.Errorf("found %+v, %v", found, err)
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	if found, err := s.Tampered(); err != nil || !found.Rolled {
		t.Errorf("after a restart: %+v, %v", found, err)
	}
}
