package clientconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clock advances by a second at each reading.
func clock() func() time.Time {
	now := time.Date(2026, 11, 21, 10, 2, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func TestBackupsAreDatedPrivateAndListedNewestFirst(t *testing.T) {
	dir := t.TempDir()
	b := &Backups{Dir: filepath.Join(dir, "backups"), Now: clock()}
	for i := range 3 {
		if _, err := b.Keep(filepath.Join(dir, claudeFile), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.List()
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for i, kept := range list {
		if got, err := b.Text(kept); err != nil || string(got) != fmt.Sprint(2-i) {
			t.Errorf("%d is %q, %v", i, got, err)
		}
		if !strings.HasPrefix(kept.ID, "20261121-1002") || !strings.HasSuffix(kept.File, claudeFile) || kept.Size != 1 {
			t.Errorf("it is %+v", kept)
		}
	}
	names, err := os.ReadDir(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if info, err := n.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s is %v, %v", n.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(b.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
}

func TestTwentyBackupsOfAFileAreKeptForNinetyDays(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &Backups{Dir: dir, Now: func() time.Time { return now }}
	keep := func(path, text string) {
		t.Helper()
		if _, err := b.Keep(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	count := func(path string) (n int) {
		t.Helper()
		list, err := b.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, kept := range list {
			if kept.Path == path {
				n++
			}
		}
		return n
	}
	keep("/other", "x")
	for i := range 30 {
		now = now.Add(time.Hour)
		keep("/file", fmt.Sprint(i))
	}
	if count("/file") != 20 || count("/other") != 1 {
		t.Errorf("%d and %d are kept", count("/file"), count("/other"))
	}
	now = now.Add(backupsFor - 5*time.Hour)
	keep("/file", "new")
	if n := count("/file"); n != 6 || count("/other") != 0 {
		t.Errorf("%d and %d are kept after 90 days", n, count("/other"))
	}
	if names, _ := os.ReadDir(dir); len(names) != 12 {
		t.Errorf("%d files lie there", len(names))
	}
}

func TestTheSameTextIsKeptOnce(t *testing.T) {
	dir := t.TempDir()
	b := &Backups{Dir: dir, Now: clock()}
	first, err := b.Keep("/file", []byte("same"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep("/file", []byte("between")); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := b.Keep("/file", []byte("same")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.List()
	if err != nil || len(list) != 2 || list[0].ID != first.ID || !list[0].Time.After(first.Time) {
		t.Errorf("%v, %v", list, err)
	}
}

func TestTwoFilesWithOneTextInOneInstantAreBothKept(t *testing.T) {
	b := &Backups{Dir: t.TempDir(), Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 123, time.UTC) }}
	for _, path := range []string{"/a/file", "/b/file", "/b/file"} {
		if _, err := b.Keep(path, []byte("same")); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := b.List(); err != nil || len(list) != 2 || list[0].ID == list[1].ID {
		t.Errorf("%v, %v", list, err)
	}
}

func TestARestoreIsAWriteLikeAnyOther(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	b := &Backups{Dir: filepath.Join(dir, "b"), Now: clock()}
	put(t, path, "first")
	kept, err := Write(path, []byte("first"), []byte("second"), b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restore(kept.ID[:len(kept.ID)-2]); err != nil || text(t, path) != "first" {
		t.Fatalf("%v, file %q", err, text(t, path))
	}
	list, err := b.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	if got, err := b.Text(list[0]); err != nil || string(got) != "second" {
		t.Errorf("the newest copy is %q, %v", got, err)
	}
	if _, err := b.Restore(kept.ID); err != nil {
		t.Errorf("restoring what stands there: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restore(list[0].ID); err != nil || text(t, path) != "second" {
		t.Errorf("a file that was gone: %v", err)
	}
	if _, err := b.Restore("2"); !errors.Is(err, ErrManyBackups) {
		t.Errorf("how several begin: %v", err)
	}
	for _, id := range []string{"", "nothing", "../" + kept.ID} {
		if _, err := b.Restore(id); !errors.Is(err, ErrNoBackup) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestABackupThatWasTamperedWithIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	b := &Backups{Dir: filepath.Join(dir, "b")}
	put(t, path, "first")
	kept, err := Write(path, []byte("first"), []byte("second"), b)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(b.Dir, kept.File), "evil")
	if _, err := b.Restore(kept.ID); err == nil || text(t, path) != "second" {
		t.Errorf("error %v, file %q", err, text(t, path))
	}
	put(t, filepath.Join(b.Dir, "x"+aboutSuffix), `{"id":"x","path":"/x","file":"../../etc/passwd"}`)
	put(t, filepath.Join(b.Dir, "y"+aboutSuffix), `nonsense`)
	if list, err := b.List(); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestWithoutARecordTheBackupGivesBackTheSpelling(t *testing.T) {
	by := installed(t)
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	b := &Backups{Dir: filepath.Join(dir, "b"), Now: clock()}
	raw := "{\"mcpServers\": {\"a\": {\"command\": \"n\\u0070x\", \"args\": [  \"x\"]},\n \"b\":{\"command\":\"y\"}}, \"k\": 1}"
	put(t, path, raw)
	wrapped := mustWrap(t, raw, Format{}, by)
	if _, err := Write(path, []byte(raw), wrapped.Raw, b); err != nil {
		t.Fatal(err)
	}
	records, err := Recover(path, wrapped.Raw, Format{}, by, b)
	if err != nil || len(records) != 2 {
		t.Fatalf("%v, %v", records, err)
	}
	if got := mustUnwrap(t, wrapped.Raw, Format{}, by, records); got != raw {
		t.Errorf("got %s", got)
	}
	edited := strings.Replace(string(wrapped.Raw), `"k": 1`, `"k": 2`, 1)
	if got := mustUnwrap(t, []byte(edited), Format{}, by, records); got != strings.Replace(raw, `"k": 1`, `"k": 2`, 1) {
		t.Errorf("with an edit elsewhere got %s", got)
	}
	other := strings.Replace(string(wrapped.Raw), `"x"]`, `"z"]`, 1)
	if records, err := Recover(path, []byte(other), Format{}, by, b); err != nil || len(records) != 1 || records[0].Name != "b" {
		t.Errorf("another command took the spelling: %v, %v", records, err)
	}
	gone := Installation{Path: filepath.Join(dir, "gone", "sallyport"), Client: ClaudeDesktop}
	broken := strings.ReplaceAll(string(wrapped.Raw), quote(by.Path), quote(gone.Path))
	if records, err := Recover(path, []byte(broken), Format{}, by, b); err != nil || len(records) != 2 {
		t.Errorf("from a removed installation: %v, %v", records, err)
	}
	if got := mustUnwrap(t, []byte(broken), Format{}, by, records); got != raw {
		t.Errorf("from a removed installation got %s", got)
	}
}
