//go:build ui

package uitest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// desk is a desktop of its own: a screen, a session bus with accessibility, a window manager, a notification daemon, and
// the panel of this test.
type desk struct {
	t       testing.TB
	env     []string
	session *dbus.Conn
	a11y    *dbus.Conn
	panel   *panel.Panel
	notes   *notes
}

// newDesk opens a desktop that ends with the test.
func newDesk(t testing.TB) *desk {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder := exec.Command(filepath.Join("..", "..", "..", "build", "with-desktop"), self, "hold")
	holder.Env = append(clean(), "WM=1", "DUNST=1", "DUNSTRC="+dunstrc(t))
	said := new(tail)
	holder.Stderr = said
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = holder.Wait()
	})
	d := &desk{t: t}
	if err := json.NewDecoder(out).Decode(&d.env); err != nil {
		t.Fatalf("no desktop: %v: %s", err, said)
	}
	d.session = d.connect(d.value("DBUS_SESSION_BUS_ADDRESS"))
	var address string
	if err := d.session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		t.Fatalf("accessibility bus: %v", err)
	}
	d.a11y = d.connect(address)
	if d.panel, err = panel.New(d.connect(d.value("DBUS_SESSION_BUS_ADDRESS"))); err != nil {
		t.Fatalf("panel: %v", err)
	}
	if d.notes, err = listen(d.connect(d.value("DBUS_SESSION_BUS_ADDRESS"))); err != nil {
		t.Fatalf("listen to notifications: %v", err)
	}
	return d
}

func (d *desk) connect(address string) *dbus.Conn {
	d.t.Helper()
	bus, err := dbus.Connect(address)
	if err != nil {
		d.t.Fatalf("connect to %s: %v", address, err)
	}
	d.t.Cleanup(func() { bus.Close() })
	return bus
}

// value is a variable of the desktop's environment.
func (d *desk) value(name string) string {
	for _, v := range d.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// tool runs a program of the desktop (xdotool, import, dunstctl) and returns what it printed.
func (d *desk) tool(argv ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// clean is the test's environment without what would lead to another home, bus or screen.
func clean() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "SALLYPORT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "DBUS_") ||
			name == "DISPLAY" || name == "WAYLAND_DISPLAY"
	})
}

// house is an installation: a home of Sallyport's own, on a desktop.
type house struct {
	*desk
	home     string
	inWindow []string // environment of the desktop program alone
	programs string   // folder of the programs, "" for those that make built
}

// newHouse makes a home that nothing runs in yet.
func newHouse(t testing.TB) *house {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "h") // short: the socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	return &house{desk: newDesk(t), home: filepath.Join(dir, "home")}
}

func (h *house) env() []string { return append(slices.Clone(h.desk.env), "SALLYPORT_HOME="+h.home) }

// headless is the environment without a screen.
func (h *house) headless() []string {
	return slices.DeleteFunc(h.env(), func(v string) bool {
		return strings.HasPrefix(v, "DISPLAY=") || strings.HasPrefix(v, "WAYLAND_DISPLAY=")
	})
}

