//go:build unix && !darwin

package keychain

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// unlock has the service ask the person to unlock the default collection, or to create it.
func (s Store) unlock(ctx context.Context) error {
	return onBus(ctx, func(b bus) error {
		collection, err := b.standard()
		if err != nil {
			return err
		}
		if collection == nowhere {
			var made, prompt dbus.ObjectPath
			properties := map[string]dbus.Variant{faceCollection + ".Label": dbus.MakeVariant("Default keyring")}
			if err := b.call(root, faceService+".CreateCollection", properties, "default").Store(&made, &prompt); err != nil {
				return meaning(err)
			}
			return b.ask(prompt)
		}
		var unlocked []dbus.ObjectPath
		var prompt dbus.ObjectPath
		if err := b.call(root, faceService+".Unlock", []dbus.ObjectPath{collection}).Store(&unlocked, &prompt); err != nil {
			return meaning(err)
		}
		return b.ask(prompt)
	})
}

// ask shows a dialog of the service and waits until the person has closed it.
func (b bus) ask(prompt dbus.ObjectPath) error {
	if prompt == nowhere {
		return nil
	}
	signals := make(chan *dbus.Signal, 8)
	b.conn.Signal(signals)
	if err := b.conn.AddMatchSignalContext(b.ctx, dbus.WithMatchObjectPath(prompt), dbus.WithMatchInterface(facePrompt)); err != nil {
		return meaning(err)
	}
	if err := b.call(prompt, facePrompt+".Prompt", "").Err; err != nil {
		return meaning(err)
	}
	for {
		select {
		case <-b.ctx.Done():
			return b.ctx.Err()
		case signal, open := <-signals:
			switch {
			case !open:
				return ErrAbsent
			case signal.Path != prompt || signal.Name != facePrompt+".Completed":
			case len(signal.Body) == 0 || signal.Body[0] != false:
				return fmt.Errorf("%w: its dialog was closed without unlocking it", ErrRefused)
			default:
				return nil
			}
		}
	}
}
