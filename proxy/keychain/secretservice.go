//go:build unix && !darwin

package keychain

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// The Secret Service (specifications.freedesktop.org/secret-service-spec 0.2), as gnome-keyring, KWallet and KeePassXC offer it.
const (
	service        = "org.freedesktop.secrets"
	root           = dbus.ObjectPath("/org/freedesktop/secrets")
	nowhere        = dbus.ObjectPath("/") // no object, or no prompt is needed
	faceService    = "org.freedesktop.Secret.Service"
	faceCollection = "org.freedesktop.Secret.Collection"
	faceItem       = "org.freedesktop.Secret.Item"
	facePrompt     = "org.freedesktop.Secret.Prompt"
)

// maxEntry is what one entry holds, in bytes.
const maxEntry = MaxToken

const whatHelps = "on Linux it needs a Secret Service such as gnome-keyring on the session's bus"

// secret is a value on its way, in a session without encryption: the bus is a Unix socket of this user's, and whoever may listen on it may
// also ask for the value. Encryption would add a key exchange to each call and keep it from nobody.
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// attributes find an entry again. They are not secret.
func (s Store) attributes(name string) map[string]string {
	a := map[string]string{"application": "sallyport", "home": s.home, "kind": s.kind}
	if name != "" {
		a["name"] = name
	}
	return a
}

func (s Store) state(ctx context.Context) error {
	return onBus(ctx, func(b bus) error {
		_, err := b.writable()
		return err
	})
}

func (s Store) set(ctx context.Context, name, value string) error {
	return onBus(ctx, func(b bus) error {
		collection, err := b.writable()
		if err != nil {
			return err
		}
		older, locked, err := b.search(s.attributes(name))
		if err != nil {
			return err
		}
		if len(locked) > 0 {
			return ErrLocked // it would be there twice
		}
		session, err := b.session()
		if err != nil {
			return err
		}
		properties := map[string]dbus.Variant{
			faceItem + ".Label":      dbus.MakeVariant("Sallyport: " + name),
			faceItem + ".Attributes": dbus.MakeVariant(s.attributes(name)),
		}
		var item, prompt dbus.ObjectPath
		sent := secret{Session: session, Parameters: []byte{}, Value: []byte(value), ContentType: "text/plain; charset=utf8"}
		if err := b.call(collection, faceCollection+".CreateItem", properties, sent, true).Store(&item, &prompt); err != nil {
			return meaning(err)
		}
		if prompt != nowhere {
			return ErrLocked
		}
		for _, other := range older { // in another collection, where it was before the default changed
			if other != item {
				if err := b.remove(other); err != nil && !errors.Is(err, ErrNotFound) {
					return err
				}
			}
		}
		return nil
	})
}

func (s Store) get(ctx context.Context, name string) (value string, err error) {
	err = onBus(ctx, func(b bus) error {
		items, err := b.found(s.attributes(name))
		if err != nil {
			return err
		}
		session, err := b.session()
		if err != nil {
			return err
		}
		var got secret
		if err := b.call(items[0], faceItem+".GetSecret", session).Store(&got); err != nil {
			return meaning(err)
		}
		value = string(got.Value)
		return nil
	})
	return value, err
}

func (s Store) delete(ctx context.Context, name string) error {
	return onBus(ctx, func(b bus) error {
		items, err := b.found(s.attributes(name))
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := b.remove(item); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Store) list(ctx context.Context) (names []string, err error) {
	err = onBus(ctx, func(b bus) error {
		items, err := b.found(s.attributes(""))
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, item := range items {
			value, err := b.property(item, faceItem, "Attributes")
			if err != nil {
				return err
			}
			attributes, _ := value.(map[string]string)
			names = append(names, attributes["name"])
		}
		return nil
	})
	return names, err
}

// writable is the default collection, if it can be written.
func (b bus) writable() (collection dbus.ObjectPath, err error) {
	if collection, err = b.standard(); err != nil {
		return collection, err
	}
	if collection == nowhere {
		return collection, fmt.Errorf("%w (it has no default keyring yet: create one)", ErrLocked)
	}
	locked, err := b.property(collection, faceCollection, "Locked")
	if err == nil && locked != false {
		err = ErrLocked
	}
	return collection, err
}

// standard is the default collection, nowhere if there is none yet.
func (b bus) standard() (collection dbus.ObjectPath, err error) {
	err = b.call(root, faceService+".ReadAlias", "default").Store(&collection)
	return collection, meaning(err)
}

// found are the items with these attributes. While something is locked, nobody can say that an item is missing.
func (b bus) found(attributes map[string]string) ([]dbus.ObjectPath, error) {
	items, locked, err := b.search(attributes)
	if err != nil {
		return nil, err
	}
	if len(locked) > 0 {
		return nil, ErrLocked
	}
	if len(items) > 0 {
		return items, nil
	}
	collection, err := b.standard()
	if err != nil {
		return nil, err
	}
	if collection != nowhere {
		if _, err := b.writable(); err != nil {
			return nil, err
		}
	}
	return nil, ErrNotFound
}

func (b bus) search(attributes map[string]string) (unlocked, locked []dbus.ObjectPath, err error) {
	err = b.call(root, faceService+".SearchItems", attributes).Store(&unlocked, &locked)
	return unlocked, locked, meaning(err)
}

func (b bus) session() (session dbus.ObjectPath, err error) {
	var output dbus.Variant // empty
	err = b.call(root, faceService+".OpenSession", "plain", dbus.MakeVariant("")).Store(&output, &session)
	return session, meaning(err)
}

func (b bus) remove(item dbus.ObjectPath) error {
	var prompt dbus.ObjectPath
	if err := b.call(item, faceItem+".Delete").Store(&prompt); err != nil {
		return meaning(err)
	}
	if prompt != nowhere {
		return ErrLocked
	}
	return nil
}
