package pin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Launch is the kind of the one item that is no definition: what a server's command really runs.
const Launch Kind = "launch"

// ProbeClient is the Client of a form that `sallyport probe` saw: where a person's terminal stands, and what its variables
// are called, says nothing of a client.
const ProbeClient = "sallyport probe"

// LaunchForm is what runs when one client starts a server: the definition of the item "launch". Its JSON is what is
// digested, so a field that is added must be left out while it is empty.
//
// Code is what decides what runs: the files, the package, the loaders. Circumstances are folder and names of variables:
// they differ from client to client without meaning anything, so they are compared within one client only.
type LaunchForm struct {
	Client      string         `json:"client,omitempty"` // whose circumstances these are
	Executable  LaunchFile     `json:"executable"`
	Interpreter *LaunchFile    `json:"interpreter,omitempty"` // of an executable that is itself a script
	Script      *LaunchFile    `json:"script,omitempty"`      // what the interpreter is told to run
	Told        string         `json:"told,omitempty"`        // what it is told instead of a file: "module http.server", "code in the arguments"
	Package     *LaunchPackage `json:"package,omitempty"`
	Dir         string         `json:"dir,omitempty"`
	Variables   []string       `json:"variables,omitempty"` // names, sorted
	Loaders     []LaunchLoader `json:"loaders,omitempty"`   // sorted by name
}

// LaunchFile is a file and what was in it. SHA256 is "" while it has not been read; such a form is compared, never pinned.
type LaunchFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// LaunchPackage is the package whose code was seen running. Manager is npm, pypi or docker. Digest is of the image, or of
// the file of the package that was run (Entry).
type LaunchPackage struct {
	Manager string `json:"manager"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Digest  string `json:"digest,omitempty"`
	Unseen  bool   `json:"unseen,omitempty"`  // it was looked for and could not be seen
	Pending bool   `json:"pending,omitempty"` // only a running server shows it; never pinned
}

// LaunchLoader is a variable that loads code or chooses where code comes from. Hash is keyed by the hub.
type LaunchLoader struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// FileStamp is what the kernel says of a file, and what was in it when the kernel said so. The change time is the kernel's
// own: who writes a file back to its old size and times does not get that one back.
type FileStamp struct {
	Path   string `json:"path"`
	Device uint64 `json:"dev"`
	Inode  uint64 `json:"ino"`
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"` // nanoseconds
	CTime  int64  `json:"ctime"` // nanoseconds, 0 where it says nothing
	SHA256 string `json:"sha256"`
}

// Same says that nothing happened to the file since. Without a change time nothing can be known by stat.
func (s FileStamp) Same(now FileStamp) bool {
	s.SHA256, now.SHA256 = "", ""
	return s.CTime != 0 && s == now
}

// ReadLaunch reads the definition of a launch item, and refuses what Definition would not have written.
func ReadLaunch(raw []byte) (LaunchForm, error) {
	var f LaunchForm
	if len(raw) > maxLaunch {
		return f, fmt.Errorf("read launch: larger than %d KiB", maxLaunch>>10)
	}
	if err := check(raw); err != nil {
		return f, fmt.Errorf("read launch: %w", err)
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("read launch: %w", err)
	}
	return f, nil
}

// maxLaunch is above what the names of an environment take that the kernel lets through.
const maxLaunch = 1 << 20

// Definition is the form in the bytes that are digested and shown.
func (f LaunchForm) Definition() ([]byte, Digest, error) {
	f.Variables = slices.Clone(f.Variables)
	slices.Sort(f.Variables)
	f.Variables = slices.Compact(f.Variables)
	f.Loaders = slices.Clone(f.Loaders)
	slices.SortFunc(f.Loaders, func(a, b LaunchLoader) int { return strings.Compare(a.Name, b.Name) })
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, "", fmt.Errorf("write launch: %w", err)
	}
	digest, err := DigestOf(Launch, "", raw)
	return raw, digest, err
}

// Complete says that nothing of the form is still to be read or seen: only such a form can be pinned.
func (f LaunchForm) Complete() bool {
	for _, file := range []*LaunchFile{&f.Executable, f.Interpreter, f.Script} {
		if file != nil && file.SHA256 == "" {
			return false
		}
	}
	return f.Package == nil || !f.Package.Pending
}

