package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/control"
)

// copyHome copies the files of a home as they are on the disk now.
func copyHome(t testing.TB, home control.Home) control.Home {
	t.Helper()
	to := newHome(t)
	if err := to.Make(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sallyport.db", "seal.key", "settings.json"} {
		raw, err := os.ReadFile(filepath.Join(home.Dir, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to.Dir, name), string(raw))
	}
	return to
}

// rawBucket reads a bucket of the file as another program would.
func rawBucket(t testing.TB, home control.Home, bucket string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	foreign(t, home, func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
			all[string(k)] = bytes.Clone(v)
			return nil
		})
	})
	return all
}

// putRawBucket writes a bucket of the file as another program would.
func putRawBucket(t testing.TB, home control.Home, bucket string, all map[string][]byte) {
	t.Helper()
	foreign(t, home, func(tx *bolt.Tx) error {
		for k, v := range all {
			if err := tx.Bucket([]byte(bucket)).Put([]byte(k), v); err != nil {
				return err
			}
		}
		return nil
	})
}

func foreign(t testing.TB, home control.Home, f func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(home.Store, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(f); err != nil {
		t.Fatal(err)
	}
}

// filesOf is every file below a folder.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
