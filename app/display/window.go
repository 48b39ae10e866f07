package display

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// What only a window asks, in this process. None of it is on the socket.

// DecidedSince are the items that a person decided, or that came and went, since then; the newest first.
func (d *Display) DecidedSince(since time.Time) (out []office.DecidedItem, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if d.from.Lost.Waits() {
		return nil, nil // with the store it is gone; the one item that waits is all there is to show
	}
	if err := d.office.Usable(); err != nil {
		return nil, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		items, err := tx.DecidedHeads()
		if err != nil {
			return err
		}
		for _, it := range items {
			if it.Decided == vocab.DecidedSuperseded || it.DecidedAt.Before(since) {
				continue
			}
			if it, err = tx.Item(it.Code); err != nil {
				return err
			}
			server, err := tx.Server(it.ServerID)
			if err != nil && !office.Absent(err) {
				return err
			}
			out = append(out, office.DecidedItem{InboxItem: review.InboxItem(it, server), Decided: it.Decided, DecidedAt: it.DecidedAt.UTC()})
		}
		held, err := d.from.Held.DecidedHeld(tx, since)
		out = append(out, held...)
		return err
	})
	slices.SortStableFunc(out, func(a, b office.DecidedItem) int { return b.DecidedAt.Compare(a.DecidedAt) })
	return out, d.office.Failed(err)
}

// ServerWhole is a server with all that is pinned of it.
type ServerWhole struct {
	control.Server
	Command []string // secrets masked
	URL     string
	Info    json.RawMessage
	Items   []PinnedItem
	Waiting []control.InboxItem
}

// PinnedItem is one pinned thing of a server as it stands.
type PinnedItem struct {
	control.ServerItem
	ApprovedAt time.Time
	Code       string          // of the inbox item in which it waits
	Definition json.RawMessage // as it was declared last, else as it was allowed
	Findings   []inspect.Finding
	Passages   []inspect.Passage
}

// ServerWhole finds a server by its identity, id or name.
func (d *Display) ServerWhole(name string) (out ServerWhole, err error) {
	d.office.Lock()
	defer d.office.Unlock()
	if err := d.office.Usable(); err != nil {
		return out, err
	}
	err = d.office.Store.View(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, name)
		if err != nil {
			return err
		}
		l, err := ledger.Read(tx, server.ID)
		if err != nil {
			return err
		}
		codes := ledger.WaitingCodes(tx, server.ID)
		out = ServerWhole{Server: ledger.ServerRow(l, codes), Command: server.Argv, URL: server.URL, Info: server.ServerInfo}
		out.Sandbox = d.from.Settings.ValuesFor(server)[sandboxKey]
		d.from.Wrappers.AddLive(&out.Server)
		if all, err := tx.Servers(); err == nil {
			out.Shown = identity.CalledOf(all).Shown(server)
		}
		for _, j := range review.Of(l.Facts()).Items {
			item := PinnedItem{ServerItem: control.ServerItem{Item: j.Key, State: j.State, Digest: j.Declared}, Findings: j.Findings, Passages: inspect.Passages(j.Findings)}
			base := l.Base(j.Key)
			if j.State == vocab.PartApproved || j.State == vocab.PartRemoved {
				item.Approved, item.ApprovedAt = j.ApprovedBy, base.ApprovedAt
			}
			if j.Waits {
				item.Code = codes[j.Kind]
			}
			if item.Definition = base.Raw; !l.Seen[j.Key].Removed && l.Seen[j.Key].Raw != nil {
				item.Definition = l.Seen[j.Key].Raw
			}
			out.Items = append(out.Items, item)
		}
		out.Held = d.from.Held.HeldOf(server.ID)
		waiting, err := d.from.Held.WaitingHeads(tx)
		if err != nil {
			return err
		}
		for _, it := range waiting {
			if it.ServerID != server.ID {
				continue
			}
			if it.Held != nil {
				it.Item, err = d.from.Held.ShownHeld(tx, it.Held)
			} else {
				it.Item, err = tx.Item(it.Code)
			}
			if err != nil {
				return err
			}
			shown := review.InboxItem(it.Item, server)
			shown.Shown, shown.Title = out.Shown, identity.Retitled(shown.Title, server, out.Shown)
			d.from.Held.TellHeld(tx, it.Held, &shown)
			out.Waiting = append(out.Waiting, shown)
		}
		return nil
	})
	return out, d.office.Failed(err)
}

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
	_ = d.office.Viewing(func(tx *store.Tx) error {
		raw, err := tx.Meta(metaWindow)
		if err == nil {
			err = json.Unmarshal(raw, &state)
		}
		return err
	})
	return state
}

// Remember changes it.
func (d *Display) Remember(change func(*WindowState)) error {
	state := d.Window()
	change(&state)
	raw, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return d.office.Updating(func(tx *store.Tx) error { return tx.SetMeta(metaWindow, raw) })
}

// StoreOK says whether the store can be used; where it cannot, everything is blocked.
func (d *Display) StoreOK() bool {
	d.office.Lock()
	defer d.office.Unlock()
	return d.office.Works()
}
