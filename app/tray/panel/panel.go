package panel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcher     = "org.kde.StatusNotifierWatcher"
	isHost      = "IsStatusNotifierHostRegistered"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
)

// Panel is a panel with a notification area: programs register their icons with it.
type Panel struct {
	conn  *dbus.Conn
	props *prop.Properties

	mu     sync.Mutex
	items  []*Item
	joined chan struct{} // closed and replaced whenever an item registers
}

// New puts a panel on the bus of conn.
func New(conn *dbus.Conn) (*Panel, error) {
	p := &Panel{conn: conn, joined: make(chan struct{})}
	if err := conn.Export(registrar{p}, watcherPath, watcher); err != nil {
		return nil, err
	}
	property := func(v any) *prop.Prop { return &prop.Prop{Value: v, Emit: prop.EmitFalse} }
	var err error
	p.props, err = prop.Export(conn, watcherPath, prop.Map{watcher: {
		isHost: property(true), "ProtocolVersion": property(int32(0)), "RegisteredStatusNotifierItems": property([]string{}),
	}})
	if err != nil {
		return nil, err
	}
	reply, err := conn.RequestName(watcher, dbus.NameFlagDoNotQueue)
	if err != nil {
		return nil, err
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return nil, fmt.Errorf("%s has an owner already", watcher)
	}
	return p, nil
}

// Draws sets whether anything draws icons, or only lists them.
func (p *Panel) Draws(icons bool) { p.props.SetMust(watcher, isHost, icons) }

// Close removes the panel from the bus; programs keep their icons for the next one.
func (p *Panel) Close() error {
	_, err := p.conn.ReleaseName(watcher)
	return err
}

// Item is the first icon of a running program, as soon as there is one.
func (p *Panel) Item(ctx context.Context) (*Item, error) {
	for {
		p.mu.Lock()
		p.items = slices.DeleteFunc(p.items, p.left)
		items, joined := p.items, p.joined
		p.mu.Unlock()
		if len(items) > 0 {
			return items[0], nil
		}
		select {
		case <-joined:
		case <-ctx.Done():
			return nil, fmt.Errorf("no icon registered: %w", ctx.Err())
		}
	}
}

// left says whether the program of an icon has gone.
func (p *Panel) left(i *Item) bool {
	there := true
	err := p.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, i.name).Store(&there)
	return err == nil && !there
}

// registrar has the one method that is exported on the bus.
type registrar struct{ panel *Panel }

// RegisterStatusNotifierItem takes a bus name, or a path at the sender (as fyne.io/systray and Ayatana say it).
func (r registrar) RegisterStatusNotifierItem(service string, sender dbus.Sender) *dbus.Error {
	name, path := service, dbus.ObjectPath("/StatusNotifierItem")
	if strings.HasPrefix(service, "/") {
		name, path = string(sender), dbus.ObjectPath(service)
	}
	r.panel.mu.Lock()
	defer r.panel.mu.Unlock()
	if slices.ContainsFunc(r.panel.items, func(i *Item) bool { return i.name == name && i.path == path }) {
		return nil
	}
	r.panel.items = append(r.panel.items, &Item{conn: r.panel.conn, name: name, path: path})
	close(r.panel.joined)
	r.panel.joined = make(chan struct{})
	return nil
}