// SameCode says that two forms run the same code; their circumstances may differ.
func (f LaunchForm) SameCode(other LaunchForm) bool {
	f.Client, f.Dir, f.Variables = other.Client, other.Dir, other.Variables
	a, _, errA := f.Definition()
	b, _, errB := other.Definition()
	return errA == nil && errB == nil && string(a) == string(b)
}

// LaunchDrift is how a launch differs from everything that was allowed. Grave says that other code may run before anybody
// could look: a variable that loads code, or another executable than any that was allowed.
type LaunchDrift struct {
	Changes []Change
	Grave   bool
}

// Drifted says that there is a difference.
func (d LaunchDrift) Drifted() bool { return len(d.Changes) > 0 }

// Against compares part by part: each part must be as it was in some allowed form, not all of them in the same one. A
// person who allowed a new version for one client has allowed it for the other client too, whose node is another file.
// What the form does not know yet is not compared.
func (f LaunchForm) Against(allowed []LaunchForm) LaunchDrift {
	var d LaunchDrift
	if len(allowed) == 0 {
		return d
	}
	d.file("executable", "executable", &f.Executable, filesOf(allowed, func(a LaunchForm) *LaunchFile { return &a.Executable }))
	d.file("interpreter", "interpreter", f.Interpreter, filesOf(allowed, func(a LaunchForm) *LaunchFile { return a.Interpreter }))
	d.script(f, allowed)
	d.pack(f.Package, allowed)
	d.loaders(f.Loaders, allowed)
	d.circumstances(f, allowed)
	return d
}

func filesOf(allowed []LaunchForm, which func(LaunchForm) *LaunchFile) []*LaunchFile {
	files := make([]*LaunchFile, len(allowed))
	for i, a := range allowed {
		files[i] = which(a)
	}
	return files
}

func (d *LaunchDrift) add(c Change) { d.Changes = append(d.Changes, c) }

// file compares a program file that PATH chose: another path is grave, other content is an update.
func (d *LaunchDrift) file(path, noun string, now *LaunchFile, allowed []*LaunchFile) {
	var before *LaunchFile // the last form's, unless one stands at the same path
	for _, a := range allowed {
		switch {
		case now == nil && a == nil:
			return
		case now != nil && a != nil && a.Path == now.Path:
			if now.SHA256 == "" || a.SHA256 == now.SHA256 {
				return
			}
			before = a
		case a != nil && (before == nil || now == nil || before.Path != now.Path):
			before = a
		}
	}
	switch {
	case now == nil:
		d.Grave = true
		d.add(Change{Path: path, Op: removed, Words: "runs without the " + noun + " that was allowed", Before: before.text()})
	case before == nil:
		d.Grave = true
		d.add(Change{Path: path, Op: added, Words: "runs through an " + noun + " now", After: now.text()})
	case before.Path != now.Path:
		d.Grave = true
		d.add(Change{Path: path, Op: changed, Words: "runs another " + noun, Before: before.text(), After: now.text()})
	default:
		d.add(Change{Path: path, Op: changed, Words: "the " + noun + " changed, at the same path", Before: before.text(), After: now.text()})
	}
}

func (f *LaunchFile) text() string {
	if f.SHA256 == "" {
		return f.Path
	}
	return f.Path + "  sha256:" + f.SHA256
}

func (d *LaunchDrift) script(f LaunchForm, allowed []LaunchForm) {
	before, words := allowed[len(allowed)-1], "runs another script"
	for _, a := range allowed {
		if a.Told != f.Told || (f.Script == nil) != (a.Script == nil) {
			continue
		}
		if f.Script == nil || *a.Script == *f.Script || f.Script.SHA256 == "" && a.Script.Path == f.Script.Path {
			return
		}
		if a.Script.Path == f.Script.Path {
			before, words = a, "the script changed"
		}
	}
	d.add(Change{Path: "script", Op: changed, Words: words, Before: before.told(), After: f.told()})
}

// told is what the interpreter is told to run, "" for a program that is none.
func (f LaunchForm) told() string {
	if f.Script != nil {
		return f.Script.text()
	}
	return f.Told
}

