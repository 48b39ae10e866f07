package clientconfig

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Snapshot is the content of mcpServers: a watcher keeps one of the wanted state and one of the last look. It contains the values of env,
// so keep it like a secret.
type Snapshot struct {
	Servers string `json:"servers,omitempty"` // the text of mcpServers; "" if the file had none
	Entries []Kept `json:"entries,omitempty"`
}

// Kept is one entry of a Snapshot.
type Kept struct {
	Name     string   `json:"name"`
	Called   string   `json:"called,omitempty"` // the name in the file, if it is for one project
	Project  string   `json:"project,omitempty"`
	Raw      string   `json:"raw"` // the text of the entry's value
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	HasArgs  bool     `json:"has_args,omitempty"`
	URL      string   `json:"url,omitempty"`
	EnvNames []string `json:"env_names,omitempty"`
	Odd      string   `json:"odd,omitempty"`
	Shared   string   `json:"shared,omitempty"`  // what its project shares, if it is a copy of that
	Guarded  bool     `json:"guarded,omitempty"` // it was Wrapped
}

func (s Snapshot) String() string   { return fmt.Sprintf("snapshot of %d entries", len(s.Entries)) }
func (s Snapshot) GoString() string { return s.String() }
func (k Kept) String() string       { return fmt.Sprintf("kept entry %q", k.Name) }
func (k Kept) GoString() string     { return k.String() }

// Server is the name of the server in the file.
func (k Kept) Server() string {
	if k.Project != "" {
		return k.Called
	}
	return k.Name
}

// SharedIn is the file of a project that has what the entry is a copy of, "" if it is none.
func (k Kept) SharedIn() string {
	if k.Shared == "" {
		return ""
	}
	return filepath.Join(k.Project, sharedFile)
}

// Snapshot records the file's current content.
func (f *File) Snapshot(by Installation, records []Record) Snapshot {
	var s Snapshot
	if f.HasServers {
		s.Servers = f.text(f.servers)
	}
	for _, e := range f.Entries {
		class := Classify(e, by, FindRecord(records, e.Name))
		k := Kept{
			Name: e.Name, Project: e.Project, Called: e.Called, Raw: e.raw, Command: e.Command, Args: e.Args, HasArgs: e.HasArgs, URL: e.URL, EnvNames: e.EnvNames, Odd: e.Odd,
			Guarded: class.Kind == Wrapped,
		}
		if record := FindRecord(records, e.Name); record != nil && record.Shared != "" {
			k.Shared = sharedText(f, e.Name)
		}
		if class.Address != nil && class.Address.Source != "" {
			k.URL = class.Address.URL // its variable decides which server it is
		}
		s.Entries = append(s.Entries, k)
	}
	return s
}

func (s Snapshot) Entry(name string) (Kept, bool) {
	for _, k := range s.Entries {
		if k.Name == name {
			return k, true
		}
	}
	return Kept{}, false
}

// Without is the snapshot without the named entries: the wanted state after a person removed them.
func (s Snapshot) Without(names ...string) Snapshot {
	var left []Kept
	for _, k := range s.Entries {
		if !slices.Contains(names, k.Name) {
			left = append(left, k)
		}
	}
	s.Entries = left
	if len(names) > 0 {
		s.Servers = "" // the text would restore them
	}
	return s
}

// With is the snapshot with the named entries as they are in f now: the wanted state after a person accepted them.
func (s Snapshot) With(f *File, by Installation, records []Record, names ...string) Snapshot {
	now := f.Snapshot(by, records)
	out := Snapshot{Entries: slices.Clone(s.Entries)}
	for _, k := range now.Entries {
		if !slices.Contains(names, k.Name) {
			continue
		}
		if at := slices.IndexFunc(out.Entries, func(old Kept) bool { return old.Name == k.Name }); at >= 0 {
			out.Entries[at] = k
		} else {
			out.Entries = append(out.Entries, k)
		}
	}
	return out
}

func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// fields names the differences between two forms of an entry.
func fields(a, b Kept) []string {
	var differ []string
	if a.Command != b.Command {
		differ = append(differ, "command")
	}
	if !slices.Equal(a.Args, b.Args) || a.HasArgs != b.HasArgs {
		differ = append(differ, "args")
	}
	if a.URL != b.URL {
		differ = append(differ, "url")
	}
	if !sameNames(a.EnvNames, b.EnvNames) {
		differ = append(differ, "env")
	}
	if a.Shared != b.Shared {
		differ = append(differ, "shared")
	}
	if len(differ) == 0 && a.Odd != b.Odd {
		differ = append(differ, "form")
	}
	return differ
}
