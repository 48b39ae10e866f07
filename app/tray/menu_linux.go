package tray

import (
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
)

// com.canonical.dbusmenu, version 3. Our rows are numbered by place, from 1; 0 is the menu itself.
const (
	menuFace = "com.canonical.dbusmenu"
	menuPath = itemPath + "/menu"
)

type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

type properties struct {
	ID         int32
	Properties map[string]dbus.Variant
}

type event struct {
	ID   int32
	Kind string
	Data dbus.Variant
	Time uint32
}

const menuXML = `<node><interface name="com.canonical.dbusmenu">
<property name="Version" type="u" access="read"/><property name="TextDirection" type="s" access="read"/>
<property name="Status" type="s" access="read"/><property name="IconThemePath" type="as" access="read"/>
<method name="GetLayout"><arg name="parentId" type="i" direction="in"/><arg name="recursionDepth" type="i" direction="in"/>
<arg name="propertyNames" type="as" direction="in"/><arg name="revision" type="u" direction="out"/><arg name="layout" type="(ia{sv}av)" direction="out"/></method>
<method name="GetGroupProperties"><arg name="ids" type="ai" direction="in"/><arg name="propertyNames" type="as" direction="in"/>
<arg name="properties" type="a(ia{sv})" direction="out"/></method>
<method name="GetProperty"><arg name="id" type="i" direction="in"/><arg name="name" type="s" direction="in"/><arg name="value" type="v" direction="out"/></method>
<method name="Event"><arg name="id" type="i" direction="in"/><arg name="eventId" type="s" direction="in"/><arg name="data" type="v" direction="in"/>
<arg name="timestamp" type="u" direction="in"/></method>
<method name="EventGroup"><arg name="events" type="a(isvu)" direction="in"/><arg name="idErrors" type="ai" direction="out"/></method>
<method name="AboutToShow"><arg name="id" type="i" direction="in"/><arg name="needUpdate" type="b" direction="out"/></method>
<method name="AboutToShowGroup"><arg name="ids" type="ai" direction="in"/><arg name="updatesNeeded" type="ai" direction="out"/>
<arg name="idErrors" type="ai" direction="out"/></method>
<signal name="ItemsPropertiesUpdated"><arg name="updatedProps" type="a(ia{sv})"/><arg name="removedProps" type="a(ias)"/></signal>
<signal name="LayoutUpdated"><arg name="revision" type="u"/><arg name="parent" type="i"/></signal>
</interface>` + introspect.IntrospectDataString + `</node>`

func (t *item) exportMenu() error {
	err := t.bus.ExportMethodTable(map[string]any{
		"GetLayout":          t.getLayout,
		"GetGroupProperties": t.getGroupProperties,
		"GetProperty":        t.getProperty,
		"Event":              func(id int32, kind string, _ dbus.Variant, _ uint32) *dbus.Error { return t.event(id, kind) },
		"EventGroup":         t.eventGroup,
		"AboutToShow":        func(int32) (bool, *dbus.Error) { return false, nil }, // the rows are always up to date
		"AboutToShowGroup":   func([]int32) ([]int32, []int32, *dbus.Error) { return []int32{}, []int32{}, nil },
	}, menuPath, menuFace)
	if err != nil {
		return err
	}
	if err := t.bus.Export(introspect.Introspectable(menuXML), menuPath, "org.freedesktop.DBus.Introspectable"); err != nil {
		return err
	}
	return t.exportProperties(menuPath, menuFace, func() map[string]dbus.Variant {
		return map[string]dbus.Variant{
			"Version":       dbus.MakeVariant(uint32(3)),
			"TextDirection": dbus.MakeVariant("ltr"),
			"Status":        dbus.MakeVariant("normal"),
			"IconThemePath": dbus.MakeVariant([]string{}),
		}
	})
}

// properties of a row, as a panel reads them. A label's single underscore marks an access key.
func (e entry) properties() map[string]dbus.Variant {
	p := map[string]dbus.Variant{"visible": dbus.MakeVariant(!e.hidden)}
	if e.does == separates {
		p["type"] = dbus.MakeVariant("separator")
		return p
	}
	if e.does == holds {
		p["children-display"] = dbus.MakeVariant("submenu")
	}
	p["label"] = dbus.MakeVariant(strings.ReplaceAll(e.title, "_", "__"))
	p["enabled"] = dbus.MakeVariant(e.does != says)
	return p
}

