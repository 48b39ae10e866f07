//go:build linux

package ring

import (
	"sync"

	"github.com/godbus/dbus/v5"
)

// Locked is a Secret Service whose only keyring is locked, empty, and unlocked by a dialog that the test answers. gnome-keyring can't take
// its place here: its dialog needs a screen.
type Locked struct {
	mu      sync.Mutex
	conn    *dbus.Conn
	open    bool
	shown   int
	dismiss bool
	away    int
}

const (
	collection = root + "/collection/only"
	prompt     = root + "/prompt/only"
)

// Locked puts such a service on the bus.
func (b *Bus) Locked() *Locked {
	b.t.Helper()
	l := &Locked{conn: b.Connect()}
	no := dbus.ObjectPath("/")
	for _, table := range []struct {
		path    dbus.ObjectPath
		face    string
		methods map[string]any
	}{
		{root, "org.freedesktop.Secret.Service", map[string]any{
			"ReadAlias":   func(string) (dbus.ObjectPath, *dbus.Error) { return collection, nil },
			"SearchItems": func(map[string]string) (unlocked, locked []dbus.ObjectPath, err *dbus.Error) { return nil, nil, nil },
			"OpenSession": func(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
				return dbus.MakeVariant(""), root + "/session/1", nil
			},
			"Unlock": func([]dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) { return nil, prompt, nil },
		}},
		{collection, "org.freedesktop.DBus.Properties", map[string]any{
			"Get": func(string, string) (dbus.Variant, *dbus.Error) {
				l.mu.Lock()
				defer l.mu.Unlock()
				if l.away > 0 {
					l.away--
					return dbus.Variant{}, &dbus.ErrMsgUnknownMethod
				}
				return dbus.MakeVariant(!l.open), nil
			},
		}},
		{collection, "org.freedesktop.Secret.Collection", map[string]any{
			"CreateItem": func(map[string]dbus.Variant, any, bool) (item, asks dbus.ObjectPath, err *dbus.Error) {
				return no, prompt, nil
			},
		}},
		{prompt, "org.freedesktop.Secret.Prompt", map[string]any{"Prompt": l.prompt}},
	} {
		if err := l.conn.ExportMethodTable(table.methods, table.path, table.face); err != nil {
			b.t.Fatal(err)
		}
	}
	if reply, err := l.conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		b.t.Fatalf("own %s: %v %v", service, reply, err)
	}
	return l
}

func (l *Locked) prompt(string) *dbus.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown++
	l.open = !l.dismiss
	if err := l.conn.Emit(prompt, "org.freedesktop.Secret.Prompt.Completed", l.dismiss, dbus.MakeVariant([]dbus.ObjectPath{collection})); err != nil {
		return dbus.MakeFailedError(err)
	}
	return nil
}

// Shown is how often its dialog was shown.
func (l *Locked) Shown() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// Dismiss says what the person will do with the next dialog: close it, or type the password.
func (l *Locked) Dismiss(dismiss bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dismiss = dismiss
}

// Away takes the keyring off the bus for the next looks at it, as a gnome-keyring does that was just started.
func (l *Locked) Away(looks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = looks
}
