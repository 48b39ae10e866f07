//go:build unix

package main

import (
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

// refused wants one line that says what is the matter, and the file and its folder as they were.
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
