//go:build linux

// Package ring is for tests: a session's bus of their own, and on it a real gnome-keyring or a service that never answers. Nothing of it
// touches the session, the keyring or the home of whoever runs the tests. No program of ours imports it.
package ring

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	service = "org.freedesktop.secrets"
	root    = dbus.ObjectPath("/org/freedesktop/secrets")
)

// Enough is far more than anything here takes; only a test that fails waits for it.
const Enough = 30 * time.Second

// As the system's own session bus, but it starts no service by itself. The last line is what a test adds.
const configuration = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  %s
</busconfig>
`

// Refusing is a policy under which nobody may call the Secret Service.
const Refusing = `<policy context="mandatory"><deny send_destination="` + service + `"/></policy>`

// Bus is a session's bus.
type Bus struct {
	Address string
	t       testing.TB
	folder  string
}

// StartBus starts a bus that ends with the test, and points this process at it.
func StartBus(t testing.TB, policy string) *Bus {
	t.Helper()
	folder, err := os.MkdirTemp("", "ring") // t.TempDir may be too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	file := filepath.Join(folder, "session.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, filepath.Join(folder, "bus"), policy), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := exec.Command("dbus-daemon", "--config-file="+file, "--nofork", "--nopidfile", "--print-address=1")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, daemon, "dbus-daemon")
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon printed no address: %v", err)
	}
	b := &Bus{Address: strings.TrimSpace(line), t: t, folder: folder}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", b.Address)
	t.Setenv("SALLYPORT_KEYCHAIN", "")
	return b
}

func start(t testing.TB, daemon *exec.Cmd, debian string) (end func()) {
	t.Helper()
	if err := daemon.Start(); err != nil {
		t.Fatalf("%v (Debian: %s)", err, debian)
	}
	end = sync.OnceFunc(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	t.Cleanup(end)
	return end
}

// Connect is a connection to the bus that ends with the test.
func (b *Bus) Connect() *dbus.Conn {
	b.t.Helper()
	conn, err := dbus.Connect(b.Address)
	if err != nil {
		b.t.Fatalf("connect to %s: %v", b.Address, err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

const password = "password of the test"

// Keyring starts a gnome-keyring, unlocked, and returns what ends it. It has the entries of the one before it on this bus.
func (b *Bus) Keyring() (end func()) {
	b.t.Helper()
	daemon := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	daemon.Dir = b.folder
	daemon.Stdin = strings.NewReader(password)
	daemon.Env = []string{"PATH=" + os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=" + b.Address}
	for _, variable := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		daemon.Env = append(daemon.Env, variable+"="+b.folder)
	}
	end = start(b.t, daemon, "gnome-keyring")
	conn := b.Connect()
	var collection dbus.ObjectPath
	for deadline := time.Now().Add(Enough); ; time.Sleep(time.Millisecond) {
		err := conn.Object(service, root).Call("org.freedesktop.Secret.Service.ReadAlias", 0, "default").Store(&collection)
		if err == nil && collection != "/" {
			return end
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("gnome-keyring has no unlocked keyring: %s, %v", collection, err)
		}
	}
}

// Lock locks every collection of the service on the bus.
func (b *Bus) Lock() {
	b.t.Helper()
	object := b.Connect().Object(service, root)
	all, err := object.GetProperty("org.freedesktop.Secret.Service.Collections")
	if err != nil {
		b.t.Fatal(err)
	}
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	if err := object.Call("org.freedesktop.Secret.Service.Lock", 0, all.Value()).Store(&locked, &prompt); err != nil || prompt != "/" {
		b.t.Fatalf("lock: %v, prompt %s", err, prompt)
	}
}

// Unlock unlocks the gnome-keyring on the bus, as a person does who types the password.
func (b *Bus) Unlock() {
	b.t.Helper()
	object := b.Connect().Object(service, root)
	var collection, session dbus.ObjectPath
	var none dbus.Variant
	if err := object.Call("org.freedesktop.Secret.Service.ReadAlias", 0, "default").Store(&collection); err != nil {
		b.t.Fatal(err)
	}
	if err := object.Call("org.freedesktop.Secret.Service.OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&none, &session); err != nil {
		b.t.Fatal(err)
	}
	typed := struct {
		Session           dbus.ObjectPath
		Parameters, Value []byte
		ContentType       string
	}{session, []byte{}, []byte(password), "text/plain"}
	if err := object.Call("org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword", 0, collection, typed).Err; err != nil {
		b.t.Fatal(err)
	}
}

// Values are the values of all entries on the bus, as anyone on it could read them.
func (b *Bus) Values() (values []string) {
	b.t.Helper()
	conn := b.Connect()
	call := func(path dbus.ObjectPath, method string, args []any, results ...any) {
		b.t.Helper()
		if err := conn.Object(service, path).Call("org.freedesktop.Secret."+method, 0, args...).Store(results...); err != nil {
			b.t.Fatal(err)
		}
	}
	var none dbus.Variant
	var session dbus.ObjectPath
	call(root, "Service.OpenSession", []any{"plain", dbus.MakeVariant("")}, &none, &session)
	var items, locked []dbus.ObjectPath
	call(root, "Service.SearchItems", []any{map[string]string{"application": "sallyport"}}, &items, &locked)
	for _, item := range items {
		var got struct {
			Session           dbus.ObjectPath
			Parameters, Value []byte
			ContentType       string
		}
		call(item, "Item.GetSecret", []any{session}, &got)
		values = append(values, string(got.Value))
	}
	return values
}

// Silent is a Secret Service that takes every call and answers none. asked gets a word for each.
func (b *Bus) Silent() (asked <-chan string) {
	b.t.Helper()
	calls, over := make(chan string, 64), make(chan struct{})
	conn, err := dbus.Connect(b.Address, dbus.WithHandler(silence{calls, over}))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close(); close(over) })
	if reply, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		b.t.Fatalf("own %s: %v %v", service, reply, err)
	}
	return calls
}

// silence has every object, and methods that do not return before the test is over.
type silence struct {
	calls chan string
	over  chan struct{}
}

func (s silence) LookupObject(dbus.ObjectPath) (dbus.ServerObject, bool) { return s, true }

func (s silence) LookupInterface(string) (dbus.Interface, bool) { return s, true }

func (s silence) LookupMethod(name string) (dbus.Method, bool) { return silentMethod{s, name}, true }

type silentMethod struct {
	silence
	name string
}

func (m silentMethod) Call(...any) ([]any, error) {
	select {
	case m.calls <- m.name:
	default:
	}
	<-m.over
	return nil, dbus.ErrMsgUnknownMethod
}

func (silentMethod) NumArguments() int     { return 0 }
func (silentMethod) NumReturns() int       { return 0 }
func (silentMethod) ArgumentValue(int) any { return nil }
func (silentMethod) ReturnValue(int) any   { return nil }

// DecodeArguments takes whatever there is.
func (silentMethod) DecodeArguments(*dbus.Conn, string, *dbus.Message, []any) ([]any, error) {
	return nil, nil
}
