package reveal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// enough is far more than anything here takes; only a failing test waits that long.
const enough = 30 * time.Second

// asked is one call as a file manager receives it.
type asked struct {
	method string
	uris   []string
}

// manager is a file manager on the bus that opens nothing, records its calls and responds as configured.
func manager(t *testing.T, address string, answer *dbus.Error) <-chan asked {
	t.Helper()
	conn, calls := panel.Connect(t, address), make(chan asked, 8)
	hear := func(method string) func([]string, string) *dbus.Error {
		return func(uris []string, _ string) *dbus.Error {
			calls <- asked{method, uris}
			return answer
		}
	}
	if err := conn.ExportMethodTable(map[string]any{"ShowItems": hear("ShowItems"), "ShowFolders": hear("ShowFolders")}, object, service); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("own %s: %v %v", service, reply, err)
	}
	return calls
}

// opener puts an xdg-open into PATH that records its arguments and exits as given.
func opener(t *testing.T, status string) (told string) {
	t.Helper()
	folder := t.TempDir()
	told = filepath.Join(folder, "told")
	script := "#!/bin/sh\nprintf '%s|' \"$@\" > '" + told + "'\nexit " + status + "\n"
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	return told
}

func TestTheFileManagerIsAskedForTheFileAndForTheFolderOfOneThatIsGone(t *testing.T) {
	root := t.TempDir()
	there := filepath.Join(root, "a b#ü.json")
	if err := os.WriteFile(there, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := manager(t, panel.Bus(t), nil)
	told := opener(t, "0")
	for _, c := range []struct{ name, path, method, uri string }{
		{"a file", there, "ShowItems", "file://" + root + "/a%20b%23%C3%BC.json"},
		{"no file", filepath.Join(root, "none.json"), "ShowFolders", "file://" + root},
		{"no folder either", filepath.Join(root, "Claude", "x", "none.json"), "ShowFolders", "file://" + root},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := Show(c.path); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-calls:
				if got.method != c.method || len(got.uris) != 1 || got.uris[0] != c.uri {
					t.Errorf("asked %+v, want %s %s", got, c.method, c.uri)
				}
			case <-time.After(enough):
				t.Fatal("the file manager was not asked")
			}
		})
	}
	if _, err := os.Stat(told); err == nil {
		t.Error("the folder was opened a second time, by xdg-open")
	}
}

func TestWhereNoFileManagerAnswersTheFolderIsOpened(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "config.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, session := range map[string]func(*testing.T){
		"none on the bus":  func(t *testing.T) { panel.Bus(t) },
		"one that refuses": func(t *testing.T) { manager(t, panel.Bus(t), dbus.MakeFailedError(errors.New("no screen"))) },
		"no bus":           func(t *testing.T) { t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(root, "no-bus")) },
	} {
		t.Run(name, func(t *testing.T) {
			session(t)
			told := opener(t, "0")
			if err := Show(file); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(told); err != nil || string(got) != root+"|" {
				t.Errorf("xdg-open was given %q, %v", got, err)
			}
		})
	}
}

func TestWhatCannotBeShownIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	panel.Bus(t)
	opener(t, "3")
	if err := Show(file); !errors.Is(err, ErrNoManager) {
		t.Errorf("xdg-open failed: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Show(file); !errors.Is(err, ErrNoManager) {
		t.Errorf("no xdg-open: %v", err)
	}
	if err := Show("config.json"); !errors.Is(err, ErrNoFolder) {
		t.Errorf("a path from nowhere: %v", err)
	}
}
