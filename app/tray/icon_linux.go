package tray

import (
	"bytes"
	"image/png"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
	"github.com/godbus/dbus/v5/prop"
)

const propsFace = "org.freedesktop.DBus.Properties"

// pixmap is one size of the picture: ARGB, most significant byte first.
type pixmap struct {
	W, H int32
	ARGB []byte
}

// tip is a tooltip; we only fill the title, because panels show nothing else.
type tip struct {
	Icon  string
	Image []pixmap
	Title string
	Text  string
}

const itemXML = `<node><interface name="org.kde.StatusNotifierItem">
<property name="Category" type="s" access="read"/><property name="Id" type="s" access="read"/><property name="Title" type="s" access="read"/>
<property name="Status" type="s" access="read"/><property name="IconName" type="s" access="read"/><property name="IconThemePath" type="s" access="read"/>
<property name="IconPixmap" type="a(iiay)" access="read"/><property name="ToolTip" type="(sa(iiay)ss)" access="read"/>
<property name="ItemIsMenu" type="b" access="read"/><property name="Menu" type="o" access="read"/>
<method name="Activate"><arg name="x" type="i" direction="in"/><arg name="y" type="i" direction="in"/></method>
<method name="SecondaryActivate"><arg name="x" type="i" direction="in"/><arg name="y" type="i" direction="in"/></method>
<signal name="NewTitle"/><signal name="NewIcon"/><signal name="NewToolTip"/>
</interface>` + introspect.IntrospectDataString + `</node>`

func (t *item) exportIcon() error {
	tap := func(int32, int32) *dbus.Error {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.clicks.open(tapped(t.state))
		return nil
	}
	if err := t.bus.ExportMethodTable(map[string]any{"Activate": tap, "SecondaryActivate": tap}, itemPath, itemFace); err != nil {
		return err
	}
	if err := t.bus.Export(introspect.Introspectable(itemXML), itemPath, "org.freedesktop.DBus.Introspectable"); err != nil {
		return err
	}
	return t.exportProperties(itemPath, itemFace, t.iconProperties)
}

// exportProperties exports read-only properties: otherwise any process on the bus could claim in our name that everything is guarded.
func (t *item) exportProperties(at dbus.ObjectPath, face string, read func() map[string]dbus.Variant) error {
	return t.bus.ExportMethodTable(map[string]any{
		"Get": func(of, name string) (dbus.Variant, *dbus.Error) {
			v, known := read()[name]
			switch {
			case of != face:
				return dbus.Variant{}, prop.ErrIfaceNotFound
			case !known:
				return dbus.Variant{}, prop.ErrPropNotFound
			}
			return v, nil
		},
		"GetAll": func(of string) (map[string]dbus.Variant, *dbus.Error) {
			if of != face {
				return nil, prop.ErrIfaceNotFound
			}
			return read(), nil
		},
		"Set": func(string, string, dbus.Variant) *dbus.Error { return prop.ErrReadOnly },
	}, at, propsFace)
}

func (t *item) iconProperties() map[string]dbus.Variant {
	t.mu.Lock()
	defer t.mu.Unlock()
	words, name := tooltip(t.state), picture(t.state.Mood)
	return map[string]dbus.Variant{
		"Category":      dbus.MakeVariant("ApplicationStatus"),
		"Id":            dbus.MakeVariant("Sallyport"),
		"Title":         dbus.MakeVariant(words), // for screen readers
		"ToolTip":       dbus.MakeVariant(tip{Image: []pixmap{}, Title: words}),
		"Status":        dbus.MakeVariant("Active"),
		"IconName":      dbus.MakeVariant(""),
		"IconThemePath": dbus.MakeVariant(""),
		"IconPixmap":    dbus.MakeVariant([]pixmap{pixels(name + "-22.png"), pixels(name + "-44.png")}),
		"ItemIsMenu":    dbus.MakeVariant(false), // a click on the icon opens the window, not the menu
		"Menu":          dbus.MakeVariant(menuPath),
	}
}

func pixels(name string) pixmap {
	data, err := icons.ReadFile("icons/" + name)
	if err != nil {
		panic(err) // embedded
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	size := img.Bounds().Size()
	p := pixmap{W: int32(size.X), H: int32(size.Y), ARGB: make([]byte, 0, size.X*size.Y*4)}
	for y := range size.Y {
		for x := range size.X {
			r, g, b, a := img.At(x, y).RGBA()
			p.ARGB = append(p.ARGB, byte(a>>8), byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return p
}
