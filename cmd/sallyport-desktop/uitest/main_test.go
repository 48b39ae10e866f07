//go:build ui

package uitest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
	"github.com/sallyport/sallyport/proxy/scripted"
)

// patience is how long anything that must happen may take; only a failure ever waits that long.
const patience = 30 * time.Second

// scratch is removed after the last test. Its path is short: sockets live below it.
var scratch string

// TestMain makes the test binary its own helper: the scripted servers (with their scripts
// for tests that are not in Go), a guardrail provider, a remote server that wants a sign-in, and what holds a desktop open.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "scripted" {
		os.Exit(scripted.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) == 4 && os.Args[1] == "fixture" {
		if err := fixture(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "judge" {
		os.Exit(judge(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 2 && os.Args[1] == "remote" {
		os.Exit(remote())
	}
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		os.Exit(hold())
	}
	if len(os.Args) == 2 && os.Args[1] == "panel" {
		os.Exit(showPanel())
	}
	dir, err := os.MkdirTemp("", "ui")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	os.Setenv("SALLYPORT_KEYCHAIN", "off") // hubs of tests leave nothing in the keychain of whoever runs them
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// hold runs inside a desktop: it says what the desktop's environment is, and stays until its input ends.
func hold() int {
	if err := json.NewEncoder(os.Stdout).Encode(os.Environ()); err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// showPanel is a panel with a notification area on the desktop's bus, for the tests that are not in Go. It stays until its
// input ends.
func showPanel() int {
	bus, err := dbus.ConnectSessionBus()
	if err == nil {
		_, err = panel.New(bus)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// program is one of ours, as it ships.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "bin", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v: make desktop builds it", err)
	}
	return path
}
