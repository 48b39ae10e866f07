// Package desktop is the window's side of the hub: what the page may ask and do, what binds a decision to what was shown, and
// the shell around it (window, tray, notifications, single instance). It runs in one process with the hub, so a decision is a
// method call here and never a message on the socket.
//
// Page is the one struct that is bound to the page, and every exported method of it can be called by whatever runs there: it
// has what the page may do and nothing else. Wails itself is behind Window (window.go); all else builds and is tested
// without GTK.
package desktop

import (
	"errors"

	"github.com/sallyport/sallyport/proxy/control"
)

// Page is what the page may ask and do.
type Page struct {
	shell *Shell
}

// NewPage is the page of a shell.
func NewPage(shell *Shell) *Page { return &Page{shell: shell} }

func soon() error {
	return &control.Error{Code: control.CodeUnavailable, Message: "this build of Sallyport cannot do that yet"}
}

// Ready is asked once, after the page has registered its listeners. It answers the route that was kept for it.
func (p *Page) Ready() string { return p.shell.Ready() }

// Overview is everything that every screen shows.
func (p *Page) Overview() (Overview, error) { return Overview{}, soon() }

// Inbox is what waits, Critical first, then newest.
func (p *Page) Inbox() ([]Item, error) { return nil, soon() }

// DecidedItems is what was decided, or came and went, today.
func (p *Page) DecidedItems() ([]Item, error) { return nil, soon() }

// Review is one item whole. It mints the nonce that a decision over it needs.
func (p *Page) Review(code string) (Review, error) { return Review{}, soon() }

// Allow lets through what was shown.
func (p *Page) Allow(d Decision) (Decided, error) { return Decided{}, soon() }

// Keep keeps what was shown blocked.
func (p *Page) Keep(d Decision) (Decided, error) { return Decided{}, soon() }

// Servers are all servers that were ever seen.
func (p *Page) Servers() ([]Server, error) { return nil, soon() }

// Server is one of them whole.
func (p *Page) Server(identity string) (ServerDetail, error) { return ServerDetail{}, soon() }

// Block takes approvals back; no items is the whole server. It only tightens.
func (p *Page) Block(identity string, items []string) (Blocked, error) { return Blocked{}, soon() }

// Activity is part of the timeline, newest first.
func (p *Page) Activity(q ActivityQuery) (Activity, error) { return Activity{}, soon() }

// Record is one record of it whole.
func (p *Page) Record(id string) (ActivityRecord, error) { return ActivityRecord{}, soon() }

// Settings are the rows of the table, for a server where one is named.
func (p *Page) Settings(server string) ([]Setting, error) { return nil, soon() }

// SetSetting sets one value. What loosens needs the nonce of ConfirmLoosening.
func (p *Page) SetSetting(s SetSetting) (Setting, error) { return Setting{}, soon() }

// ConfirmLoosening says what stops being checked, and mints the nonce for it.
func (p *Page) ConfirmLoosening(key, value, server string) (Confirm, error) { return Confirm{}, soon() }

// Clients says which clients there are, and what of them runs behind the port.
func (p *Page) Clients() (Coverage, error) { return Coverage{}, soon() }

// PreviewProtect says what Protect would write.
func (p *Page) PreviewProtect(client, path string, names []string) (Preview, error) {
	return Preview{}, soon()
}

// Protect puts entries of a client's file behind the port.
func (p *Page) Protect(client, path string, names []string, digest, nonce string) (Preview, error) {
	return Preview{}, soon()
}

// PreviewUnprotect says what Unprotect would write.
func (p *Page) PreviewUnprotect(client, path string, names []string) (Preview, error) {
	return Preview{}, soon()
}

// Unprotect takes entries out again.
func (p *Page) Unprotect(client, path string, names []string, digest, nonce string) (Preview, error) {
	return Preview{}, soon()
}

// Backups are the client files kept before each change.
func (p *Page) Backups() ([]Backup, error) { return nil, soon() }

// PreviewRestore says what Restore would write.
func (p *Page) PreviewRestore(id string) (Preview, error) { return Preview{}, soon() }

// Restore puts a backup in the place of its file.
func (p *Page) Restore(id, digest, nonce string) (Preview, error) { return Preview{}, soon() }

// Look starts entries of a client's file, once and now, and says what was found.
func (p *Page) Look(client, path string, names []string) ([]Looked, error) { return nil, soon() }

// Logs are the last lines of what a server printed to its stderr.
func (p *Page) Logs(server string, lines int) (string, error) { return "", soon() }

// TestNotification sends a notification; the answer is why it could not be, or "".
func (p *Page) TestNotification() string { return "" }

// SetTheme keeps light, dark or system.
func (p *Page) SetTheme(theme string) error { return soon() }

// NotNow puts the first run off.
func (p *Page) NotNow() error { return soon() }

// plainError is an error as the page gets it.
type plainError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	See     string `json:"see,omitempty"`
}

// FormatError turns an error into what the page gets. Only what is meant for a person is said in full.
func FormatError(err error) any {
	var answer *control.Error
	if errors.As(err, &answer) {
		return plainError{Code: answer.Code, Message: answer.Message, See: answer.See}
	}
	return plainError{Code: control.CodeInternal, Message: err.Error()}
}
