//go:build linux

package notify

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// enough is far more than anything here takes; only a test that fails waits for it.
const enough = 30 * time.Second

// told is one call of Notify as a daemon gets it.
type told struct {
	App, Icon, Title, Body string
	Replaces               uint32
	Actions                []string
	Hints                  map[string]dbus.Variant
	Timeout                int32
	ID                     uint32 // what it was answered
}

// daemon is a notification daemon that shows nothing and keeps what it was told.
type daemon struct {
	t    *testing.T
	conn *dbus.Conn

	shown  chan told
	closed chan uint32

	mu   sync.Mutex // godbus runs exported methods on goroutines of its own
	caps []string
	last uint32
}

func newDaemon(t *testing.T, conn *dbus.Conn, caps ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, conn: conn, shown: make(chan told, 64), closed: make(chan uint32, 64), caps: caps, last: 6}
	if err := conn.ExportMethodTable(map[string]any{
		"GetCapabilities": func() ([]string, *dbus.Error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return slices.Clone(d.caps), nil
		},
		"Notify": func(app string, replaces uint32, icon, title, body string, actions []string, hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			id := replaces
			if id == 0 {
				d.last++
				id = d.last
			}
			d.shown <- told{App: app, Icon: icon, Title: title, Body: body, Replaces: replaces, Actions: actions, Hints: hints, Timeout: timeout, ID: id}
			return id, nil
		},
		"CloseNotification": func(id uint32) *dbus.Error {
			d.closed <- id
			return nil
		},
	}, path, service); err != nil {
		t.Fatal(err)
	}
	d.own()
	return d
}

func (d *daemon) own() {
	d.t.Helper()
	if reply, err := d.conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		d.t.Fatalf("own %s: %v %v", service, reply, err)
	}
}

// leave is a daemon that ends, as far as the bus tells.
func (d *daemon) leave() {
	d.t.Helper()
	if _, err := d.conn.ReleaseName(service); err != nil {
		d.t.Fatal(err)
	}
}

// next is the next note it was told to show.
func (d *daemon) next() told {
	d.t.Helper()
	return next(d.t, d.shown, "a call of Notify")
}

// click is a person's click on a button of a note.
func (d *daemon) click(id uint32, action string) {
	d.t.Helper()
	broadcast(d.t, d.conn, "ActionInvoked", id, action)
}

func (d *daemon) dismiss(id uint32) {
	d.t.Helper()
	broadcast(d.t, d.conn, "NotificationClosed", id, uint32(2))
}

func broadcast(t *testing.T, conn *dbus.Conn, member string, body ...any) {
	t.Helper()
	if err := conn.Emit(path, service+"."+member, body...); err != nil {
		t.Fatal(err)
	}
	settle(t, conn)
}

// direct sends a signal to one connection, which no match rule keeps out.
func direct(t *testing.T, conn *dbus.Conn, to string, at dbus.ObjectPath, face, member string, body ...any) {
	t.Helper()
	message := &dbus.Message{Type: dbus.TypeSignal, Flags: dbus.FlagNoReplyExpected, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(to),
		dbus.FieldPath:        dbus.MakeVariant(at),
		dbus.FieldInterface:   dbus.MakeVariant(face),
		dbus.FieldMember:      dbus.MakeVariant(member),
		dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(body...)),
	}, Body: body}
	if call := conn.Send(message, nil); call != nil && call.Err != nil {
		t.Fatal(call.Err)
	}
	settle(t, conn)
}

// settle returns when the bus has handed on all that conn sent: it takes the messages of a connection in order.
func settle(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	if err := conn.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err; err != nil {
		t.Fatal(err)
	}
}

// names are the unique names of all connections of a bus.
func names(t *testing.T, conn *dbus.Conn) []string {
	t.Helper()
	var all []string
	if err := conn.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(n string) bool { return !strings.HasPrefix(n, ":") })
}

func next[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(enough):
		t.Fatalf("waited for %s", what)
		panic("unreachable")
	}
}