func (d *LaunchDrift) pack(now *LaunchPackage, allowed []LaunchForm) {
	if now != nil && now.Pending {
		return
	}
	var before *LaunchPackage
	for _, a := range allowed {
		if now == nil && a.Package == nil || now != nil && a.Package != nil && *now == *a.Package {
			return
		}
		if a.Package != nil && (before == nil || now == nil || before.Name != now.Name) {
			before = a.Package
		}
	}
	switch {
	case now == nil:
		d.add(Change{Path: "package", Op: removed, Words: "what runs belongs to no package now", Before: before.text()})
	case before == nil:
		d.add(Change{Path: "package", Op: added, Words: "what runs belongs to a package now", After: now.text()})
	case now.Unseen:
		d.add(Change{Path: "package", Op: changed, Words: "which package runs could not be seen", Before: before.text(), After: now.text()})
	case before.Name == now.Name && before.Version != now.Version:
		d.add(Change{Path: "package", Op: changed, Words: "the package has another version: " + quote(before.Version) + " → " + quote(now.Version), Before: before.text(), After: now.text()})
	case before.Name == now.Name:
		d.add(Change{Path: "package", Op: changed, Words: "the package has other code under the same version", Before: before.text(), After: now.text()})
	default:
		d.add(Change{Path: "package", Op: changed, Words: "another package runs", Before: before.text(), After: now.text()})
	}
}

func (p *LaunchPackage) text() string {
	if p.Unseen {
		return p.Manager + ": not seen"
	}
	s := p.Manager + ": " + p.Name
	if p.Version != "" {
		s += " " + p.Version
	}
	if p.Entry != "" {
		s += ", " + p.Entry
	}
	if p.Digest != "" {
		s += "  sha256:" + strings.TrimPrefix(p.Digest, "sha256:")
	}
	return s
}

// loaders compares the variables that load code. That one is gone counts too: without npm_config_registry the code comes
// from somewhere else.
func (d *LaunchDrift) loaders(now []LaunchLoader, allowed []LaunchForm) {
	values := map[string]map[string]bool{} // by name; "" is "not set"
	for _, a := range allowed {
		for _, l := range a.Loaders {
			if values[l.Name] == nil {
				values[l.Name] = map[string]bool{}
			}
			values[l.Name][l.Hash] = true
		}
	}
	for _, a := range allowed {
		for name := range values {
			if !slices.ContainsFunc(a.Loaders, func(l LaunchLoader) bool { return l.Name == name }) {
				values[name][""] = true
			}
		}
	}
	set := map[string]bool{}
	for _, l := range now {
		set[l.Name] = true
		switch known, ok := values[l.Name]; {
		case ok && known[l.Hash]:
		case !ok:
			d.Grave = true
			d.add(Change{Path: "loaders", Op: added, Words: "a variable that loads code, or chooses where it comes from, is set now: " + quote(l.Name)})
		default:
			d.Grave = true
			d.add(Change{Path: "loaders", Op: changed, Words: "a variable that loads code, or chooses where it comes from, has another value: " + quote(l.Name)})
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !set[name] && !values[name][""] {
			d.Grave = true
			d.add(Change{Path: "loaders", Op: removed, Words: "a variable that loads code, or chooses where it comes from, is set no more: " + quote(name)})
		}
	}
}

// circumstances are compared with those of the same client. The first ones of a client are taken as they are.
func (d *LaunchDrift) circumstances(f LaunchForm, allowed []LaunchForm) {
	if f.Client == ProbeClient {
		return
	}
	dirs, names := []string{}, map[string]bool{}
	for _, a := range allowed {
		if a.Client != f.Client {
			continue
		}
		dirs = append(dirs, a.Dir)
		for _, name := range a.Variables {
			names[name] = true
		}
	}
	if len(dirs) == 0 {
		return
	}
	if !slices.Contains(dirs, f.Dir) {
		d.add(Change{Path: "dir", Op: changed, Words: "runs in another folder", Before: dirs[len(dirs)-1], After: f.Dir})
	}
	var fresh []string
	for _, l := range f.Loaders {
		names[l.Name] = true // compared above, with its value
	}
	for _, name := range f.Variables {
		if !names[name] {
			fresh = append(fresh, quote(name))
		}
	}
	if len(fresh) > 0 {
		d.add(Change{Path: "variables", Op: added, Words: "gets more variables: " + strings.Join(fresh, ", ")})
	}
}
