package store

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// hold stores a held response with its text.
func hold(tx *Tx, code string, state vocab.HeldState, text HeldText) (Held, error) {
	stored, sum := text.Encode()
	h := Held{Code: code, ID: "id-" + code, ServerID: "s", State: state, Text: sum, Kept: int64(len(stored))}
	return h, errors.Join(tx.PutHeldText(code, stored), tx.PutHeld(h))
}

var someText = HeldText{Params: []byte(`{"name":"read"}`), Answer: []byte(`{"content":[{"type":"text","text":"the poison itself"}]}`), Findings: json.RawMessage(`[{"rule":"sink"}]`)}

func TestAHeldTextComesBackAsItWas(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for name, text := range map[string]HeldText{
		"ABCD": someText,
		"ABCE": {Answer: []byte("0")},
		"ABC0": {Answer: []byte("0"), Guards: json.RawMessage(`[{"provider":"command"}]`)},
		"ABCF": {Params: []byte{}, Answer: bytes.Repeat([]byte("x"), 3<<20), Findings: json.RawMessage("null")},
	} {
		var h Held
		update(t, s, func(tx *Tx) (err error) { h, err = hold(tx, name, "waiting", text); return err })
		update(t, s, func(tx *Tx) error {
			kept, err := tx.Held(name)
			if err != nil || kept.Text != h.Text {
				t.Errorf("%s: %+v, %v", name, kept, err)
			}
			got, err := tx.HeldText(kept)
			if err != nil || !bytes.Equal(got.Params, text.Params) || !bytes.Equal(got.Answer, text.Answer) || !bytes.Equal(got.Findings, text.Findings) || !bytes.Equal(got.Guards, text.Guards) {
				t.Errorf("%s: %d bytes of answer, %v", name, len(got.Answer), err)
			}
			return nil
		})
	}
	update(t, s, func(tx *Tx) error {
		h, err := tx.Held("ABCD")
		h.Text, h.Kept, h.State = "", 0, "gone"
		return errors.Join(err, tx.PutHeld(h))
	})
	update(t, s, func(tx *Tx) error {
		h, err := tx.Held("ABCD")
		if err != nil || h.State != "gone" {
			t.Errorf("the record went with the text: %+v, %v", h, err)
		}
		if _, err := tx.HeldText(h); !errors.Is(err, ErrNotFound) {
			t.Errorf("the text is still there: %v", err)
		}
		if tx.bucket(bucketHeldText).Get([]byte("ABCD")) != nil {
			t.Error("its bytes are still there")
		}
		return nil
	})
}

func TestATextThatIsNotWhatWasHeldIsNeverGivenOut(t *testing.T) {
	other := HeldText{Answer: []byte(`{"content":[]}`)}
	replaced, _ := other.Encode()
	for name, change := range map[string]func(b *bolt.Bucket) error{
		"another text in its place": func(b *bolt.Bucket) error { return b.Put([]byte("4F2A"), replaced) },
		"one byte of it changed": func(b *bolt.Bucket) error {
			return b.Put([]byte("4F2A"), bytes.Replace(bytes.Clone(b.Get([]byte("4F2A"))), []byte("poison"), []byte("prison"), 1))
		},
		"its parts cut elsewhere": func(b *bolt.Bucket) error {
			raw := bytes.Clone(b.Get([]byte("4F2A")))
			raw[7]--
			return b.Put([]byte("4F2A"), raw)
		},
		"nothing":             func(b *bolt.Bucket) error { return b.Put([]byte("4F2A"), nil) },
		"the text of another": func(b *bolt.Bucket) error { return b.Put([]byte("4F2A"), bytes.Clone(b.Get([]byte("4F2B")))) },
		"taken away":          func(b *bolt.Bucket) error { return b.Delete([]byte("4F2A")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			s := mustOpen(t, dir, Options{})
			update(t, s, func(tx *Tx) error {
				_, one := hold(tx, "4F2A", "released", someText)
				_, two := hold(tx, "4F2B", "waiting", other)
				return errors.Join(one, two)
			})
			mustClose(t, s)
			meddle(t, dir, func(tx *bolt.Tx) error { return change(tx.Bucket(bucketHeldText)) })
			s = mustOpen(t, dir, Options{})
			update(t, s, func(tx *Tx) error {
				h, err := tx.Held("4F2A")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := tx.HeldText(h); !errors.Is(err, ErrSeal) && !errors.Is(err, ErrNotFound) || text.Answer != nil {
					t.Errorf("it gave out %q, %v", text.Answer, err)
				}
				return nil
			})
		})
	}
}