// command runs the command line and returns what it printed and its exit code.
func (h *house) command(args ...string) (string, int) {
	h.t.Helper()
	cmd := exec.Command(program(h.t, "sallyport"), args...)
	cmd.Env = h.env()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// waiting is one inbox item, as the command line has it.
type waiting struct {
	Code     string `json:"code"`
	Kind     string `json:"kind"`
	Server   string `json:"server"`
	Severity string `json:"severity"`
	Digest   string `json:"digest"`
}

func (h *house) inbox() []waiting {
	h.t.Helper()
	out, code := h.command("inbox", "--json")
	var list struct {
		Items []waiting `json:"items"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 && code != 3 {
		h.t.Fatalf("inbox: status %d, %v: %s", code, err, out)
	}
	return list.Items
}

// waits waits until one item of this kind is there, and returns it.
func (h *house) waits(kind string) (found waiting) {
	h.t.Helper()
	wait(h.t, "an item of the kind "+kind+" waits", func() bool {
		for _, item := range h.inbox() {
			if item.Kind == kind {
				found = item
				return true
			}
		}
		return false
	})
	return found
}

// empty waits until nothing waits.
func (h *house) empty() {
	h.t.Helper()
	wait(h.t, "nothing waits", func() bool { return len(h.inbox()) == 0 })
}

// app is one run of the desktop program.
type app struct {
	*house
	cmd   *exec.Cmd
	said  *tail
	ended chan struct{}
	code  int // once ended is closed
}

func (a *app) pid() int { return a.cmd.Process.Pid }

// start starts the desktop program, and ends it with the test.
func (h *house) start(args ...string) *app {
	h.t.Helper()
	a := &app{house: h, said: new(tail), ended: make(chan struct{})}
	path := filepath.Join(h.programs, "sallyport-desktop")
	if h.programs == "" {
		path = program(h.t, "sallyport-desktop")
	}
	a.cmd = exec.Command(path, args...)
	a.cmd.Env = append(h.env(), h.inWindow...)
	a.cmd.Stdout, a.cmd.Stderr = a.said, a.said
	if err := a.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		_ = a.cmd.Wait()
		a.code = a.cmd.ProcessState.ExitCode()
		close(a.ended)
	}()
	h.t.Cleanup(a.end)
	return a
}

// open starts it hidden, as a login does, and waits until its hub answers and its icon is in the tray.
func (h *house) open() *app {
	h.t.Helper()
	a := h.start("--hidden")
	a.ready()
	return a
}

func (a *app) ready() {
	a.t.Helper()
	a.until("a hub", func() bool {
		_, code := a.command("status", "--json")
		return code == 0 || code == 3
	})
	a.tray() // the last that comes; the page of a window that was never shown is not on the accessibility bus
}

func (a *app) end() {
	select {
	case <-a.ended:
		return
	default:
	}
	_ = a.cmd.Process.Signal(os.Interrupt)
	select {
	case <-a.ended:
	case <-time.After(patience):
		a.t.Errorf("the program did not end when it was interrupted")
		_ = a.cmd.Process.Signal(syscall.SIGQUIT) // it says where it hangs
		select {
		case <-a.ended:
		case <-time.After(5 * time.Second):
			_ = a.cmd.Process.Kill()
			<-a.ended
		}
	}
	if a.t.Failed() {
		a.t.Logf("sallyport-desktop said: %s", a.said)
	}
}

// window is the X window, if it is on the screen.
func (d *desk) window() (id string, shown bool) {
	out, err := d.tool("xdotool", "search", "--onlyvisible", "--class", "sallyport-desktop")
	if err != nil || out == "" {
		return "", false
	}
	return strings.Fields(out)[0], true
}

// shows waits for the window, and is its id. One that was just raised may be gone for a moment once more, while the window
// manager puts its frame around it: whoever does something with it takes it from here.
func (a *app) shows() (id string) {
	a.t.Helper()
	a.until("a window on the screen", func() (shown bool) { id, shown = a.window(); return shown })
	return id
}

func (a *app) hides() {
	a.t.Helper()
	a.until("no window on the screen", func() bool { _, shown := a.window(); return !shown })
}

// close closes the window as a person does: with the window manager's key.
func (a *app) close() {
	a.t.Helper()
	id := a.shows()
	if out, err := a.tool("xdotool", "windowactivate", "--sync", id); err != nil {
		a.t.Fatalf("activate the window: %v: %s", err, out)
	}
	// A call of its own: a key that is sent to a window is synthetic, and window managers do not take it.
	if out, err := a.tool("xdotool", "key", "alt+F4"); err != nil {
		a.t.Fatalf("close the window: %v: %s", err, out)
	}
}

// shoot keeps a picture of the screen of a failed test beside the programs, where a person looks for it.
func (a *app) shoot() {
	path := filepath.Join("..", "..", "..", "bin", "failed-"+strings.ReplaceAll(a.t.Name(), "/", "-")+".png")
	if out, err := a.tool("import", "-window", "root", path); err != nil {
		a.t.Logf("no picture: %v: %s", err, out)
		return
	}
	a.t.Logf("a picture of the screen is in %s", path)
}

// wait waits for a condition outside of the program.
func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// tail keeps the last 8 KiB of a stream.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if over := t.buf.Len() - 64<<10; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
