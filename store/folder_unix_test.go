//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAFolderThatIsNotPrivateIsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string) string
	}{
		{"a folder that others may enter", func(t *testing.T, dir string) string {
			return dir0(t, os.Chmod(dir, 0o755), dir)
		}},
		{"a folder that the group may write", func(t *testing.T, dir string) string {
			return dir0(t, os.Chmod(dir, 0o770), dir)
		}},
		{"a link to a folder of ours", func(t *testing.T, dir string) string {
			return dir0(t, os.Symlink(dir, dir+"-link"), dir+"-link")
		}},
		{"a store that is a link", func(t *testing.T, dir string) string {
			other := mustOpen(t, dir+"-other", Options{})
			return dir0(t, os.Symlink(other.db.Path(), filepath.Join(dir, File)), dir)
		}},
		{"a store that others may read", func(t *testing.T, dir string) string {
			mustClose(t, mustOpen(t, dir, Options{}))
			return dir0(t, os.Chmod(filepath.Join(dir, File), 0o644), dir)
		}},
		{"a seal key that others may read", func(t *testing.T, dir string) string {
			mustClose(t, mustOpen(t, dir, Options{}))
			return dir0(t, os.Chmod(filepath.Join(dir, keyFile), 0o640), dir)
		}},
		{"a store that is a folder", func(t *testing.T, dir string) string {
			return dir0(t, os.Mkdir(filepath.Join(dir, File), 0o700), dir)
		}},
		{"a named pipe for a store, which must not hang", func(t *testing.T, dir string) string {
			return dir0(t, syscall.Mkfifo(filepath.Join(dir, File), 0o600), dir)
		}},
		{"a named pipe for a key, which must not hang", func(t *testing.T, dir string) string {
			return dir0(t, syscall.Mkfifo(filepath.Join(dir, keyFile), 0o600), dir)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.prepare(t, home(t))
			s, err := Open(dir, Options{})
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if !errors.Is(err, ErrFolder) && !errors.Is(err, syscall.ELOOP) && !errors.Is(err, syscall.EISDIR) {
				t.Errorf("error %v", err)
			}
			if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrMissing) {
				t.Errorf("%v would let the caller set the store aside", err)
			}
		})
	}
}

func TestWhatTheStoreMakesIsForItsUserAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "a", "home")
	mustOpen(t, dir, Options{})
	for path, want := range map[string]os.FileMode{
		dir: os.ModeDir | 0o700, filepath.Join(dir, File): 0o600, filepath.Join(dir, keyFile): 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func dir0(t *testing.T, err error, dir string) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
