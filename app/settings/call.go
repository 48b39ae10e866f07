package settings

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Settings are rows of the table with the values in force.
func (k *Keeper) Settings(q control.SettingQuery) ([]control.Setting, error) {
	k.office.Lock()
	defer k.office.Unlock()
	server, err := k.settingServer(q.Server)
	if err != nil {
		return nil, err
	}
	var rows []control.Setting
	for _, s := range policy.All() {
		if q.Key == "" || q.Key == s.Key {
			rows = append(rows, k.settingRow(s, server, q.Tool))
		}
	}
	if len(rows) == 0 {
		return nil, noSetting(q.Key)
	}
	return rows, nil
}

func (k *Keeper) settingRow(s policy.Setting, server store.Server, tool string) control.Setting {
	of := subject(server, tool)
	row := control.Setting{Key: s.Key, Value: k.settings.accepted.For(of)[s.Key], Default: s.Default, Doc: s.Doc, From: k.settings.accepted.From(s.Key, of)}
	if s.Key == office.MetaWindowCLI {
		row.Value, row.From = "off", "default"
		if k.office.WindowOn() {
			row.Value, row.From = "on", "settings"
		}
	}
	return row
}

// ToolSettings are the settings that tools of a server have of their own, by the tool's name.
func (k *Keeper) ToolSettings(name string) (map[string][]control.Setting, error) {
	k.office.Lock()
	defer k.office.Unlock()
	server, err := k.settingServer(name)
	if err != nil {
		return nil, err
	}
	of := map[string][]control.Setting{}
	for _, tool := range k.settings.accepted.Tools(subject(server, "")) {
		for _, s := range policy.All() {
			if row := k.settingRow(s, server, tool); row.From == "tool" {
				of[tool] = append(of[tool], row)
			}
		}
	}
	return of, nil
}

func (k *Keeper) settingServer(name string) (server store.Server, err error) {
	if name == "" {
		return server, nil
	}
	if err := k.office.Usable(); err != nil {
		return server, err
	}
	err = k.office.Store.View(func(tx *store.Tx) error {
		server, err = office.FindServer(tx, name)
		return err
	})
	return server, k.office.Failed(err)
}

// setWindowOnly sets approvals.cli, the one setting that no file and no command line may hold: it is only in the store.
func (k *Keeper) setWindowOnly(s policy.Setting, q control.SettingQuery) (control.Setting, error) {
	k.office.Lock()
	defer k.office.Unlock()
	if err := k.office.Usable(); err != nil {
		return control.Setting{}, err
	}
	value, err := s.Parse(cmp.Or(q.Value, s.Default))
	if err != nil || q.Server != "" || q.Tool != "" || s.Key != office.MetaWindowCLI {
		return control.Setting{}, office.Answer(control.CodeBadRequest, "%s is on or off, for all servers", s.Key)
	}
	row := k.settingRow(s, store.Server{}, "")
	if row.Value == value {
		return row, nil
	}
	if value == "on" && !q.Decided {
		return control.Setting{}, office.Answer(control.CodeLoosens, "%s: on instead of off makes things less safe", s.Key)
	}
	err = k.office.Update(func(tx *store.Tx) (bool, error) {
		change := []policy.ChangeOfSetting{{Key: s.Key, From: row.Value, To: value}}
		return true, errors.Join(tx.SetMeta(office.MetaWindowCLI, []byte(value)), k.noteSettings(tx, change, "in the window", ""))
	})
	if err != nil {
		return control.Setting{}, k.office.Failed(err)
	}
	k.office.SetWindowOn(value == "on")
	return k.settingRow(s, store.Server{}, ""), nil
}

// SetSetting sets one value. Tightening may come from anywhere; loosening is a decision, and needs Decided in the window, too.
func (k *Keeper) SetSetting(peer control.Peer, q control.SettingQuery) (none control.Setting, err error) {
	where := "from the command line"
	if peer.Here {
		if s, ok := policy.Lookup(q.Key); ok && s.Window {
			return k.setWindowOnly(s, q)
		}
		where = "in the window"
	}
	var rules *loadedRules
	if q.Key == KeyRules {
		if rules, err = rulesToSet(q.Value); err != nil { // without the lock: the disk may be slow
			return none, err
		}
	}
	if k.concernsGuards(q) {
		if err := k.hub.Guards.Chosen(q.Key, q.Value); err != nil {
			return none, err
		}
	}
	k.office.Lock()
	defer k.office.Unlock()
	c, err := k.changeOf(peer, q)
	if err == nil && k.concernsGuards(q) {
		before, after := k.valuesFor(c)
		k.office.Unlock()
		done, tryErr := k.hub.Guards.Try(before, after)
		k.office.Lock()
		if tryErr != nil {
			return none, tryErr
		}
		c, err = k.changeOf(peer, q) // anything can have changed meanwhile
		defer func() { done(err == nil) }()
	}
	if err != nil {
		return none, err
	}
	if err = k.setAs(c, where); err != nil {
		return none, err
	}
	k.useRules(rules)
	if k.concernsGuards(q) {
		k.hub.Guards.Reset(q.Key == keyProvider) // also if the value is the same
	}
	if err = k.hub.Restand(); err != nil {
		return none, err
	}
	return k.settingRow(c.setting, c.server, q.Tool), nil
}

// aboutRemote reports whether a setting has an effect on remote servers alone.
func aboutRemote(key string) bool {
	return strings.HasPrefix(key, "remote.") || strings.HasPrefix(key, "auth.")
}

