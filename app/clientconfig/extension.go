package clientconfig

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxManifest   = 1 << 20
	maxExtensions = 1000
)

// Extension is a desktop extension of Claude Desktop: a server outside the client's file, so no wrapper can be put in front of it.
type Extension struct {
	ID       string // the name of its folder
	Name     string
	Version  string
	Folder   string
	Runs     string // what its manifest starts, with secrets masked and the client's placeholders unexpanded
	Disabled bool   // its settings file disables it
	Problem  string // why its manifest could not be read; it still counts
}

// Extensions lists the desktop extensions next to a client's file. No folder means none; an error means that we can't tell.
func Extensions(l Location, s System) ([]Extension, error) {
	folder := filepath.Join(l.Folder, "Claude Extensions")
	names, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, reading(folder, err)
	}
	var all []Extension
	for _, name := range names {
		path := filepath.Join(folder, name.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			continue
		}
		if len(all) == maxExtensions {
			return all, fmt.Errorf("%s has more than %d extensions", folder, maxExtensions)
		}
		e := extension(name.Name(), filepath.Join(path, "manifest.json"), s)
		e.Disabled = switchedOff(filepath.Join(l.Folder, "Claude Extensions Settings", name.Name()+".json"))
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Extension) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// manifest is what an extension's manifest says of it and of its server (the format is MCPB's).
type manifest struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Version     string `json:"version"`
	Server      struct {
		Type       string  `json:"type"`
		EntryPoint string  `json:"entry_point"`
		Config     started `json:"mcp_config"`
	} `json:"server"`
}

func extension(id, path string, s System) Extension {
	e := Extension{ID: id, Name: id, Folder: filepath.Dir(path)}
	raw, err := readSmall(path)
	var m manifest
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "it has no manifest"
		return e
	case err != nil:
		e.Problem = "Sallyport can't read its manifest"
		return e
	case json.Unmarshal(raw, &m) != nil:
		e.Problem = "its manifest is not valid"
		return e
	}
	e.Name, e.Version = cmp.Or(m.DisplayName, m.Name, id), m.Version
	command, args := m.Server.Config.argv(s)
	command = cmp.Or(command, m.Server.EntryPoint)
	e.Runs = strings.TrimSpace(strings.Join(maskArgs(append([]string{command}, args...)), " "))
	return e
}

// switchedOff reads only the switch in an extension's settings: the rest is the person's input.
func switchedOff(path string) bool {
	raw, err := readSmall(path)
	var settings struct {
		Enabled *bool `json:"isEnabled"`
	}
	return err == nil && json.Unmarshal(raw, &settings) == nil && settings.Enabled != nil && !*settings.Enabled
}

func readSmall(path string) ([]byte, error) {
	raw, err := Read(path)
	if err == nil && len(raw) > maxManifest {
		return nil, fmt.Errorf("%s has more than %d MiB", path, maxManifest>>20)
	}
	return []byte(strings.TrimPrefix(string(raw), "\ufeff")), err
}
