//go:build ui

package uitest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// The tray of a program, as a person meets it.

func (d *desk) tray() *panel.Item {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	item, err := d.panel.Item(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return item
}

// trayRows are the rows that a person sees.
func (d *desk) trayRows() (rows []panel.Row) {
	d.t.Helper()
	all, err := d.tray().Rows()
	if err != nil {
		d.t.Fatalf("tray menu: %v", err)
	}
	for _, row := range all {
		if row.Visible && !row.Separator {
			rows = append(rows, row)
		}
	}
	return rows
}

func (d *desk) hasRow(part string) bool {
	d.t.Helper()
	for _, row := range d.trayRows() {
		if strings.Contains(strings.ToLower(row.Label), strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// trayRow waits for a row whose label holds part.
func (d *desk) trayRow(part string) {
	d.t.Helper()
	d.wait(fmt.Sprintf("a row %q in the tray", part), func() bool { return d.hasRow(part) })
}

// trayGone waits until no row's label holds part.
func (d *desk) trayGone(part string) {
	d.t.Helper()
	d.wait(fmt.Sprintf("no row %q in the tray", part), func() bool { return !d.hasRow(part) })
}

// trayClick waits for a row and clicks it.
func (d *desk) trayClick(part string) {
	d.t.Helper()
	d.trayRow(part)
	if err := d.tray().Click(part); err != nil {
		d.t.Fatal(err)
	}
}

// trayTap is a left click on the icon.
func (d *desk) trayTap() {
	d.t.Helper()
	if err := d.tray().Activate(); err != nil {
		d.t.Fatalf("click the tray icon: %v", err)
	}
}

// tooltip waits until the icon says this.
func (d *desk) tooltip(part string) {
	d.t.Helper()
	var text string
	var err error
	d.wait(fmt.Sprintf("a tray icon that says %q", part), func() bool {
		text, err = d.tray().Tooltip()
		return err == nil && strings.Contains(text, part)
	})
}

// wait waits for something on the desktop, and says what the tray shows if it does not come.
func (d *desk) wait(what string, is func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			text, _ := d.tray().Tooltip()
			d.t.Fatalf("not within %s: %s. It says %q: %+v", patience, what, text, d.trayRows())
		}
	}
}
