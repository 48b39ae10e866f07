package tray

import (
	"context"
	"embed"
	"strings"
	"sync"
	"time"

	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

// Panels of 22 px draw 44 at half the size, those of twice the resolution as it is.
//
//go:embed icons/*-44.png
var icons embed.FS

const iconSuffix = "-44.png"

const (
	watcher     = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemPath    = "/StatusNotifierItem" // where the library has our icon

	patience = time.Second // for the bus, when a window asks whether there is a tray
)

// literal is a title in which the panel finds no access key (com.canonical.dbusmenu, label).
func literal(title string) string { return strings.ReplaceAll(title, "_", "__") }

// item is an icon by the StatusNotifierItem protocol: pure D-Bus, without GTK, beside whatever the window is made of.
type item struct {
	menu *menu
	bus  *dbus.Conn // our own, to ask; the library's is godbus' shared one, and end closes it
	end  func()

	mu     sync.Mutex
	words  string
	closed bool
}

func open(o Options) Tray {
	bus, err := connect()
	if err != nil {
		return nowhere("there is no session bus here")
	}
	t := &item{menu: newMenu(o), bus: bus}
	// All of it before start: the library reads title and tap once when it registers (fyne.io/systray v1.12.2), and whoever
	// asks for the menu first gets it whole.
	systray.SetTitle("Sallyport")
	systray.SetOnTapped(t.menu.tapped)
	t.menu.build()
	t.Set(State{Mood: Starting, Tooltip: "Sallyport is starting"})
	arrivals := make(chan *dbus.Signal, 8)
	bus.Signal(arrivals)
	err = bus.AddMatchSignal(dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcher))
	if err != nil {
		o.Log.Warn("a panel that starts later may show no icon", "why", err)
	}
	start, end := systray.RunWithExternalLoop(nil, nil)
	t.end = end
	start()
	if library, err := dbus.SessionBus(); err == nil {
		go join(arrivals, library)
	}
	return t
}

// join registers the icon with each panel that arrives, as the library does: it listens for panels only after it found none,
// and misses one that starts in between, which at a login is when they start. Registering twice from one connection is
// registering once.
func join(arrivals <-chan *dbus.Signal, library *dbus.Conn) {
	for s := range arrivals {
		var name, before, now string
		if s.Sender == "org.freedesktop.DBus" && dbus.Store(s.Body, &name, &before, &now) == nil && name == watcher && now != "" {
			library.Object(watcher, watcherPath).Call(watcher+".RegisterStatusNotifierItem", dbus.FlagNoReplyExpected, itemPath)
		}
	}
}

// connect starts no bus where there is none, and tells the library where it is: with DBUS_SESSION_BUS_ADDRESS unset it would
// start one with dbus-launch.
func connect() (*dbus.Conn, error) {
	bus, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, err
	}
	if err := bus.Auth(nil); err != nil {
		_ = bus.Close()
		return nil, err
	}
	if err := bus.Hello(); err != nil {
		_ = bus.Close()
		return nil, err
	}
	return bus, nil
}

func (t *item) Set(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if words := t.menu.set(s); words != t.words {
		t.words = words
		systray.SetTooltip(words)
		if t.end != nil {
			systray.SetTitle(words) // what a screen reader says of the icon; the first one named it (Id)
		}
	}
}

// Why asks each time: a panel may come later, and the library registers with it by itself.
func (t *item) Why() string {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	var there bool
	if t.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcher).Store(&there) != nil {
		return "the session bus does not answer"
	}
	const hidden = "this desktop hides tray icons"
	if !there {
		return hidden
	}
	// A watcher without a host keeps a list that nobody draws.
	var host dbus.Variant
	err := t.bus.Object(watcher, watcherPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, watcher, "IsStatusNotifierHostRegistered").Store(&host)
	if shown, ok := host.Value().(bool); err == nil && ok && !shown {
		return hidden
	}
	return ""
}

func (t *item) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	close(t.menu.done)
	_ = t.bus.Close()
	// Where start got no connection, after we had one, end follows a nil pointer.
	defer func() { _ = recover() }()
	t.end()
}
