//go:build unix

package sealed

import (
	"os"
	"testing"
)

func TestAFileThatOthersCanReadOrThatIsALinkIsRefused(t *testing.T) {
	mode := func(name string, mode os.FileMode) func(*testing.T, File) {
		return func(t *testing.T, f File) {
			if err := os.Chmod(f.path(name), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := func(name string) func(*testing.T, File) {
		return func(t *testing.T, f File) {
			elsewhere := f.path(name) + ".elsewhere"
			if err := os.Rename(f.path(name), elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, f.path(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		do   func(*testing.T, File)
		says []string
	}{
		{"the group can read the file", mode(Name, 0o640), []string{Name, "can be read by other users", "chmod 600"}},
		{"others can read the key", mode(keyName, 0o604), []string{keyName, "can be read by other users", "chmod 600"}},
		{"others can write the file", mode(Name, 0o602), []string{Name, "can be changed by other users", "chmod 600"}},
		{"the file is a link", link(Name), []string{Name, "is a symbolic link", "in its place"}},
		{"the key is a link", link(keyName), []string{keyName, "is a symbolic link", "in its place"}},
		{"the file is a folder", func(t *testing.T, f File) {
			if err := os.Remove(f.Path()); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(f.Path(), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{Name, "is not a file of this user alone", "move it away"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := inTest(t)
			f.put(t, openai, "sk-secret-value")
			c.do(t, f)
			f.refuses(t, c.says...)
		})
	}
}

func TestAHomeOrLockThatIsNotThisUsersAloneIsNotWrittenTo(t *testing.T) {
	f := inTest(t)
	f.put(t, openai, "x")
	write := func() error {
		return f.Change(t.Context(), func(d *Draft) error { return d.Put(login, Entry{Value: "y"}) })
	}
	if err := os.Chmod(f.path(lockName), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil {
		t.Error("a lock that others can read: no error")
	}
	if err := os.Remove(f.path(lockName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.Path(), f.path(lockName)); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil {
		t.Error("a lock that is a link: no error")
	}
	if err := os.Remove(f.path(lockName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil {
		t.Error("a home that others can enter: no error")
	}
	if err := os.Chmod(f.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Error(err)
	}
}
