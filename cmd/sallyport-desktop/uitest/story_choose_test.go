//go:build ui

package uitest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	chooseFile   = "Choose file… for Claude Desktop"
	showInFolder = "Show in folder: the file of Claude Desktop"
	openDialog   = "Choose the settings file of Claude Desktop" // the title of the toolkit's own dialog
)

// If a client's file is missing, the toolkit's dialog offers to choose another. Cancelling it changes nothing. A chosen file is shown and
// protected, and the client's own stays missing. The desktop's file manager opens the nearest existing folder; if none responds, the window
// says what to do.
func TestAFileThatIsMissingIsChosenInTheDialogOfTheToolkit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	own := filepath.Join(h.value("HOME"), ".config", "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(own)), 0o700); err != nil {
		t.Fatal(err)
	}
	h.noOpener()
	a := h.start()
	a.ready()
	a.shows()
	a.says("We couldn’t find the settings file of Claude Desktop", own)

	a.press(button, showInFolder)
	a.says("No file manager responded. Open this folder yourself: " + filepath.Dir(own))
	manager := h.fileManager()
	a.press(button, showInFolder)
	a.until("the file manager is asked", func() bool { return manager.asked() == "ShowFolders file://"+filepath.Dir(filepath.Dir(own)) })
	a.until("the sentence is gone", func() bool { return !strings.Contains(a.reads(), "No file manager") })

	mine := filepath.Join(t.TempDir(), "mine of mine.json")
	bare := []byte(`{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`)
	if err := os.WriteFile(mine, bare, 0o600); err != nil {
		t.Fatal(err)
	}
	a.press(button, chooseFile)
	a.cancels()
	a.says("We couldn’t find the settings file of Claude Desktop", own)
	a.press(button, chooseFile)
	a.chooses(mine)
	a.says(mine, "1 of 1 server will be guarded")
	a.press(button, seeChange)
	a.press(button, protect)
	wait(t, "the chosen file has the guard in it", func() bool { return bytes.Contains(h.file(mine), []byte(`"wrap"`)) })
	if _, err := os.Lstat(own); err == nil {
		t.Error("the client's own file was made")
	}
}

// An unreadable file has the same two buttons in the list of servers: the file manager shows the file itself.
func TestAFileThatIsBrokenIsShownAndReplacedByAChosenOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	own := filepath.Join(h.value("HOME"), ".config", "Claude", "claude_desktop_config.json")
	broken := []byte("{\n\t\"mcpServers\": {\n")
	mine := filepath.Join(t.TempDir(), "mine.json")
	bare := []byte(`{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`)
	for path, text := range map[string][]byte{own: broken, mine: bare} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	manager := h.fileManager()
	a := h.start("#/servers")
	a.ready()
	a.shows()
	a.says("There’s a typo on line 3, column 1")
	a.press(button, showInFolder)
	a.until("the file manager is asked", func() bool { return manager.asked() == "ShowItems file://"+own })
	a.press(button, chooseFile)
	a.chooses(mine)
	a.press(button, "Add guard to weather")
	a.press(button, "Guard this server: weather")
	wait(t, "the chosen file has the guard in it", func() bool { return bytes.Contains(h.file(mine), []byte(`"wrap"`)) })
	if !bytes.Equal(h.file(own), broken) {
		t.Errorf("the client's own file is %s", h.file(own))
	}

	// The dialog runs a loop inside the window's, but doesn't stop the program from ending.
	a.press(button, chooseFile)
	a.until("the dialog", func() bool { return a.dialog() != "" })
	a.end()
	if a.code != 0 {
		t.Errorf("it ended with %d: %s", a.code, a.said)
	}
}