// longestLook is how long we believe a panel that it shows the menu: one that crashes never says that it stopped, and any process can claim
// to show it.
const longestLook = time.Minute

// looked handles a panel that shows the menu, or stops. t is locked.
func (t *item) looked(open bool) {
	if t.shown != nil {
		t.shown.Stop()
		t.shown = nil
	}
	if open && !t.closed {
		t.shown = time.AfterFunc(longestLook, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.looked(false)
		})
		return
	}
	t.bringUp()
}

// bringUp updates the menu to the state. While somebody looks at it, rows change their text, but none appears, disappears or moves under
// the pointer. t is locked.
func (t *item) bringUp() {
	next := menuOf(t.state)
	if t.shown != nil {
		for n, e := range t.menu {
			if e.hidden != next[n].hidden {
				next[n] = e
			}
		}
	}
	changed := t.rowsThatDiffer(next)
	t.menu = next
	if len(changed) == 0 || t.closed {
		return
	}
	t.revision++
	_ = t.bus.Emit(menuPath, menuFace+".ItemsPropertiesUpdated", changed, []struct {
		ID    int32
		Names []string
	}{})
	if t.shown == nil {
		_ = t.bus.Emit(menuPath, menuFace+".LayoutUpdated", t.revision, int32(0))
	}
}

// rowsThatDiffer returns what changes if next replaces the menu. t is locked.
func (t *item) rowsThatDiffer(next [rowCount]entry) (changed []properties) {
	for n, e := range next {
		if e != t.menu[n] {
			changed = append(changed, properties{int32(n + 1), e.properties()})
		}
	}
	return changed
}

// row is the row with this number. t is locked.
func (t *item) row(id int32) (entry, *dbus.Error) {
	if id < 1 || int(id) > rowCount {
		return entry{}, dbus.NewError("com.canonical.dbusmenu.Error", []any{"no such row"})
	}
	return t.menu[id-1], nil
}

func (t *item) getLayout(parent, depth int32, _ []string) (uint32, layout, *dbus.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := map[string]dbus.Variant{"children-display": dbus.MakeVariant("submenu")}
	if parent != 0 {
		e, err := t.row(parent)
		if err != nil {
			return t.revision, layout{parent, nil, []dbus.Variant{}}, err
		}
		of = e.properties()
	}
	return t.revision, t.branch(parent, of, depth), nil
}

// branch is a row, or the menu itself, with everything below it down to depth; negative means all. t is locked.
func (t *item) branch(id int32, of map[string]dbus.Variant, depth int32) layout {
	b := layout{id, of, []dbus.Variant{}}
	if depth == 0 {
		return b
	}
	for n, e := range t.menu {
		if under(n) == int(id)-1 {
			b.Children = append(b.Children, dbus.MakeVariant(t.branch(int32(n+1), e.properties(), depth-1)))
		}
	}
	return b
}

// getGroupProperties returns all rows if none is named. It lists a row once, however often it is named.
func (t *item) getGroupProperties(ids []int32, _ []string) ([]properties, *dbus.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	answer := []properties{}
	for n, e := range t.menu {
		if id := int32(n + 1); len(ids) == 0 || slices.Contains(ids, id) {
			answer = append(answer, properties{id, e.properties()})
		}
	}
	return answer, nil
}

func (t *item) getProperty(id int32, name string) (dbus.Variant, *dbus.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.row(id)
	if err != nil {
		return dbus.Variant{}, err
	}
	v, known := e.properties()[name]
	if !known {
		return dbus.Variant{}, dbus.NewError("com.canonical.dbusmenu.Error", []any{"no such property"})
	}
	return v, nil
}

// event handles what a person did with a row; only a click counts. Any process can send one.
func (t *item) event(id int32, kind string) *dbus.Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == 0 {
		if kind == "opened" || kind == "closed" {
			t.looked(kind == "opened")
		}
		return nil
	}
	e, err := t.row(id)
	if err == nil && kind == "clicked" {
		t.clicks.row(e)
	}
	return err
}

func (t *item) eventGroup(events []event) ([]int32, *dbus.Error) {
	unknown := []int32{}
	for _, e := range events {
		if t.event(e.ID, e.Kind) != nil {
			unknown = append(unknown, e.ID)
		}
	}
	return unknown, nil
}
