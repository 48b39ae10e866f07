//go:build linux

package reveal

import (
	"context"
	"net/url"
	"os/exec"
	"time"

	"github.com/godbus/dbus/v5"
)

// org.freedesktop.FileManager1 (freedesktop.org/wiki/Specifications/file-manager-interface).
const (
	service = "org.freedesktop.FileManager1"
	object  = dbus.ObjectPath("/org/freedesktop/FileManager1")
)

const (
	patience = 5 * time.Second // for the file manager: the bus may have to start it
	refusal  = 2 * time.Second // xdg-open reports failure within this time; if it runs longer, it may be the file manager itself
)

// show asks the session's file manager, and otherwise opens the folder as the desktop does. file is "" if there is none to select.
func show(file, folder string) error {
	method, what := service+".ShowItems", file
	if file == "" {
		method, what = service+".ShowFolders", folder
	}
	if ask(method, what) {
		return nil
	}
	return open(folder)
}

// ask calls the file manager, and reports whether it answered. It never starts a bus.
func ask(method, path string) bool {
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return false
	}
	defer conn.Close()
	if conn.Auth(nil) != nil || conn.Hello() != nil {
		return false
	}
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	address := url.URL{Scheme: "file", Path: path}
	return conn.Object(service, object).CallWithContext(ctx, method, 0, []string{address.String()}, "").Err == nil
}

func open(folder string) error {
	command := exec.Command("xdg-open", folder)
	command.Dir = "/"
	if err := command.Start(); err != nil {
		return ErrNoManager
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return ErrNoManager
		}
	case <-time.After(refusal):
	}
	return nil
}
