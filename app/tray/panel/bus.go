// Package panel is for tests: the parts of a desktop session that a tray icon and a notification talk to. Bus starts a session bus that
// ends with the test, Panel is a panel with a notification area on it, Item what a program shows there. It imports nothing of ours, and no
// program of ours imports it.
package panel

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// As the system's own session bus, but without starting services: a machine with a notification daemon installed gives the same results as
// one without.
const configuration = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// Bus starts a session bus for the test, with nothing on it, points this process at it and returns its address.
func Bus(t testing.TB) string {
	t.Helper()
	address, _ := StartBus(t)
	return address
}

// StartBus is Bus with a way to end it before the test does.
func StartBus(t testing.TB) (address string, end func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus") // t.TempDir may be too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "session.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, filepath.Join(dir, "socket")), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := exec.Command("dbus-daemon", "--config-file="+file, "--nofork", "--nopidfile", "--print-address=1")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatalf("a session bus of our own: %v (Debian: dbus-daemon)", err)
	}
	end = sync.OnceFunc(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon printed no address: %v", err)
	}
	address = strings.TrimSpace(line)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return address, end
}

// Connect makes a new connection to a bus, closed with the test.
func Connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatalf("connect to %s: %v", address, err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
