//go:build linux

package bus

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// org.freedesktop.Notifications, version 1.2 (specifications.freedesktop.org/notification-spec).
const (
	service = "org.freedesktop.Notifications"
	path    = dbus.ObjectPath("/org/freedesktop/Notifications")
)

func look(ctx context.Context) (words string, missing bool) {
	screen := os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return "no session bus found", screen
	}
	defer conn.Close()
	if conn.Auth(nil) != nil || conn.Hello() != nil {
		return "the session bus doesn't accept connections", screen
	}
	names := conn.BusObject()
	var running bool
	if names.CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, service).Store(&running) != nil {
		return "the session bus doesn't respond", screen
	}
	if !running {
		var startable []string
		_ = names.CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&startable)
		if slices.Contains(startable, service) {
			return "the notification service starts with the first one", false
		}
		return "no notification service is running", screen
	}
	var name, vendor, version, spec string
	// Not to be started: it can have ended meanwhile.
	err = conn.Object(service, path).CallWithContext(ctx, service+".GetServerInformation", dbus.FlagNoAutoStart).Store(&name, &vendor, &version, &spec)
	if err != nil {
		return "the notification service doesn't respond", screen
	}
	return strings.TrimSpace("shown by " + name + " " + version), false
}