// changeOf is what a call changes, if its peer can have that. A loosening by one who can't decide is put before a person.
func (k *Keeper) changeOf(peer control.Peer, q control.SettingQuery) (c change, err error) {
	if c.setting, c.server, err = k.settable(q); err != nil {
		return c, err
	}
	if walls := q.Key == "sandbox" && q.Value != "" && q.Value != string(vocab.SandboxOff); walls && c.server.Remote() {
		return c, office.Answer(control.CodeBadRequest, "%s is a remote server: it has no program here that could be put into a sandbox", legible.Name(c.server.Name, "it"))
	}
	if q.Server != "" && q.Value != "" && !c.server.Remote() && aboutRemote(q.Key) {
		return c, office.Answer(control.CodeBadRequest, "%s is a program on this computer: %s is about servers at an address", legible.Name(c.server.Name, "it"), q.Key)
	}
	if c.accepted, err = k.settings.accepted.Set(q.Key, q.Value, c.server.ID, q.Tool); err != nil {
		return c, office.Answer(control.CodeBadRequest, "%v", err)
	}
	if c.file, err = k.settings.file.Set(q.Key, q.Value, c.server.ID, q.Tool); err != nil {
		return c, office.Answer(control.CodeBadRequest, "%v", err)
	}
	known, err := k.known()
	if err != nil {
		return c, err
	}
	c.tightened, c.loosened = policy.Diff(k.settings.accepted, c.accepted, known...)
	if len(c.loosened) == 0 {
		return c, nil
	}
	if err := k.office.MayDecide(peer); err != nil {
		if peer.Descends {
			return c, err
		}
		return c, k.suggest(c.file, err)
	}
	if !q.Decided {
		first := c.loosened[0]
		return c, office.Answer(control.CodeLoosens, "%s: %s instead of %s makes things less safe", first.Key, first.To, first.From)
	}
	return c, nil
}

// setAs stores a change.
func (k *Keeper) setAs(c change, where string) error {
	var raw []byte
	err := k.office.Update(func(tx *store.Tx) (_ bool, err error) {
		if raw, err = k.writeSettings(c.file); err != nil {
			return false, err
		}
		if err := tx.SetMeta(metaSettings, c.accepted.Marshal()); err != nil {
			return false, err
		}
		if err := k.noteSettings(tx, append(c.tightened, c.loosened...), where, ""); err != nil {
			return false, err
		}
		_, _, err = k.settle(tx, c.accepted, c.file)
		return true, err
	})
	if err != nil {
		return k.office.Failed(err)
	}
	k.settings.accepted, k.settings.file, k.settings.raw = c.accepted, c.file, raw
	return nil
}

// settable returns the setting that a call names, and its server, if it can be set there.
func (k *Keeper) settable(q control.SettingQuery) (s policy.Setting, server store.Server, err error) {
	if err := k.office.Usable(); err != nil {
		return s, server, err
	}
	s, ok := policy.Lookup(q.Key)
	switch {
	case !ok:
		return s, server, noSetting(q.Key)
	case s.Window:
		return s, server, office.Answer(control.CodeNotHere, "%s can only be set in the window", s.Key)
	case k.settings.broken:
		return s, server, errBroken
	}
	if server, err = k.settingServer(q.Server); err == nil && q.Tool != "" && q.Server == "" {
		err = office.Answer(control.CodeBadRequest, "a tool's setting needs the server too")
	}
	return s, server, err
}

// errBroken refuses to change a file that can't be read.
var errBroken = office.Answer(control.CodeUnavailable, "settings.json can't be read; fix it first")

func noSetting(key string) error {
	return office.Answer(control.CodeNotFound, "no setting %s; run `sallyport settings list` to see them", legible.Name(key, "of that name"))
}

// suggest writes a loosening from a command into settings.json, where a hub that may not decide treats it like an edit by hand: it becomes
// a pending item, on top, and the stricter value stays in force. The response says why, and where to find it.
func (k *Keeper) suggest(file policy.Document, why error) error {
	var raw []byte
	var item *store.Item
	err := k.office.Update(func(tx *store.Tx) (bool, error) {
		var err error
		if raw, err = k.writeSettings(file); err != nil {
			return false, err
		}
		if item, _, err = k.settle(tx, k.settings.accepted, file); err != nil || item == nil {
			return true, err
		}
		item.AskedAt = k.office.Now()
		return true, tx.PutItem(*item)
	})
	if err != nil {
		return k.office.Failed(err)
	}
	k.settings.file, k.settings.raw = file, raw
	k.hub.PushAll()
	var refused *control.Error
	if item == nil || !errors.As(why, &refused) {
		return why
	}
	return &control.Error{Code: refused.Code, Message: fmt.Sprintf("this makes things less safe, so it waits as item %s: %s", item.Code, refused.Message), See: item.Code}
}

// LoosensSetting reports whether a value is less safe than the one in force, and both values.
func (k *Keeper) LoosensSetting(q control.SettingQuery) (loosens bool, from, to string, err error) {
	rows, err := k.Settings(control.SettingQuery{Key: q.Key, Server: q.Server, Tool: q.Tool})
	if err != nil {
		return false, "", "", err
	}
	s, _ := policy.Lookup(q.Key)
	from, to = rows[0].Value, q.Value
	if strings.TrimSpace(to) == "" {
		to = s.Default
		if q.Server != "" { // without its own value, the wider one applies
			wider := control.SettingQuery{Key: q.Key}
			if q.Tool != "" {
				wider.Server = q.Server
			}
			general, err := k.Settings(wider)
			if err != nil {
				return false, "", "", err
			}
			to = general[0].Value
		}
	}
	if to, err = s.Parse(to); err != nil {
		return false, "", "", office.Answer(control.CodeBadRequest, "%v", err)
	}
	return s.Loosens(from, to), from, to, nil
}
