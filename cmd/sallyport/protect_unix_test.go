//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestModeOwnerAndSymbolicLinkAreKept(t *testing.T) {
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, ordinary)
			target := filepath.Join(i.dir, "dotfiles", "claude.json")
			if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(i.file, target); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../dotfiles/claude.json", i.file); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(target, 0o640); err != nil {
				t.Fatal(err)
			}
			if os.Getuid() == 0 { // only root can give files away
				if err := os.Chown(target, 12345, 23456); err != nil {
					t.Fatal(err)
				}
			}
			before := standing(t, target)
			stop := i.hub()
			for _, do := range []func(){
				func() { i.want(exitFine, "protect", "--config", i.file) },
				func() { i.unprotect(stop, withHub) },
			} {
				do()
				if now := standing(t, target); now != before {
					t.Errorf("was %+v, is %+v", before, now)
				}
				if to, err := os.Readlink(i.file); err != nil || to != "../dotfiles/claude.json" {
					t.Errorf("the link leads to %q, %v", to, err)
				}
				left, err := filepath.Glob(filepath.Join(filepath.Dir(target), "*"))
				if err != nil || len(left) != 1 {
					t.Errorf("left beside it: %q, %v", left, err)
				}
			}
			if i.read() != ordinary {
				t.Errorf("is %s", i.read())
			}
		})
	}
}

type stood struct {
	mode     os.FileMode
	uid, gid uint32
}

func standing(t *testing.T, path string) stood {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	system := info.Sys().(*syscall.Stat_t)
	return stood{info.Mode(), system.Uid, system.Gid}
}

func TestAFileThatTakesNoWriteIsLeftWithAClearLine(t *testing.T) {
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, ordinary)
			stop := i.hub()
			if err := os.Chmod(i.file, 0o444); err != nil {
				t.Fatal(err)
			}
			refused(t, i, ordinary, "read-only", "protect", "--config", i.file)
			if err := os.Chmod(i.file, 0o644); err != nil {
				t.Fatal(err)
			}
			i.want(exitFine, "protect", "--config", i.file)
			protected := i.read()
			if err := os.Chmod(i.file, 0o400); err != nil {
				t.Fatal(err)
			}
			if !withHub {
				stop()
			}
			refused(t, i, protected, "read-only", "unprotect", "--config", i.file, "--yes")
		})
	}
}

// refused expects one line that says what is wrong, and the file and its folder unchanged.
func refused(t *testing.T, i *installation, content, why string, args ...string) {
	t.Helper()
	out := i.want(exitFailed, args...)
	if strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "sallyport: "+args[0]+": ") || !strings.Contains(out, why) {
		t.Errorf("said %q", out)
	}
	if got := i.read(); got != content {
		t.Errorf("was\n%s\nis\n%s", content, got)
	}
	left, err := os.ReadDir(filepath.Dir(i.file))
	if err != nil || len(left) > 2 { // the file, and what fills its disk
		t.Errorf("left beside it: %v, %v", left, err)
	}
}

// Something else at the file's path (a pipe, a folder) is never opened, waited for or replaced.
func TestWhatIsNoFileIsLeftWithAClearLine(t *testing.T) {
	for name, put := range map[string]func(string) error{
		"a pipe":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":           func(path string) error { return os.Symlink("/dev/zero", path) },
		"a ring of links":    func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"a link to nowhere":  func(path string) error { return os.Symlink("nowhere.json", path) },
		"a file of forty MB": func(path string) error { return os.WriteFile(path, make([]byte, 40<<20), 0o600) },
		"a file as folder": func(path string) error {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(path), nil, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := install(t, "")
			if err := errors.Join(os.Remove(i.file), put(i.file)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(i.file)
			look := func() {
				t.Helper()
				for _, verb := range []string{"protect", "unprotect"} {
					said := i.want(exitFailed, verb, "--config", i.file)
					if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "sallyport: "+verb+": ") || !strings.Contains(said, i.file) {
						t.Errorf("said %q", said)
					}
				}
				if now, _ := os.Lstat(i.file); (now == nil) != (before == nil) || now != nil && (now.Mode() != before.Mode() || now.Size() != before.Size()) {
					t.Errorf("%v was put in the place of %v", now, before)
				}
			}
			look()
			if _, err := os.Lstat(i.home); err == nil {
				t.Error("a home was made")
			}
			i.hub()
			look()
		})
	}
}
