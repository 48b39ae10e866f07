package display

import (
	"time"

	"github.com/sallyport/sallyport/store"
)

// Calls that only the window makes, in this process; none of them is on the socket.

// WindowState is what a window remembers from one run to the next.
type WindowState struct {
	Theme   string     `json:"theme,omitempty"` // light, dark; "" follows the system
	NotNow  bool       `json:"not_now,omitempty"`
	Tray    bool       `json:"tray_told,omitempty"`    // the notice that the program stays in the tray was shown
	NoIcon  bool       `json:"no_icon_told,omitempty"` // the notice that this desktop shows no tray icon was shown
	CameUp  bool       `json:"came_up,omitempty"`      // it opened by itself on a desktop without tray icons
	Snoozed time.Time  `json:"snoozed,omitzero"`       // no notifications until then
	Size    WindowSize `json:"size,omitzero"`
}

// WindowSize is in pixels of the page.
type WindowSize struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

const metaWindow = "window"

// Window is the remembered state, empty if it can't be read.
func (d *Display) Window() (state WindowState) {
	_ = d.office.Viewing(func(tx *store.Tx) error { return tx.MetaJSON(metaWindow, &state) })
	return state
}

// Remember changes the remembered state.
func (d *Display) Remember(change func(*WindowState)) error {
	state := d.Window()
	change(&state)
	return d.office.Updating(func(tx *store.Tx) error { return tx.SetMetaJSON(metaWindow, state) })
}

// StoreOK reports whether the store can be used; if not, everything is blocked.
func (d *Display) StoreOK() bool {
	d.office.Lock()
	defer d.office.Unlock()
	return d.office.Works()
}
