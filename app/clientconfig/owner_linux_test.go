package clientconfig

import (
	"errors"
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

func TestAttributesStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, claudeFile)
	put(t, path, "was")
	set := unix.Setxattr(path, "user.note", []byte("mine"), 0)
	if _, err := Write(path, []byte("was"), []byte("now"), &Backups{Dir: filepath.Join(dir, "b")}); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	n, err := unix.Getxattr(path, "user.note", value)
	if set == nil && (err != nil || string(value[:n]) != "mine") {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
}

func TestAWriteInTheLastInstantGoesBack(t *testing.T) {
	dir := t.TempDir()
	target, fresh := filepath.Join(dir, claudeFile), filepath.Join(dir, "fresh")
	put(t, target, "somebody else's")
	put(t, fresh, "now")
	if err := putInPlace(fresh, target, []byte("was"), []byte("now")); !errors.Is(err, ErrChanged) || text(t, target) != "somebody else's" {
		t.Errorf("error %v, file %q", err, text(t, target))
	}
	if text(t, fresh) != "now" {
		t.Errorf("left over is %q", text(t, fresh))
	}
	if err := putInPlace(fresh, target, []byte("somebody else's"), []byte("now")); err != nil || text(t, target) != "now" || files(t, dir) != claudeFile {
		t.Errorf("error %v, file %q, folder %s", err, text(t, target), files(t, dir))
	}
	put(t, fresh, "now")
	if err := putInPlace(fresh, filepath.Join(dir, "gone"), nil, []byte("now")); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that is gone: %v", err)
	}
}
