package clientconfig

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// files are the names in a folder.
func files(t testing.TB, dir string) string {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range names {
		all = append(all, n.Name())
	}
	return strings.Join(all, " ")
}

func TestAWriteKeepsACopyFirst(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c", claudeFile)
	put(t, path, "was")
	backups := &Backups{Dir: filepath.Join(dir, "backups")}
	kept, err := Write(path, []byte("was"), []byte("now"), backups)
	if err != nil || text(t, path) != "now" {
		t.Fatalf("%v, file %q", err, text(t, path))
	}
	if got, err := backups.Text(kept); err != nil || string(got) != "was" || kept.Path != path {
		t.Errorf("kept %q of %s, %v", got, kept.Path, err)
	}
	if left := files(t, filepath.Dir(path)); left != claudeFile {
		t.Errorf("left beside it: %s", left)
	}
}

func TestModeAndLinkStay(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o755, 0o200 | 0o444} {
		dir := t.TempDir()
		target := filepath.Join(dir, "dotfiles", "claude.json")
		put(t, target, "was")
		if err := os.Chmod(target, mode); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, claudeFile)
		if err := os.Symlink(filepath.Join("dotfiles", "claude.json"), link); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(link, []byte("was"), []byte("now"), &Backups{Dir: filepath.Join(dir, "b")}); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); err != nil || to != filepath.Join("dotfiles", "claude.json") {
			t.Errorf("the link leads to %q, %v", to, err)
		}
		info, err := os.Lstat(target)
		if err != nil || info.Mode() != mode || text(t, target) != "now" {
			t.Errorf("mode %v became %v, %v", mode, info.Mode(), err)
		}
	}
}

func TestAFileThatChangedSinceItWasReadIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	put(t, path, "somebody else's")
	backups := &Backups{Dir: filepath.Join(dir, "b")}
	if _, err := Write(path, []byte("was"), []byte("now"), backups); !errors.Is(err, ErrChanged) || text(t, path) != "somebody else's" {
		t.Errorf("error %v, file %q", err, text(t, path))
	}
	if list, err := backups.List(); err != nil || len(list) > 0 {
		t.Errorf("kept %v, %v", list, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, []byte("was"), []byte("now"), backups); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is gone: %v", err)
	}
	if left := files(t, dir); left != "" {
		t.Errorf("made %s", left)
	}
}

func TestAReadOnlyFileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	put(t, path, "was")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := Write(path, []byte("was"), []byte("now"), &Backups{Dir: filepath.Join(dir, "b")})
	if !errors.Is(err, ErrReadOnly) || text(t, path) != "was" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, file %q", err, text(t, path))
	}
	if left := files(t, dir); left != claudeFile {
		t.Errorf("left %s", left)
	}
}

func TestWithoutABackupNothingIsWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	put(t, path, "was")
	put(t, filepath.Join(dir, "b"), "a file where the folder should be")
	for _, backups := range []*Backups{nil, {}, {Dir: filepath.Join(dir, "b")}} {
		if _, err := Write(path, []byte("was"), []byte("now"), backups); err == nil || !strings.Contains(err.Error(), "nothing was changed") || text(t, path) != "was" {
			t.Errorf("error %v, file %q", err, text(t, path))
		}
	}
}

func TestAPipeIsNotReadForEver(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); err == nil {
		t.Error("a folder was read")
	}
	big := filepath.Join(dir, "big")
	put(t, big, "")
	if err := os.Truncate(big, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if raw, err := Read(big); err == nil || raw != nil {
		t.Error("a file over the limit was read")
	}
	if _, err := Parse(bytes.Repeat([]byte(" "), maxFile+1), Format{}); err == nil {
		t.Error("a text over the limit was read")
	}
}
