package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "here")
	if err := OwnFolder(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%v in the folder, %v", entries, err)
	}
	for name, text := range want {
		path := filepath.Join(dir, name)
		raw, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(raw) != text || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %q, %v, %v, %v", name, raw, info, err, statErr)
		}
	}
}

func TestAFileIsWrittenOverWhatAKilledProcessLeft(t *testing.T) {
	dir := folder(t)
	for name, text := range map[string]string{"a": "old", "a.new": "half of wh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteWhole(filepath.Join(dir, "a"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "new"})
}

func TestANewFileIsWrittenOverNothing(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "a")
	if err := WriteNew(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one: %v", err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := os.WriteFile(fresh, []byte("third"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := renameNew(fresh, path); runtime.GOOS == "linux" && !errors.Is(err, fs.ErrExist) {
		t.Errorf("one that came after the look: %v", err)
	}
	if err := os.Remove(fresh); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "first"})
}

func TestWhatCannotBePlacedLeavesNothing(t *testing.T) {
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "a", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteWhole(filepath.Join(dir, "a"), []byte("new")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{})
}
