package display

import (
	"time"

	"github.com/sallyport/sallyport/store"
)

// What only a window asks, in this process. None of it is on the socket.

// WindowState is what a window remembers over its end.
type WindowState struct {
	Theme   string     `json:"theme,omitempty"` // light, dark; "" follows the system
	NotNow  bool       `json:"not_now,omitempty"`
	Tray    bool       `json:"tray_told,omitempty"`    // it was said that the program lives on in the tray
	NoIcon  bool       `json:"no_icon_told,omitempty"` // it was said that this desktop shows no icon
	CameUp  bool       `json:"came_up,omitempty"`      // it came up by itself on a desktop without icons
	Snoozed time.Time  `json:"snoozed,omitzero"`       // until when a person wants no notifications
	Size    WindowSize `json:"size,omitzero"`
}

// WindowSize is in pixels of the page.
type WindowSize struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

const metaWindow = "window"

// Window is what was remembered last; nothing where that cannot be read.
func (d *Display) Window() (state WindowState) {
	_ = d.office.Viewing(func(tx *store.Tx) error { return tx.MetaJSON(metaWindow, &state) })
	return state
}

// Remember changes it.
func (d *Display) Remember(change func(*WindowState)) error {
	state := d.Window()
	change(&state)
	return d.office.Updating(func(tx *store.Tx) error { return tx.SetMetaJSON(metaWindow, state) })
}

// StoreOK says whether the store can be used; where it cannot, everything is blocked.
func (d *Display) StoreOK() bool {
	d.office.Lock()
	defer d.office.Unlock()
	return d.office.Works()
}
