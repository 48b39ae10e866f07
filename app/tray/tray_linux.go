package tray

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

//go:embed icons/*.png
var icons embed.FS

// The StatusNotifierItem protocol (freedesktop.org, StatusNotifierItem), as KDE, GNOME's extension and the small panels speak it.
const (
	watcher     = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemFace    = "org.kde.StatusNotifierItem"
	itemPath    = dbus.ObjectPath("/StatusNotifierItem")
)

const patience = 3 * time.Second // for the bus, when the window asks whether there is a tray

// item is our icon on a session bus: pure D-Bus, independent of the window's toolkit. Why we use no library: docs/decisions/003-tray.md.
type item struct {
	bus    *dbus.Conn
	clicks *clicks

	mu       sync.Mutex
	state    State
	menu     [rowCount]entry
	revision uint32      // of the menu
	shown    *time.Timer // running while a panel shows the menu: when we stop believing it
	closed   bool
}

func open(o Options) Tray {
	bus, err := connect()
	if err != nil {
		return nowhere(noBus)
	}
	starting := State{Mood: Starting, Tooltip: "Sallyport is starting"}
	t := &item{bus: bus, clicks: newClicks(o), state: starting, menu: menuOf(starting), revision: 1}
	if err := t.export(); err != nil {
		t.Close()
		o.Log.Warn("no tray icon", "why", err)
		return nowhere("the session bus doesn't accept a tray icon")
	}
	return t
}

const (
	noBus  = "no session bus found"
	hidden = "this desktop hides tray icons"
)

// connect never starts a bus.
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

// export shows the icon to every current and future panel.
func (t *item) export() error {
	if err := errors.Join(t.exportIcon(), t.exportMenu()); err != nil {
		return err
	}
	// Some panels know an icon by this name, and all notice by it that the program has ended.
	if _, err := t.bus.RequestName(fmt.Sprintf("%s-%d-1", itemFace, os.Getpid()), dbus.NameFlagDoNotQueue); err != nil {
		return err
	}
	// Subscribe first, then register with the current panel: one that starts in between is told twice, which is harmless.
	arrivals := make(chan *dbus.Signal, 8)
	t.bus.Signal(arrivals)
	if err := t.bus.AddMatchSignal(dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcher)); err != nil {
		return err
	}
	t.register()
	go func() {
		for s := range arrivals {
			var name, before, now string
			if s.Sender == "org.freedesktop.DBus" && dbus.Store(s.Body, &name, &before, &now) == nil && name == watcher && now != "" {
				t.register()
			}
		}
	}()
	return nil
}

// register tells the panel, if there is one.
func (t *item) register() {
	t.bus.Object(watcher, watcherPath).Call(watcher+".RegisterStatusNotifierItem", dbus.FlagNoReplyExpected|dbus.FlagNoAutoStart, string(itemPath))
}

func (t *item) Set(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	before := t.state
	t.state = s
	// Signals say that something changed; panels then read it. A signal that can't be sent, because the session ends, matters to nobody.
	if tooltip(s) != tooltip(before) {
		_ = t.bus.Emit(itemPath, itemFace+".NewTitle")
		_ = t.bus.Emit(itemPath, itemFace+".NewToolTip")
	}
	if s.Mood != before.Mood {
		_ = t.bus.Emit(itemPath, itemFace+".NewIcon")
	}
	t.bringUp()
}

// Why checks each time: a panel may come later.
func (t *item) Why() string {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	var there bool
	if t.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcher).Store(&there) != nil {
		return noBus
	}
	if !there {
		return hidden
	}
	// A watcher without a host keeps a list that nobody draws.
	var host dbus.Variant
	err := t.bus.Object(watcher, watcherPath).CallWithContext(ctx, propsFace+".Get", 0, watcher, "IsStatusNotifierHostRegistered").Store(&host)
	if shown, ok := host.Value().(bool); err == nil && ok && !shown {
		return hidden
	}
	return ""
}

// Close removes the icon: without its connection it disappears from every panel. A callback may call it.
func (t *item) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		t.clicks.end()
		if t.shown != nil {
			t.shown.Stop()
		}
		_ = t.bus.Close()
	}
}