// The hub does not read a quarter of a gigabyte of text when it starts: damage inside a text shows when that text is requested.
func TestNoTextIsReadAtOpen(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	marker := []byte("the middle of a held text, on a page of its own")
	big := append(append(bytes.Repeat([]byte("a"), 1<<20), marker...), bytes.Repeat([]byte("b"), 1<<20)...)
	update(t, s, func(tx *Tx) error { _, err := hold(tx, "4F2A", "waiting", HeldText{Answer: big}); return err })
	mustClose(t, s)
	path := filepath.Join(dir, File)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(raw, marker)
	if at < 0 {
		t.Fatal("the text is not in the file")
	}
	raw[at] ^= 1
	write(t, path, raw)
	s = mustOpen(t, dir, Options{})
	if found, err := s.Tampered(); err != nil || found.Any() {
		t.Errorf("at start: %+v, %v", found, err)
	}
	update(t, s, func(tx *Tx) error {
		h, err := tx.Held("4F2A")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.HeldText(h); !errors.Is(err, ErrSeal) {
			t.Errorf("asked for: %v", err)
		}
		return nil
	})
}

func TestWhatSomethingElseDidToTheQuarantineIsFound(t *testing.T) {
	for _, c := range []struct {
		name   string
		meddle func(tx *bolt.Tx, older map[string][]byte) error
		named  string
		rolled bool
	}{
		{"a held answer that was marked as released", func(tx *bolt.Tx, _ map[string][]byte) error {
			b := tx.Bucket(bucketHeld)
			return b.Put([]byte("4F2A"), bytes.Replace(bytes.Clone(b.Get([]byte("4F2A"))), []byte(`"delivered"`), []byte(`"released" `), 1))
		}, "4F2A", false},
		{"the time when it was released, brought back after it was handed over", func(tx *bolt.Tx, older map[string][]byte) error {
			return tx.Bucket(bucketHeld).Put([]byte("4F2A"), older["4F2A"])
		}, "", true},
		{"a held answer taken away", func(tx *bolt.Tx, _ map[string][]byte) error {
			return tx.Bucket(bucketHeld).Delete([]byte("4F2A"))
		}, "", true},
		{"an exception that was forged", func(tx *bolt.Tx, _ map[string][]byte) error {
			return tx.Bucket(bucketExcepted).Put([]byte("e2"), []byte(`{"id":"e2","rule":"sink"}`))
		}, "e2", true},
		{"an exception that was ended, brought back", func(tx *bolt.Tx, older map[string][]byte) error {
			return tx.Bucket(bucketExcepted).Put([]byte("e1"), older["e1"])
		}, "", true},
		{"a sealed held answer copied to another code", func(tx *bolt.Tx, _ map[string][]byte) error {
			b := tx.Bucket(bucketHeld)
			return b.Put([]byte("4F2B"), bytes.Clone(b.Get([]byte("4F2A"))))
		}, "4F2B", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := home(t)
			s := mustOpen(t, dir, Options{})
			older := map[string][]byte{}
			update(t, s, func(tx *Tx) error {
				_, err := hold(tx, "4F2A", "released", someText)
				return errors.Join(err, tx.PutException(Exception{ID: "e1", Rule: "sink", Until: time.Now().Add(time.Hour)}))
			})
			update(t, s, func(tx *Tx) error {
				older["4F2A"], older["e1"] = bytes.Clone(tx.bucket(bucketHeld).Get([]byte("4F2A"))), bytes.Clone(tx.bucket(bucketExcepted).Get([]byte("e1")))
				h, err := tx.Held("4F2A")
				h.State, h.Text, h.Kept = "delivered", "", 0
				return errors.Join(err, tx.PutHeld(h), tx.PutException(Exception{ID: "e1", Rule: "sink", Until: time.Now().Add(time.Hour), Ended: time.Now()}))
			})
			if found, err := s.Tampered(); err != nil || found.Any() {
				t.Fatalf("before: %+v, %v", found, err)
			}
			mustClose(t, s)
			meddle(t, dir, func(tx *bolt.Tx) error { return c.meddle(tx, older) })
			s = mustOpen(t, dir, Options{})
			found, err := s.Tampered()
			if err != nil || !found.Any() || found.Rolled != c.rolled {
				t.Fatalf("found %+v, %v", found, err)
			}
			if c.named != "" && (len(found.Records) != 1 || !strings.Contains(found.Records[0], c.named)) {
				t.Errorf("records %q, want one that names %s", found.Records, c.named)
			}
			update(t, s, func(tx *Tx) error {
				for _, h := range tx.AllHeld() {
					if c.named != "" && h.State == "released" {
						t.Errorf("trusted: %+v", h)
					}
				}
				for _, e := range tx.Exceptions() {
					if e.ID == "e2" {
						t.Errorf("trusted: %+v", e)
					}
				}
				return nil
			})
		})
	}
}

