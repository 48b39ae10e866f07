package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

type secretListCommand struct{ jsonFlag }

// storedSecret is a secret as far as it is ever shown.
type storedSecret struct {
	Name string         `json:"name"`
	Kept keychain.Place `json:"kept"`
	Used []secretUser   `json:"used"`
}

// secretUser is a setting, or a client's entry, that names the secret.
type secretUser struct {
	Setting string `json:"setting,omitempty"`
	Client  string `json:"client,omitempty"` // "claude-code"
	Entry   string `json:"entry,omitempty"`  // server text

	client string // its name for people
}

// storedSecrets is what `secret list --json` prints.
type storedSecrets struct {
	Items []storedSecret `json:"items"`
	New   keychain.Place `json:"new"`              // where a new value would go
	Why   string         `json:"why,omitempty"`    // why that is not the keychain
	NoHub bool           `json:"no_hub,omitempty"` // settings that use them are not listed, because no hub runs

	file string
}

func (c secretListCommand) run(ctx context.Context, s streams) (int, error) {
	store, code, err := secretStore()
	if err != nil {
		return code, err
	}
	entries, incomplete := withPerson(s, store).Entries(ctx)
	if incomplete != nil && len(entries) == 0 {
		return exitFailed, incomplete
	}
	target, err := store.Target(ctx)
	if err != nil {
		return exitFailed, err
	}
	users, hub := secretUsers(ctx)
	listed := storedSecrets{Items: []storedSecret{}, New: target.Place, Why: target.Reason(), NoHub: !hub, file: target.File}
	for _, entry := range entries {
		used := users[entry.Name]
		if used == nil {
			used = []secretUser{}
		}
		listed.Items = append(listed.Items, storedSecret{entry.Name, entry.Place, used})
	}
	if err := c.print(s, listed, listed.show); err != nil {
		return exitFailed, err
	}
	if incomplete != nil {
		return exitFailed, fmt.Errorf("only what is in %s is listed: %w", filepath.Base(target.File), incomplete)
	}
	return exitFine, nil
}

func (l storedSecrets) show(p *page) {
	if len(l.Items) == 0 {
		p.Printf("No secrets. To store one: sallyport secret set NAME\n")
	} else {
		var rows [][]string
		for _, secret := range l.Items {
			var users []string
			for _, user := range secret.Used {
				users = append(users, user.String())
			}
			rows = append(rows, []string{terminal.Text(secret.Name), string(secret.Kept), orDash(strings.Join(users, ", "))})
		}
		p.Table([]string{"NAME", "KEPT IN", "USED BY"}, rows)
		if l.NoHub {
			p.Prose("", "No hub runs, so settings that use them are not listed.")
		}
	}
	if l.New == keychain.InFile {
		p.Printf("New values go to %s, because %s.\n", terminal.Text(l.file), l.Why)
	}
}

func (u secretUser) String() string {
	if u.Setting != "" {
		return terminal.Text(u.Setting)
	}
	return u.client + ": " + terminal.Text(u.Entry)
}

// secretUsers are the users of each secret, and whether a hub said which settings are among them.
func secretUsers(ctx context.Context) (users map[string][]secretUser, hub bool) {
	users = map[string][]secretUser{}
	settings, err := settingsOf(ctx)
	for _, setting := range settings {
		if name, is := strings.CutPrefix(setting.Value, "keychain:"); is {
			users[name] = append(users[name], secretUser{Setting: setting.Key})
		}
	}
	program, noProgram := os.Executable()
	if noProgram != nil {
		return users, err == nil
	}
	for _, place := range clientconfig.Locate(clientconfig.ThisSystem()) {
		if place.State != clientconfig.Found {
			continue
		}
		for _, entry := range entriesOf(place) {
			class := clientconfig.Classify(entry, clientconfig.Installation{Path: program, Client: place.Client}, nil)
			switch class.Kind {
			case clientconfig.Wrapped, clientconfig.LooksWrapped: // the second reads them as well, if the client starts it
			default:
				continue
			}
			names := secretsIn(entry.Args)
			if len(class.Inner) > 0 {
				names = secretsOfServer(entry.Environ())
			}
			for _, name := range names {
				users[name] = append(users[name], secretUser{Client: place.Client, Entry: entry.Name, client: place.Name})
			}
		}
	}
	return users, err == nil
}

func settingsOf(ctx context.Context) ([]control.Setting, error) {
	hub, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	defer hub.Close()
	return control.AskSettings(ctx, hub, control.SettingQuery{})
}

// entriesOf are the entries of a client's file; none if it can't be read, which doctor reports.
func entriesOf(place clientconfig.Location) []clientconfig.Entry {
	raw, err := clientconfig.Read(place.Path)
	if err != nil {
		return nil
	}
	file, err := clientconfig.Parse(raw, place.Format)
	if err != nil {
		return nil
	}
	return file.Entries
}

// secretsOfServer are the secrets that the environment of a local server names, each once.
func secretsOfServer(environ []string) []string {
	names := slices.Collect(maps.Values(secretVariables(environ)))
	slices.Sort(names)
	return slices.Compact(names)
}

// secretsIn are the secrets that the headers of a wrapper's arguments name, each once.
func secretsIn(args []string) (names []string) {
	seen := map[string]bool{}
	for i, arg := range args {
		text, is := strings.CutPrefix(arg, "--header=")
		switch {
		case arg == "--": // the rest is the server's
			return names
		case arg == "--header" && i+1 < len(args):
			text = args[i+1]
		case !is:
			continue
		}
		if h, err := address.ParseHeader(text); err == nil && h.From == "keychain" && !seen[h.Key] {
			seen[h.Key] = true
			names = append(names, h.Key)
		}
	}
	return names
}
