package clientconfig

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheOwnerStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	put(t, path, "was")
	// Root may give a file away; anybody may give it to another of their groups, and keep it.
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 23456
	} else if groups, err := os.Getgroups(); err == nil && len(groups) > 0 {
		gid = groups[len(groups)-1]
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, []byte("was"), []byte("now"), &Backups{Dir: filepath.Join(dir, "b")}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	is := info.Sys().(*syscall.Stat_t)
	if int(is.Uid) != uid || int(is.Gid) != gid || info.Mode() != 0o640 || text(t, path) != "now" {
		t.Errorf("owner %d:%d, mode %v", is.Uid, is.Gid, info.Mode())
	}
}

func TestABrokenFileStopsNobody(t *testing.T) {
	s := fake(t, "linux", "/home/ann", nil)
	path := s.Root + "/home/ann/.config/Claude/" + claudeFile
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if l := the(t, Locate(s), ClaudeDesktop); l.State != Unreadable || !strings.Contains(l.Err.Error(), "not a file") {
		t.Errorf("a pipe is %s (%v)", l.State, l.Err)
	}
}
