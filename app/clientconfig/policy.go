package clientconfig

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// Policy is what an organisation, or the person in the configuration window, has set for Claude Desktop. It is read, never written.
type Policy struct {
	LocalServersOff bool           // servers of the client's file are not started
	ExtensionsOff   bool           // desktop extensions are not started
	Servers         []PolicyServer // managedMcpServers
	Problems        []string       // what could not be read: its contents are neither counted nor guarded
}

// PolicyServer is a server defined in a policy, where no wrapper can be put in front of it.
type PolicyServer struct {
	Name  string
	Local bool // it starts a program here
}

// A policyValue reads one key of one source: its text (JSON for lists and objects), and whether it exists.
type policyValue func(key string) (text string, ok bool, err error)

const (
	keyServers    = "managedMcpServers"
	keyLocal      = "isLocalDevMcpEnabled"
	keyExtensions = "isDesktopExtensionEnabled"
)

// ReadPolicy reads the managed policy of this system and the configurations saved by the app itself. Of several sources the app obeys the
// first; because that can't be proved from outside, everything found is counted. Part of it is in the app's own folder: on macOS call it
// only after the person agreed.
func ReadPolicy(s System) Policy {
	var p Policy
	for _, source := range managed(s) {
		p.add(source.name, source.value)
	}
	for _, folder := range s.libraryFolders() {
		p.library(folder)
	}
	return p
}

type policySource struct {
	name  string
	value policyValue
}

func (p *Policy) add(source string, value policyValue) {
	for _, key := range []string{keyServers, keyLocal, keyExtensions} {
		text, ok, err := value(key)
		if err != nil {
			p.Problems = append(p.Problems, source+" cannot be read")
			return
		}
		if !ok {
			continue
		}
		switch key {
		case keyLocal:
			p.LocalServersOff = p.LocalServersOff || off(text)
		case keyExtensions:
			p.ExtensionsOff = p.ExtensionsOff || off(text)
		default:
			if !p.servers(text) {
				p.Problems = append(p.Problems, source+": its "+keyServers+" cannot be read")
			}
		}
	}
}

// off reads a switch: values are stored as text, "false" or "0" for off.
func off(text string) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(text), `"`)) {
	case "false", "0", "no":
		return true
	}
	return false
}

func (p *Policy) servers(text string) bool {
	// The list is stored as text that contains JSON; a file may contain it as JSON itself.
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = inner
	}
	var list []struct {
		Name      string   `json:"name"`
		Transport string   `json:"transport"`
		URL       string   `json:"url"` // this and args are only checked for their form
		Command   string   `json:"command"`
		Args      []string `json:"args"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return false
	}
	for _, e := range list {
		p.Servers = append(p.Servers, PolicyServer{Name: e.Name, Local: e.Command != "" || e.Transport == "stdio"})
	}
	return true
}

// libraryFolders are where the app keeps configurations created in it.
func (s System) libraryFolders() []string {
	var folders []string
	for _, folder := range s.thirdPartyFolders() {
		folders = append(folders, filepath.Join(folder, "configLibrary"))
	}
	return folders
}

// thirdPartyFolders are those of a Claude Desktop that uses another provider; its file has the same name and format.
func (s System) thirdPartyFolders() []string {
	switch s.OS {
	case "darwin":
		return []string{s.path(s.Home, "Library", "Application Support", "Claude-3p")}
	case "windows":
		local := s.env("LOCALAPPDATA", filepath.Join(s.Home, "AppData", "Local"))
		var folders []string
		for _, p := range s.packages(local) {
			folders = append(folders, filepath.Join(p, "LocalCache", "Local", "Claude-3p"))
		}
		return append(folders, s.path(local, "Claude-3p"))
	default:
		return []string{s.path(s.env("XDG_CONFIG_HOME", filepath.Join(s.Home, ".config")), "Claude-3p")}
	}
}

// library reads the active configuration: _meta.json names it, and a file of that name contains it.
func (p *Policy) library(folder string) {
	raw, err := readSmall(filepath.Join(folder, "_meta.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var meta struct {
		Applied string `json:"appliedId"`
	}
	if err != nil || json.Unmarshal(raw, &meta) != nil || meta.Applied != filepath.Base(meta.Applied) {
		p.Problems = append(p.Problems, folder+" cannot be read")
		return
	}
	path := filepath.Join(folder, meta.Applied+".json")
	raw, err = readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var values map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &values) != nil {
		p.Problems = append(p.Problems, path+" cannot be read")
		return
	}
	p.add(path, func(key string) (string, bool, error) {
		value, ok := values[key]
		return string(value), ok, nil
	})
}
