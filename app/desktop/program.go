package desktop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/keychain"
)

// Options of Run.
type Options struct {
	Home    control.Home
	Version string
	Route   string // to open; "" is the inbox
	Hidden  bool   // only in the tray
	// ByWrapper: a wrapper started it, no person. If the person quit the program, it stays closed.
	ByWrapper bool
	Assets    fs.FS // the built page
	// Window opens the window and returns when the program is to end: RunWindow, except in tests.
	Window func(WindowOptions) error
}

var (
	// ErrNoDisplay: there is no screen for a window.
	ErrNoDisplay = errors.New("no display found to open a window on (DISPLAY and WAYLAND_DISPLAY are empty); `sallyport hub` runs without one")
	// ErrNoPage: the program was built without its page.
	ErrNoPage = errors.New("this build has no window page: build it with `make desktop`")
	// ErrInside: a program inside a wrapped server started this one.
	ErrInside = errors.New("a program inside a guarded server can't open the window: open Sallyport yourself")
	// ErrNoWrapper: sallyport is not next to this program.
	ErrNoWrapper = errors.New("sallyport and sallyport-desktop are in different folders: install both in the same one")
)

// raiseTimeout is how long a running window may take to answer a second start.
const raiseTimeout = 5 * time.Second

// Raise shows the window of a running program; raised is false if there is none.
func Raise(ctx context.Context, o Options) (raised bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, raiseTimeout)
	defer cancel()
	c, err := control.DialWith(ctx, o.Home, control.DialOptions{Role: control.RoleCLI, Version: o.Version})
	if errors.Is(err, control.ErrNoHub) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer c.Close()
	if !c.Welcome().Window {
		return false, nil
	}
	if o.Hidden {
		return true, nil
	}
	_, err = control.AskShow(ctx, c, Route(o.Route))
	return true, err
}

// Run raises the window of a program that runs already, or else becomes the hub of this home and opens its own. It must run on the main
// goroutine, and returns when the person quits.
func Run(ctx context.Context, o Options) error {
	if raised, err := Raise(ctx, o); raised || err != nil {
		return err
	}
	if control.StartedInside() {
		return ErrInside
	}
	// Check first: nothing is taken over that we could not carry on.
	if !control.HasDisplay() {
		return ErrNoDisplay
	}
	if _, err := fs.Stat(o.Assets, "index.html"); err != nil {
		return ErrNoPage
	}
	wrapper := control.WrapperProgram()
	if wrapper == "" {
		return ErrNoWrapper
	}
	listener, err := takeOver(ctx, o)
	if listener == nil {
		return err
	}
	defer listener.Close() // last: whoever waits to take over expects everything to be released by then
	log, closeLog := openLog(o.Home)
	defer closeLog()

	if !o.ByWrapper {
		o.Home.OpenWindow()
	}
	shell := NewShell()
	quit := func() {
		o.Home.ShutWindow() // or the next wrapper without a hub would open it again
		shell.Quit()
	}
	shell.Keep(o.Route)
	page := NewPage(shell)
	page.ownSecrets.store = keychain.Secrets(o.Home.Dir)
	page.stays = func() error { return clientconfig.Stays(wrapper) }
	page.version, page.probe = o.Version, []string{wrapper, "probe", "--json"}
	options := app.Options{Home: o.Home, StartedBy: app.ByDesktop, Window: true, Version: o.Version, Program: wrapper, Keychain: keychain.Seals(o.Home.Dir), Show: func(route string) { go shell.Show(route) }}
	page.say = newAttention(shell, page.asksToQuit(quit), log)
	defer page.say.close()
	options.Notify = page.say.Notify
	shell.icon = func() bool { return page.say.tray.Why() == "" }
	host, err := openHost(listener, options, log)
	if err != nil {
		return err
	}
	defer host.close()
	page.hub = host.hub.Load
	go host.follow(shell, page.say)
	page.keepsSnooze(host.changed)
	if o.Hidden {
		page.withoutIcon(o.ByWrapper)
	}
	host.changed()
	ctx, forget := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer forget()
	go func() { // a hub that ended because its home is gone closes the window
		select {
		case <-host.ended:
		case <-ctx.Done(): // a signal: the toolkit would treat it as closing the window, which only hides it
		}
		shell.Quit()
	}()
	width, height := page.keepsSize()
	err = o.Window(WindowOptions{
		Shell: shell, Page: page, Assets: o.Assets, Hidden: o.Hidden, Width: width, Height: height, Lock: lockName(o.Home), Notes: page.say.kits, Quit: quit,
	})
	return errors.Join(err, host.close())
}

// takeOver takes the socket, which makes this the one program of the home. Wails' own lock would come too late: Wails checks it after
// start-up began (docs/desktop.md). No listener and no error means that another program started at the same time and shows its window.
func takeOver(ctx context.Context, o Options) (*control.Listener, error) {
	listener, err := control.TakeOver(ctx, o.Home, control.DialOptions{Version: o.Version})
	if !errors.Is(err, control.ErrRunning) {
		return listener, err
	}
	if raised, bad := Raise(ctx, o); raised || bad != nil {
		return nil, bad
	}
	return nil, fmt.Errorf("%w; stop it where you started it, then open Sallyport again", err)
}

// maxLog is the size at which the log is emptied.
const maxLog = 4 << 20

func openLog(home control.Home) (*slog.Logger, func()) {
	f, err := disk.Open(filepath.Join(home.Logs, "desktop.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return slog.New(slog.DiscardHandler), func() {}
	}
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > maxLog {
		_ = f.Truncate(0)
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelWarn})), func() { f.Close() }
}

// lockName is unique to a home. It is no path, because it becomes part of a name on the session bus.
func lockName(home control.Home) string {
	sum := sha256.Sum256([]byte(home.Dir))
	return "sallyport-" + hex.EncodeToString(sum[:8])
}