// A program in the temporary folder is gone tomorrow: neither the window nor the command line writes it into a file, in the same words.
func TestTheWindowOfAProgramInTheTemporaryFolderWritesNoFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.programs = t.TempDir()
	for _, name := range []string{"sallyport", "sallyport-desktop"} {
		raw, err := os.ReadFile(program(t, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(h.programs, name), raw, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h.inWindow = append(h.inWindow, "SALLYPORT_HOME=") // as started by a person, who named none
	own := filepath.Join(h.value("HOME"), ".config", "Claude", "claude_desktop_config.json")
	bare := []byte(`{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`)
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, bare, 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.start()
	a.shows()
	refusal := filepath.Join(h.programs, "sallyport") + " is in the temporary folder, and clients keep this path: install the program in a permanent place"
	a.says(own, refusal)
	if _, there := a.look(button, "Protect 1 server"); there {
		t.Error("there is a button that writes")
	}
	typed := exec.Command(filepath.Join(h.programs, "sallyport"), "protect")
	typed.Env = append(h.env(), "SALLYPORT_HOME=")
	if out, err := typed.CombinedOutput(); err == nil || !strings.Contains(string(out), refusal) {
		t.Errorf("protect: %v: %s", err, out)
	}
	if !bytes.Equal(h.file(own), bare) {
		t.Errorf("the file is %s", h.file(own))
	}
}

func (h *house) file(path string) []byte {
	h.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return raw
}

// dialog is the X window of the toolkit's dialog, "" while there is none.
func (a *app) dialog() string {
	out, err := a.tool("xdotool", "search", "--onlyvisible", "--name", "^"+openDialog+"$")
	if err != nil {
		return ""
	}
	id, _, _ := strings.Cut(out, "\n")
	return id
}

// cancels waits for the dialog and presses Escape in it.
func (a *app) cancels() {
	a.t.Helper()
	a.types("key", "Escape")
	a.until("no dialog", func() bool { return a.dialog() == "" })
}

// chooses waits for the dialog and types a path into it. The field appears with the first key and misses what is typed before that.
func (a *app) chooses(path string) {
	a.t.Helper()
	const text role = 61
	shows := func(want string) {
		a.t.Helper()
		a.until("the dialog has "+want, func() bool {
			n, found := a.look(text, "")
			return found && n.is(stateFocused) && n.text() == want
		})
	}
	a.types("key", "slash")
	shows("/")
	a.types("type", strings.TrimPrefix(path, "/"))
	shows(path)
	a.types("key", "Return")
	a.until("no dialog", func() bool { return a.dialog() == "" })
}

// types sends keys to the dialog.
func (a *app) types(keys ...string) {
	a.t.Helper()
	a.until("the dialog", func() bool { return a.dialog() != "" })
	if out, err := a.tool("xdotool", "windowactivate", "--sync", a.dialog()); err != nil {
		a.t.Fatalf("activate the dialog: %v: %s", err, out)
	}
	if out, err := a.tool(append([]string{"xdotool"}, keys...)...); err != nil {
		a.t.Fatalf("%q: %v: %s", keys, err, out)
	}
}

// noOpener gives the program an xdg-open that opens nothing, as on a desktop without a file manager.
func (h *house) noOpener() {
	h.t.Helper()
	folder := h.t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.inWindow = append(h.inWindow, "PATH="+folder+":"+os.Getenv("PATH"))
}

// fileManager is a file manager on the desktop's bus that opens nothing and records its last request.
type fileManager struct{ calls chan string }

func (h *house) fileManager() *fileManager {
	h.t.Helper()
	const name = "org.freedesktop.FileManager1"
	bus, m := h.connect(h.value("DBUS_SESSION_BUS_ADDRESS")), &fileManager{make(chan string, 8)}
	hear := func(method string) func([]string, string) *dbus.Error {
		return func(uris []string, _ string) *dbus.Error {
			m.calls <- method + " " + strings.Join(uris, " ")
			return nil
		}
	}
	err := bus.ExportMethodTable(map[string]any{"ShowItems": hear("ShowItems"), "ShowFolders": hear("ShowFolders")}, "/org/freedesktop/FileManager1", name)
	if err != nil {
		h.t.Fatal(err)
	}
	if reply, err := bus.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		h.t.Fatalf("own %s: %v %v", name, reply, err)
	}
	return m
}

// asked is the request since the last call, "" for none.
func (m *fileManager) asked() string {
	select {
	case call := <-m.calls:
		return call
	default:
		return ""
	}
}
