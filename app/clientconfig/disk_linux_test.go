package clientconfig

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDisk gives a folder on a disk of its own, and fills what is left of it. Where nothing may be mounted it makes files
// of this program end at a few bytes instead, which fails in the same place.
func fullDisk(t *testing.T, before func(dir string)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err == nil {
		t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
		before(dir)
		filler, err := os.Create(filepath.Join(dir, "filler"))
		if err != nil {
			t.Fatal(err)
		}
		defer filler.Close()
		for err == nil {
			_, err = filler.Write(make([]byte, 4096))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("filling ended with %v", err)
		}
		return dir
	}
	before(dir)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 8, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Setrlimit(unix.RLIMIT_FSIZE, &limit)
		signal.Reset(syscall.SIGXFSZ)
	})
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	was, now := strings.Repeat("was ", 3000), strings.Repeat("now ", 6000)
	for _, c := range []struct {
		name    string
		backups func(full string) string
	}{
		{"with the backups on it", func(full string) string { return filepath.Join(full, "backups") }},
		{"with the client's file alone on it", func(string) string { return filepath.Join(t.TempDir(), "backups") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fullDisk(t, func(dir string) { put(t, filepath.Join(dir, claudeFile), was) })
			path := filepath.Join(dir, claudeFile)
			backups := &Backups{Dir: c.backups(dir)}
			before := files(t, dir)
			_, err := Write(path, []byte(was), []byte(now), backups)
			if err == nil || !strings.Contains(err.Error(), "nothing was changed") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			if text(t, path) != was {
				t.Error("the file is not what it was")
			}
			if left := strings.TrimPrefix(files(t, dir), "backups "); left != before {
				t.Errorf("left %s", left)
			}
			if list, err := backups.List(); err != nil || len(list) > 1 {
				t.Errorf("kept %v, %v", list, err)
			}
		})
	}
}