// before is a home with a store of the last version without a quarantine.
func before(t *testing.T) string {
	t.Helper()
	dir := home(t)
	packed, err := os.Open(filepath.Join("testdata", "before-quarantine", "sallyport.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, File), raw)
	copyFile(t, filepath.Join("testdata", "before-quarantine", keyFile), filepath.Join(dir, keyFile))
	return dir
}

func TestAStoreFromBeforeTheQuarantineGoesOn(t *testing.T) {
	dir := before(t)
	for range 2 {
		s := mustOpen(t, dir, Options{})
		if found, err := s.Tampered(); err != nil || found.Any() || s.Fresh() {
			t.Fatalf("fresh %v, %+v, %v", s.Fresh(), found, err)
		}
		if v, err := s.Verify(nil); err != nil || v.Bad != "" || v.Records < 2 {
			t.Errorf("%+v, %v", v, err)
		}
		update(t, s, func(tx *Tx) error {
			p, err := tx.Pin("s", "legacy", "tool:a")
			if err != nil || p.State != vocab.PartApproved {
				t.Errorf("pin %+v, %v", p, err)
			}
			if it, err := tx.Item("4F2A"); err != nil || it.Kind != "changed" {
				t.Errorf("item %+v, %v", it, err)
			}
			if mark, err := tx.Meta("cli"); err != nil || string(mark) != "1" {
				t.Errorf("mark %q, %v", mark, err)
			}
			_, err = hold(tx, "ABCD", "waiting", someText)
			return err
		})
		mustClose(t, s)
	}
}

func TestABucketThatAStoreHadIsNotMadeAgain(t *testing.T) {
	for _, name := range [][]byte{bucketHeld, bucketHeldText, bucketHeldItem, bucketExcepted} {
		for from, dir := range map[string]string{"a new store": lived(t), "an older store": before(t)} {
			t.Run(string(name)+" of "+from, func(t *testing.T) {
				mustClose(t, mustOpen(t, dir, Options{}))
				meddle(t, dir, func(tx *bolt.Tx) error { return tx.DeleteBucket(name) })
				s, err := Open(dir, Options{})
				if err == nil {
					s.Close()
				}
				if !errors.Is(err, ErrCorrupt) {
					t.Errorf("opened: %v, want %v", err, ErrCorrupt)
				}
			})
		}
	}
}

// Removing a bucket together with the note that it exists breaks the roll.
func TestTheNoteOfTheBucketsIsNotTakenAwayUnseen(t *testing.T) {
	dir := lived(t)
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error { return tx.PutException(Exception{ID: "e1", Ended: time.Now()}) })
	mustClose(t, s)
	meddle(t, dir, func(tx *bolt.Tx) error {
		return errors.Join(tx.DeleteBucket(bucketHeld), tx.DeleteBucket(bucketExcepted), tx.Bucket(bucketMeta).Delete(metaLater))
	})
	for range 2 {
		s := mustOpen(t, dir, Options{})
		if found, err := s.Tampered(); err != nil || !found.Rolled {
			t.Errorf("found %+v, %v", found, err)
		}
		mustClose(t, s)
	}
}

func TestAnOlderStoreThatCannotBeReadIsNotChanged(t *testing.T) {
	dir := before(t)
	write(t, filepath.Join(dir, keyFile), []byte(strings.Repeat("k", keyBytes)))
	was, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrSeal) {
		t.Fatalf("opened with another key: %v", err)
	}
	if now, err := os.ReadFile(filepath.Join(dir, File)); err != nil || !bytes.Equal(now, was) {
		t.Errorf("it was written (%v)", err)
	}
}

