package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// lived is a home with a pin, an inbox item and two records in it.
func lived(t testing.TB) string {
	t.Helper()
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error {
		return errors.Join(
			tx.PutServer(Server{ID: "s", Name: "weather"}),
			tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "legacy", Digest: "d", State: vocab.PartApproved}),
			tx.PutItem(Item{Code: "4F2A", Kind: "changed", ServerID: "s"}),
		)
	})
	if _, err := s.AppendNow(Record{Kind: "approval"}, Record{Kind: vocab.RecordCall}); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	return dir
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreThatIsNotWhatItWasIsNeverTakenForANewHome(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  error
	}{
		{"a store missing beside its seal key", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, File))
		}, ErrMissing},
		{"a store emptied beside its seal key", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, File), nil)
		}, ErrMissing},
		{"a fresh database in its place", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, File))
			db, err := bolt.Open(filepath.Join(dir, File), 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			db.Close()
		}, ErrMissing},
		{"a fresh store of another home in its place", func(t *testing.T, dir string) {
			other := home(t)
			mustClose(t, mustOpen(t, other, Options{}))
			copyFile(t, filepath.Join(other, File), filepath.Join(dir, File))
		}, ErrSeal},
		{"somebody else's database in its place", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, File))
			db, err := bolt.Open(filepath.Join(dir, File), 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
		}, ErrCorrupt},
		{"a store without its seal key", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, keyFile))
		}, ErrSeal},
		{"another key", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, keyFile), []byte(strings.Repeat("k", keyBytes)))
		}, ErrSeal},
		{"half a key", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, keyFile), []byte("k"))
		}, ErrSeal},
		{"no database", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, File), []byte(strings.Repeat("no database\n", 4000)))
		}, ErrCorrupt},
		{"zeroes", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, File), make([]byte, 1<<16))
		}, ErrCorrupt},
		{"half a store", func(t *testing.T, dir string) {
			info, err := os.Stat(filepath.Join(dir, File))
			if err == nil {
				err = os.Truncate(filepath.Join(dir, File), info.Size()/2)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, ErrCorrupt},
		{"a store of a later version", func(t *testing.T, dir string) {
			s := mustOpen(t, dir, Options{})
			update(t, s, func(tx *Tx) error { return tx.put(bucketMeta, metaBirth, birth{Schema: schema + 1}) })
			mustClose(t, s)
		}, ErrNewer},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := lived(t)
			c.spoil(t, dir)
			for range 2 { // a second time, because the first must not change anything
				s, err := Open(dir, Options{})
				if err == nil {
					s.Close()
					t.Fatal("it was opened")
				}
				if !errors.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "open store: ") {
					t.Errorf("error %q", err)
				}
			}
			if errors.Is(c.want, ErrNewer) {
				if _, err := SetAside(dir, Options{}); !errors.Is(err, ErrNewer) {
					t.Errorf("a later version's store was set aside: %v", err)
				}
				return
			}
			var kept string
			if !errors.Is(c.want, ErrMissing) {
				var err error
				if kept, err = SetAside(dir, Options{}); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(kept); err != nil {
					t.Errorf("what was set aside is gone: %v", err)
				}
				if _, err := Open(dir, Options{}); !errors.Is(err, ErrMissing) {
					t.Fatalf("after it was set aside: %v, want %v", err, ErrMissing)
				}
			}
			s := mustOpen(t, dir, Options{AfterLoss: true})
			loss, err := s.Loss()
			if err != nil || loss == nil || loss.Kept != kept || loss.Why == "" {
				t.Errorf("loss %+v, %v", loss, err)
			}
			update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "new"}) })
			mustClose(t, s)
			s = mustOpen(t, dir, Options{})
			if loss, err := s.Loss(); err != nil || loss == nil {
				t.Errorf("the loss was forgotten: %+v, %v", loss, err)
			}
			update(t, s, func(tx *Tx) error { return tx.ClearLoss() })
			if loss, err := s.Loss(); err != nil || loss != nil {
				t.Errorf("the loss was not cleared: %+v, %v", loss, err)
			}
		})
	}
}

func TestAHomeWhoseCreationWasInterruptedIsStillNew(t *testing.T) {
	for _, c := range []struct {
		name string
		left func(t *testing.T, dir string)
	}{
		{"nothing but an empty file", func(t *testing.T, dir string) { write(t, filepath.Join(dir, File), nil) }},
		{"buckets, but no key yet", func(t *testing.T, dir string) {
			mustClose(t, mustOpen(t, dir, Options{}))
			remove(t, filepath.Join(dir, keyFile))
		}},
		{"buckets and half of the key's file", func(t *testing.T, dir string) {
			mustClose(t, mustOpen(t, dir, Options{}))
			remove(t, filepath.Join(dir, keyFile))
			write(t, filepath.Join(dir, keyFile+".new"), []byte("half"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := home(t)
			c.left(t, dir)
			s := mustOpen(t, dir, Options{})
			if loss, err := s.Loss(); err != nil || loss != nil || !s.Fresh() {
				t.Errorf("fresh %v, loss %+v, %v", s.Fresh(), loss, err)
			}
		})
	}
}

func TestOneOwnerAtATime(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	if _, err := Open(dir, Options{LockTimeout: time.Millisecond}); !errors.Is(err, ErrLocked) {
		t.Errorf("second owner: %v", err)
	}
	if _, err := SetAside(dir, Options{LockTimeout: time.Millisecond}); !errors.Is(err, ErrLocked) {
		t.Errorf("a store in use was set aside: %v", err)
	}
	mustClose(t, s)
	if _, err := SetAside(dir, Options{}); err == nil {
		t.Error("a store in order was set aside")
	}
	mustOpen(t, dir, Options{})
}

func TestAStoreThatIsRefusedDoesNotKeepTheLock(t *testing.T) {
	dir := lived(t)
	write(t, filepath.Join(dir, File), []byte(strings.Repeat("x", 1<<16)))
	for range 3 {
		if _, err := Open(dir, Options{LockTimeout: time.Millisecond}); !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
	}
}

func TestAKeyFromElsewhereIsUsedInsteadOfTheFile(t *testing.T) {
	dir := home(t)
	key := []byte(strings.Repeat("a", keyBytes))
	s := mustOpen(t, dir, Options{Key: key})
	update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "s"}) })
	mustClose(t, s)
	if _, err := os.Lstat(filepath.Join(dir, keyFile)); !os.IsNotExist(err) {
		t.Errorf("a key was written: %v", err)
	}
	if _, err := Open(dir, Options{Key: []byte(strings.Repeat("b", keyBytes))}); !errors.Is(err, ErrSeal) {
		t.Errorf("another key: %v", err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrSeal) {
		t.Errorf("no key: %v", err)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, data)
}

func TestAGoodCopyPutBackEndsTheLoss(t *testing.T) {
	dir := lived(t)
	path := filepath.Join(dir, File)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, make([]byte, 1<<16))
	if _, err := SetAside(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	write(t, path, good)
	s := mustOpen(t, dir, Options{})
	if loss, err := s.Loss(); err != nil || loss != nil {
		t.Errorf("loss %+v, %v", loss, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, lossFile)); !os.IsNotExist(err) {
		t.Errorf("the note is still there: %v", err)
	}
}
