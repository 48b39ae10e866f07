package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// asSomebody runs f without root's right to read everything. It is the thread's own identity for files that changes, so
// nothing else of the test program does.
func asSomebody(f func()) {
	if os.Getuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before, _ := unix.SetfsuidRetUid(65534)
		defer unix.SetfsuidRetUid(before)
	}
	f()
}

func TestARefusedPermissionIsDeniedAndNeverNoFile(t *testing.T) {
	for _, c := range []struct{ name, system, file, closed string }{
		{"the file", "linux", "/home/ann/.config/Claude/claude_desktop_config.json", "/home/ann/.config/Claude/claude_desktop_config.json"},
		{"its folder", "linux", "/home/ann/.config/Claude/claude_desktop_config.json", "/home/ann/.config/Claude"},
		{"macOS's folder", "darwin", "/home/ann/Library/Application Support/Claude/claude_desktop_config.json", "/home/ann/Library/Application Support"},
		{"the folder of Windows packages", "windows", "/home/ann/AppData/Local/Packages/Claude_x/LocalCache/Roaming/Claude/claude_desktop_config.json", "/home/ann/AppData/Local/Packages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fake(t, c.system, "/home/ann", nil)
			put(t, s.Root+c.file, nothing)
			if err := os.Chmod(s.Root+c.closed, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(s.Root+c.closed, 0o755) })
			var l Location
			asSomebody(func() { l = the(t, Locate(s), ClaudeDesktop) })
			if l.State != Denied || !errors.Is(l.Err, fs.ErrPermission) || !strings.Contains(l.Err.Error(), "allow Sallyport") {
				t.Errorf("it is %s (%v)", l.State, l.Err)
			}
		})
	}
}

func TestAFolderThatTakesNoFileIsReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude", claudeFile)
	put(t, path, nothing)
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o755) })
	backups := &Backups{Dir: t.TempDir()}
	if err := os.Chmod(backups.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var err error
	asSomebody(func() { _, err = Write(path, []byte(nothing), []byte(`{}`), backups) })
	if !errors.Is(err, ErrReadOnly) {
		t.Errorf("error %v", err)
	}
}