func TestWhatHasNoRecordIsSweptAndAForgottenResponseTakesAllOfItsOwn(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error {
		_, one := hold(tx, "4F2A", "discarded", someText)
		_, two := hold(tx, "4F2B", "waiting", someText)
		return errors.Join(one, two, tx.PutHeldItem(Item{Code: "4F2A", Kind: "response_held"}), tx.PutHeldItem(Item{Code: "4F2B", Kind: "response_held"}), tx.PutHeldItem(Item{Code: "4F2C"}))
	})
	mustClose(t, s)
	meddle(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(bucketHeldText).Put([]byte("STRAY"), []byte("text")) })
	s = mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error {
		n, err := tx.SweepHeld()
		if n != 2 {
			t.Errorf("%d were swept, want a text and an item", n)
		}
		return errors.Join(err, tx.ForgetHeld("4F2A"))
	})
	update(t, s, func(tx *Tx) error {
		if _, err := tx.Held("4F2A"); !errors.Is(err, ErrNotFound) {
			t.Errorf("a forgotten response: %v", err)
		}
		for _, code := range []string{"4F2A", "4F2C"} {
			if _, err := tx.Item(code); !errors.Is(err, ErrNotFound) {
				t.Errorf("the item %s: %v", code, err)
			}
		}
		if it, err := tx.Item("4f2b"); err != nil || it.Code != "4F2B" {
			t.Errorf("one that stays: %+v, %v", it, err)
		}
		h, err := tx.Held("4F2B")
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.HeldText(h)
		return err
	})
	if found, err := s.Tampered(); err != nil || found.Any() {
		t.Errorf("found %+v, %v", found, err)
	}
}

// Earlier versions kept items of held responses among the others. Opening the store moves them, once, with the same codes and content.
func TestItemsOfHeldResponsesLeaveTheInboxOfAnEarlierStore(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error {
		_, one := hold(tx, "4F2A", "waiting", someText)
		_, two := hold(tx, "4F2B", "discarded", HeldText{})
		return errors.Join(one, two, tx.PutItem(Item{Code: "4F2A", Kind: "response_held", Title: "one"}), tx.PutItem(Item{Code: "4F2B", Kind: "response_held", Title: "two", Decided: "rejected"}),
			tx.PutItem(Item{Code: "4F2C", Kind: "changed"}), tx.put(bucketMeta, metaLater, true))
	})
	mustClose(t, s)
	meddle(t, dir, func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketHeldItem) })
	for range 2 {
		s = mustOpen(t, dir, Options{})
		if found, err := s.Tampered(); err != nil || found.Any() {
			t.Errorf("found %+v, %v", found, err)
		}
		update(t, s, func(tx *Tx) error {
			waiting, decided := tx.Waiting(), tx.Decided()
			if len(waiting) != 1 || waiting[0].Code != "4F2C" || len(decided) != 0 {
				t.Errorf("in the inbox: %+v and %+v", waiting, decided)
			}
			for code, title := range map[string]string{"4F2A": "one", "4F2B": "two"} {
				if it, err := tx.Item(code); err != nil || it.Title != title {
					t.Errorf("%s: %+v, %v", code, it, err)
				}
			}
			return nil
		})
		mustClose(t, s)
	}
}

func TestHeadsAreReadAnewWhereTheItemChanged(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for round := range 3 {
		title := strings.Repeat("x", round+1)
		update(t, s, func(tx *Tx) error {
			if err := tx.PutItem(Item{Code: "4F2A", Title: title, Parts: []Part{{Item: "tool:a"}}, Created: time.Unix(2, 0)}); err != nil {
				return err
			}
			return tx.PutItem(Item{Code: "4F2B", Title: "other", Findings: json.RawMessage(`[]`), Created: time.Unix(1, 0)})
		})
		for range 2 {
			update(t, s, func(tx *Tx) error {
				heads := tx.WaitingHeads()
				if len(heads) != 2 || heads[0].Code != "4F2B" || heads[1].Title != title || heads[1].Parts != nil || heads[0].Findings != nil {
					t.Errorf("round %d: %+v", round, heads)
				}
				return nil
			})
		}
	}
	update(t, s, func(tx *Tx) error { return tx.PutItem(Item{Code: "4F2A", Decided: "approved"}) })
	update(t, s, func(tx *Tx) error {
		heads, decided := tx.WaitingHeads(), tx.DecidedHeads()
		if len(heads) != 1 || len(decided) != 1 || decided[0].Decided != "approved" {
			t.Errorf("%+v, %+v", heads, decided)
		}
		return nil
	})
}
