//go:build unix && !darwin

package keychain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
)

// errGone is of an object that the service named and does not have.
var errGone = fmt.Errorf("%w (org.freedesktop.DBus.Error.UnknownMethod)", ErrRefused)

// bus is a connection to the session's bus for one call of a Store. A connection of its own costs a millisecond, and neither a dropped bus
// nor a service that was restarted needs any care.
type bus struct {
	ctx  context.Context
	conn *dbus.Conn
}

// A gnome-keyring that was just started exports its keyring, takes it back once its file is written and exports it again; GDBus says
// UnknownMethod of an object that is away. Such a call is made anew, after a pause, before it counts.
const (
	tries = 4
	pause = 50 * time.Millisecond
)

// onBus connects, calls f and closes the connection. It never starts a bus. f is called again where an object that it was told of is gone.
func onBus(ctx context.Context, f func(bus) error) (err error) {
	for range tries {
		if err = onBusOnce(ctx, f); !errors.Is(err, errGone) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return err
}

func onBusOnce(ctx context.Context, f func(bus) error) error {
	address, err := busAddress(os.Getenv)
	if err != nil {
		return err
	}
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return meaning(err)
	}
	defer conn.Close()
	if err := conn.Auth(nil); err != nil {
		return fmt.Errorf("%w: the session's bus doesn't let this program in", ErrRefused)
	}
	if err := conn.Hello(); err != nil {
		return meaning(err)
	}
	return f(bus{ctx, conn})
}

// busAddress is where the session's bus is. Only a Unix socket will do: values cross it in the clear.
func busAddress(getenv func(string) string) (string, error) {
	for address := range strings.SplitSeq(getenv("DBUS_SESSION_BUS_ADDRESS"), ";") {
		if strings.HasPrefix(address, "unix:") {
			return address, nil
		}
	}
	if getenv("DBUS_SESSION_BUS_ADDRESS") == "" && filepath.IsAbs(getenv("XDG_RUNTIME_DIR")) {
		path := filepath.Join(getenv("XDG_RUNTIME_DIR"), "bus")
		if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
			return "unix:path=" + dbus.EscapeBusAddressValue(path), nil
		}
	}
	return "", ErrAbsent
}

func (b bus) call(object dbus.ObjectPath, method string, args ...any) *dbus.Call {
	return b.conn.Object(service, object).CallWithContext(b.ctx, method, 0, args...)
}

func (b bus) property(object dbus.ObjectPath, face, name string) (any, error) {
	var value dbus.Variant
	err := b.call(object, "org.freedesktop.DBus.Properties.Get", face, name).Store(&value)
	return value.Value(), meaning(err)
}

// meaning turns an error of the bus into one of ours. Other texts of the service are not repeated: nobody knows what is in them.
func meaning(err error) error {
	var told dbus.Error
	switch {
	case err == nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return ErrAbsent
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: the socket of the session's bus can't be opened", ErrRefused)
	case !errors.As(err, &told):
		return fmt.Errorf("%w: its response makes no sense", ErrRefused)
	}
	const common = "org.freedesktop.DBus.Error."
	switch told.Name {
	case "org.freedesktop.Secret.Error.IsLocked":
		return ErrLocked
	case "org.freedesktop.Secret.Error.NoSuchObject", common + "UnknownObject":
		return ErrNotFound
	case common + "ServiceUnknown", common + "NameHasNoOwner", common + "Disconnected":
		return ErrAbsent
	case common + "NoReply", common + "Timeout", common + "TimedOut":
		return ErrSilent
	case common + "UnknownMethod":
		return errGone
	}
	if strings.HasPrefix(told.Name, common+"Spawn.") { // it is installed, and the bus can't start it
		return fmt.Errorf("%w (the bus could not start it)", ErrAbsent)
	}
	return fmt.Errorf("%w (%.80s)", ErrRefused, told.Name)
}
