//go:build ui

package uitest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	itemPath    = "/StatusNotifierItem"
	itemName    = "org.kde.StatusNotifierItem"
	menuName    = "com.canonical.dbusmenu"
)

// panel is the part of a desktop that shows tray icons: the watcher that programs register with, and a client of their
// icons and menus.
type panel struct {
	bus *dbus.Conn

	mu    sync.Mutex
	items []string // bus names, in the order in which they came
}

// newPanel takes the watcher's name on a session bus.
func newPanel(bus *dbus.Conn) (*panel, error) {
	p := &panel{bus: bus}
	if err := bus.Export(p, "/StatusNotifierWatcher", watcherName); err != nil {
		return nil, err
	}
	_, err := prop.Export(bus, "/StatusNotifierWatcher", prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: true},
		"ProtocolVersion":                {Value: int32(0)},
		"RegisteredStatusNotifierItems":  {Value: []string{}},
	}})
	if err != nil {
		return nil, err
	}
	if reply, err := bus.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		return nil, fmt.Errorf("take %s: %v, %v", watcherName, reply, err)
	}
	return p, nil
}

// RegisterStatusNotifierItem is called by programs. Where they name a path the icon is the sender's.
func (p *panel) RegisterStatusNotifierItem(service string, sender dbus.Sender) *dbus.Error {
	if strings.HasPrefix(service, "/") || service == "" {
		service = string(sender)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = append(p.items, service)
	return nil
}

// RegisterStatusNotifierHost is called by other panels.
func (p *panel) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

// of is the icon of a process.
func (p *panel) of(pid int) (dbus.BusObject, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range p.items {
		var owner uint32
		if p.bus.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, name).Store(&owner) == nil && int(owner) == pid {
			return p.bus.Object(name, itemPath), true
		}
	}
	return nil, false
}

// row is one row of a tray menu, separators and hidden rows left out.
type row struct {
	id      int32
	label   string
	enabled bool
}

// menu is what the icon's menu shows now.
func (p *panel) menu(item dbus.BusObject) ([]row, error) {
	where, err := item.GetProperty(itemName + ".Menu")
	if err != nil {
		return nil, err
	}
	path, ok := where.Value().(dbus.ObjectPath)
	if !ok {
		return nil, fmt.Errorf("the icon names no menu: %v", where)
	}
	var revision uint32
	var top struct {
		ID       int32
		Props    map[string]dbus.Variant
		Children []dbus.Variant
	}
	if err := p.bus.Object(item.Destination(), path).Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &top); err != nil {
		return nil, err
	}
	return rowsOf(top.Children), nil
}

func rowsOf(children []dbus.Variant) (rows []row) {
	for _, child := range children {
		fields, ok := child.Value().([]any)
		if !ok || len(fields) != 3 {
			continue
		}
		id, _ := fields[0].(int32)
		props, _ := fields[1].(map[string]dbus.Variant)
		kids, _ := fields[2].([]dbus.Variant)
		value := func(key string) any { return props[key].Value() }
		if visible, set := value("visible").(bool); set && !visible || value("type") == "separator" {
			continue
		}
		label, _ := value("label").(string)
		enabled, set := value("enabled").(bool)
		rows = append(rows, row{id: id, label: label, enabled: enabled || !set})
		rows = append(rows, rowsOf(kids)...)
	}
	return rows
}

// click presses a row.
func (p *panel) click(item dbus.BusObject, r row) error {
	where, err := item.GetProperty(itemName + ".Menu")
	if err != nil {
		return err
	}
	path, _ := where.Value().(dbus.ObjectPath)
	return p.bus.Object(item.Destination(), path).Call(menuName+".Event", 0, r.id, "clicked", dbus.MakeVariant(""), uint32(0)).Err
}

// tooltip is the title of the icon's tooltip, which is its accessible name as well.
func (p *panel) tooltip(item dbus.BusObject) string {
	value, err := item.GetProperty(itemName + ".ToolTip")
	if err != nil {
		return ""
	}
	if fields, ok := value.Value().([]any); ok && len(fields) == 4 {
		title, _ := fields[2].(string)
		text, _ := fields[3].(string)
		return strings.TrimSpace(title + " " + text)
	}
	return ""
}

// The tray of a program, as a person meets it.

func (a *app) tray() dbus.BusObject {
	a.t.Helper()
	var item dbus.BusObject
	a.until("an icon in the tray", func() (ok bool) {
		item, ok = a.desk.panel.of(a.pid())
		return ok
	})
	return item
}

func (a *app) trayRows() []row {
	a.t.Helper()
	rows, err := a.desk.panel.menu(a.tray())
	if err != nil {
		a.t.Fatalf("tray menu: %v", err)
	}
	return rows
}

// trayRow waits for a row whose label holds part.
func (a *app) trayRow(part string) (found row) {
	a.t.Helper()
	var rows []row
	a.until(fmt.Sprintf("a row %q in the tray", part), func() bool {
		rows = a.trayRows()
		for _, r := range rows {
			if strings.Contains(strings.ToLower(r.label), strings.ToLower(part)) {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

// trayGone waits until no row's label holds part.
func (a *app) trayGone(part string) {
	a.t.Helper()
	a.until(fmt.Sprintf("no row %q in the tray", part), func() bool {
		for _, r := range a.trayRows() {
			if strings.Contains(strings.ToLower(r.label), strings.ToLower(part)) {
				return false
			}
		}
		return true
	})
}

func (a *app) trayClick(part string) {
	a.t.Helper()
	if err := a.desk.panel.click(a.tray(), a.trayRow(part)); err != nil {
		a.t.Fatalf("click %q in the tray: %v", part, err)
	}
}

// trayTap is a left click on the icon.
func (a *app) trayTap() {
	a.t.Helper()
	if err := a.tray().Call(itemName+".Activate", 0, int32(0), int32(0)).Err; err != nil {
		a.t.Fatalf("click the tray icon: %v", err)
	}
}

func (a *app) tooltip() string {
	a.t.Helper()
	return a.desk.panel.tooltip(a.tray())
}
