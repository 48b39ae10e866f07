//go:build linux

package control

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/proxy/disk"
)

func TestHomeStandsWhereTheEnvironmentSays(t *testing.T) {
	for name, c := range map[string]struct {
		env                     map[string]string
		settings, store, socket string
	}{
		"SALLYPORT_HOME holds all of it": {
			map[string]string{"SALLYPORT_HOME": "/h/", "XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/home/a"},
			"/h/settings.json", "/h/sallyport.db", "/h/hub.sock",
		},
		"the XDG folders": {
			map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r", "HOME": "/home/a"},
			"/c/sallyport/settings.json", "/d/sallyport/sallyport.db", "/r/sallyport/hub.sock",
		},
		"without a runtime folder the socket is with the data": {
			map[string]string{"HOME": "/home/a"},
			"/home/a/.config/sallyport/settings.json", "/home/a/.local/share/sallyport/sallyport.db", "/home/a/.local/share/sallyport/hub.sock",
		},
		"relative XDG folders are ignored": {
			map[string]string{"XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "d", "XDG_RUNTIME_DIR": "r", "HOME": "/home/a"},
			"/home/a/.config/sallyport/settings.json", "/home/a/.local/share/sallyport/sallyport.db", "/home/a/.local/share/sallyport/hub.sock",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := FindHome(func(k string) string { return c.env[k] })
			if err != nil || h.Settings != c.settings || h.Store != c.store || h.Socket != c.socket {
				t.Errorf("got %+v, %v", h, err)
			}
		})
	}
	if _, err := FindHome(func(string) string { return "" }); err == nil {
		t.Error("a home was found in an empty environment")
	}
}

func TestFoldersThatAreNotOursAloneAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string) error
		says string
	}{
		"a folder that others can read": {func(dir string) error { return os.Mkdir(dir, 0o755) }, "chmod 700"},
		"a folder that the group can enter": {func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o710)
		}, "chmod 700"},
		"a symbolic link to a folder that is fine": {func(dir string) error {
			if err := os.Mkdir(dir+"-real", 0o700); err != nil {
				return err
			}
			return os.Symlink(dir+"-real", dir)
		}, "symbolic link"},
		"a link that leads nowhere": {func(dir string) error { return os.Symlink(dir+"-none", dir) }, "symbolic link"},
		"a file":                    {func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			if err := c.make(h.Dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Listen(h); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Listen: %v", err)
			}
			if _, err := Dial(testContext(t), h, RoleCLI); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Dial: %v", err)
			}
		})
	}
	t.Run("a spool that others can read, in a home that is fine", func(t *testing.T) {
		h := testHome(t)
		if err := h.Make(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(h.Spool, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := openSpool(h.Spool, testRegister("one"), nil, maxSpool); err == nil {
			t.Error("a spool was opened there")
		}
	})
}

func TestWhatIsMadeIsForItsOwnerAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s, err := openSpool(h.Spool, testRegister("one"), nil, maxSpool)
	if err != nil {
		t.Fatal(err)
	}
	defer s.remove()
	err = filepath.Walk(h.Dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatSomebodyElsePutThereAreRefused(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a symbolic link": func(path string) error {
			if err := os.WriteFile(path+"-real", nil, 0o600); err != nil {
				return err
			}
			return os.Symlink(path+"-real", path)
		},
		"a pipe that nobody writes to": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a file that others can read":  func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"a folder":                     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if f, err := disk.Open(path, os.O_RDONLY); err == nil {
				f.Close()
				t.Error("it was opened")
			}
		})
	}
}

func TestASocketPathThatIsTooLongFallsBackToTheTemporaryFolder(t *testing.T) {
	short, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("TMPDIR", short)
	h, err := HomeAt(filepath.Join(short, strings.Repeat("long", 30), "home"))
	if err != nil {
		t.Fatal(err)
	}
	serveHub(t, h, newTestHub(), Options{})

	// A client that Claude started has another TMPDIR; the data folder knows.
	t.Setenv("TMPDIR", t.TempDir())
	dial(t, h, RoleCLI)

	folder := filepath.Join(short, "sallyport-"+strconv.Itoa(os.Getuid()))
	if info, err := os.Lstat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the socket: %v, %v", info, err)
	}
}

func TestAFallbackFolderThatIsNotOursAloneIsRefused(t *testing.T) {
	short, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("TMPDIR", short)
	if err := os.Mkdir(filepath.Join(short, "sallyport-"+strconv.Itoa(os.Getuid())), 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := HomeAt(filepath.Join(short, strings.Repeat("long", 30), "home"))
	if err != nil {
		t.Fatal(err)
	}
	if ln, err := Listen(h); err == nil {
		ln.Close()
		t.Error("it listens there")
	}
}

func TestThePlatformsLimitOfASocketPathIsOurs(t *testing.T) {
	dir, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := homeIn(filepath.Join(dir, "d"), filepath.Join(dir, "d"), filepath.Join(dir, "d"))
	h.Socket = filepath.Join(dir, strings.Repeat("r", maxSocketPath-len(dir)-len("//hub.sock")), "hub.sock")
	if len(h.Socket) != maxSocketPath {
		t.Fatalf("the path has %d bytes", len(h.Socket))
	}
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if ln.Path() != h.Socket {
		t.Errorf("a path of %d bytes was replaced by %s", maxSocketPath, ln.Path())
	}
}
