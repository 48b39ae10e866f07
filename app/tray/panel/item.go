package panel

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	itemFace = "org.kde.StatusNotifierItem"
	menuFace = "com.canonical.dbusmenu"
)

// Item is one icon of a program, and its menu, as a panel has them.
type Item struct {
	conn *dbus.Conn
	name string
	path dbus.ObjectPath
}

// Row is one row of the menu.
type Row struct {
	ID                          int32
	Under                       int32  // the row that opens the submenu it is in; 0 in the menu itself
	Label                       string // "" for a separator
	Enabled, Visible, Separator bool
}

// Property is a property of the icon: Id, Title, Status, ToolTip, …
func (i *Item) Property(name string) (any, error) {
	v, err := i.conn.Object(i.name, i.path).GetProperty(itemFace + "." + name)
	return v.Value(), err
}

// Tooltip is the text shown when the pointer rests on the icon.
func (i *Item) Tooltip() (string, error) {
	v, err := i.Property("ToolTip")
	if err != nil {
		return "", err
	}
	fields, _ := v.([]any)
	if len(fields) < 3 {
		return "", fmt.Errorf("a tooltip of %d fields", len(fields))
	}
	text, _ := fields[2].(string)
	return text, nil
}

// Icon is the picture shown, in the largest size available.
func (i *Item) Icon() (image.Image, error) {
	var pictures []struct {
		W, H int32
		ARGB []byte
	}
	v, err := i.conn.Object(i.name, i.path).GetProperty(itemFace + ".IconPixmap")
	if err != nil {
		return nil, err
	}
	if err := v.Store(&pictures); err != nil {
		return nil, err
	}
	if len(pictures) == 0 {
		return nil, errors.New("the icon has no picture")
	}
	p := pictures[0]
	for _, other := range pictures {
		if other.W > p.W {
			p = other
		}
	}
	if int(p.W*p.H*4) != len(p.ARGB) || len(p.ARGB) == 0 {
		return nil, fmt.Errorf("a picture of %d by %d with %d bytes", p.W, p.H, len(p.ARGB))
	}
	img := image.NewRGBA(image.Rect(0, 0, int(p.W), int(p.H)))
	for n := 0; n < len(p.ARGB); n += 4 {
		img.SetRGBA(n/4%int(p.W), n/4/int(p.W), color.RGBA{A: p.ARGB[n], R: p.ARGB[n+1], G: p.ARGB[n+2], B: p.ARGB[n+3]})
	}
	return img, nil
}

// Activate is a left click on the icon.
func (i *Item) Activate() error {
	return i.conn.Object(i.name, i.path).Call(itemFace+".Activate", 0, int32(0), int32(0)).Err
}

func (i *Item) menu() (dbus.BusObject, error) {
	v, err := i.Property("Menu")
	if err != nil {
		return nil, err
	}
	path, ok := v.(dbus.ObjectPath)
	if !ok {
		return nil, fmt.Errorf("the menu is no path: %v", v)
	}
	return i.conn.Object(i.name, path), nil
}

// Rows is every row of the menu, including hidden ones. A submenu's rows follow the row that opens it.
func (i *Item) Rows() ([]Row, error) {
	menu, err := i.menu()
	if err != nil {
		return nil, err
	}
	var revision uint32
	var top layout
	if err := menu.Call(menuFace+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &top); err != nil {
		return nil, err
	}
	var rows []Row
	var walk func(layout) error
	walk = func(l layout) error {
		for _, child := range l.Children {
			var c layout
			if err := child.Store(&c); err != nil {
				return err
			}
			r := Row{ID: c.ID, Under: l.ID, Enabled: true, Visible: true}
			label, _ := c.Properties["label"].Value().(string)
			r.Label = strings.NewReplacer("__", "_", "_", "").Replace(label) // one alone marks an access key
			if on, ok := c.Properties["enabled"].Value().(bool); ok {
				r.Enabled = on
			}
			if on, ok := c.Properties["visible"].Value().(bool); ok {
				r.Visible = on
			}
			r.Separator = c.Properties["type"].Value() == "separator"
			rows = append(rows, r)
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	return rows, walk(top)
}

type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// Labels is what a person reads in the menu, from the top, without separators, before a submenu is opened.
func (i *Item) Labels() ([]string, error) {
	rows, err := i.Rows()
	var labels []string
	for _, r := range rows {
		if r.Visible && !r.Separator && r.Under == 0 {
			labels = append(labels, r.Label)
		}
	}
	return labels, err
}

// Click clicks the visible row whose label contains part. A disabled row can't be clicked.
func (i *Item) Click(part string) error {
	rows, err := i.Rows()
	if err != nil {
		return err
	}
	n := slices.IndexFunc(rows, func(r Row) bool { return r.Visible && r.Enabled && !r.Separator && strings.Contains(r.Label, part) })
	if n < 0 {
		return fmt.Errorf("no row %q to click in %v", part, rows)
	}
	return i.Event(rows[n].ID)
}

// Event is a click on the row with this id, whatever its state: what any process on the bus can send.
func (i *Item) Event(row int32) error {
	menu, err := i.menu()
	if err != nil {
		return err
	}
	return menu.Call(menuFace+".Event", 0, row, "clicked", dbus.MakeVariant(""), uint32(0)).Err
}

// Look tells the program that its menu is shown, or closed.
func (i *Item) Look(open bool) error {
	menu, err := i.menu()
	if err != nil {
		return err
	}
	kind := "closed"
	if open {
		kind = "opened"
	}
	return menu.Call(menuFace+".Event", 0, int32(0), kind, dbus.MakeVariant(""), uint32(0)).Err
}

// Until waits until is returns nil, or returns its last error.
func Until(ctx context.Context, is func() error) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := is()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
