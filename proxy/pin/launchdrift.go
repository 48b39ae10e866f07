package pin

import (
	"slices"
	"strings"
)

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
	d.loads(f.Loads, allowed)
	d.pack(f.Package, allowed)
	d.answers(f.Answers, allowed)
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

// loads compares what is loaded before the script.
func (d *LaunchDrift) loads(now []LaunchFile, allowed []LaunchForm) {
	for _, file := range now {
		var before *LaunchFile
		same := false
		for _, a := range allowed {
			for i := range a.Loads {
				if old := &a.Loads[i]; old.Path == file.Path {
					before, same = old, same || file.SHA256 == "" || old.SHA256 == file.SHA256
				}
			}
		}
		switch {
		case same:
		case before == nil:
			d.add(Change{Path: "loads", Op: added, Words: "loads a file before its script", After: file.text()})
		default:
			d.add(Change{Path: "loads", Op: changed, Words: "a file that is loaded before the script changed", Before: before.text(), After: file.text()})
		}
	}
}

// answers compares what the command left the conversation to. It is not grave: by the time it is seen it runs.
func (d *LaunchDrift) answers(now *LaunchAnswers, allowed []LaunchForm) {
	if now != nil && now.Pending {
		return
	}
	var before *LaunchAnswers
	for _, a := range allowed {
		if now.same(a.Answers) {
			return
		}
		if a.Answers != nil && (before == nil || now == nil || before.Executable.Path != now.Executable.Path) {
			before = a.Answers
		}
	}
	c := Change{Path: "answers", Op: changed, Before: before.text(), After: now.text()}
	switch {
	case now == nil:
		c.Op, c.Words = removed, "the command answers itself now, not a program that it starts"
	case now.Unseen:
		c.Words = "which program answers could not be seen"
	case before == nil:
		c.Op, c.Words = added, "another program answers than the command names"
	case before.Executable.Path != now.Executable.Path:
		c.Words = "the command starts another program"
	case before.Executable != now.Executable:
		c.Words = "the program that the command starts changed, at the same path"
	case before.Script != nil && now.Script != nil && *before.Script == *now.Script:
		c.Words = "a file that is loaded before the script changed"
	case before.Script != nil && now.Script != nil && before.Script.Path == now.Script.Path:
		c.Words = "the script that the command starts changed"
	default:
		c.Words = "the command starts another script"
	}
	d.add(c)
}

func (a *LaunchAnswers) same(b *LaunchAnswers) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Script == nil) != (b.Script == nil) || a.Script != nil && *a.Script != *b.Script {
		return false
	}
	return a.Executable == b.Executable && slices.Equal(a.Loads, b.Loads) && a.Told == b.Told && a.Unseen == b.Unseen
}

func (a *LaunchAnswers) text() string {
	if a == nil {
		return ""
	}
	if a.Unseen {
		return "not seen"
	}
	lines := []string{a.Executable.text()}
	for i := range a.Loads {
		lines = append(lines, a.Loads[i].text())
	}
	switch {
	case a.Script != nil:
		lines = append(lines, a.Script.text())
	case a.Told != "":
		lines = append(lines, a.Told)
	}
	return strings.Join(lines, "\n")
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
	if p.Unseen && p.Name == "" {
		return p.Manager + ": not seen"
	}
	s := p.Manager + ": " + p.Name
	if p.Version != "" {
		s += " " + p.Version
	}
	if p.Entry != "" {
		s += ", " + p.Entry
	}
	if p.Unseen {
		s += ", which of them was not seen"
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
			if IsHome(l.Name) {
				continue
			}
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
		if IsHome(l.Name) {
			continue
		}
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

// IsHome says that a variable says where a person's own files are, configuration of package managers among them. It is the
// same in every start of one client, differs between clients without meaning anything, and loads nothing by itself.
func IsHome(name string) bool {
	switch name {
	case "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME":
		return true
	}
	return false
}

// homes compares them within one client.
func (d *LaunchDrift) homes(f LaunchForm, allowed []LaunchForm) {
	known := map[LaunchLoader]bool{}
	names := map[string]bool{}
	for _, a := range allowed {
		if a.Client == f.Client {
			for _, l := range a.Loaders {
				known[l], names[l.Name] = true, true
			}
		}
	}
	for _, l := range f.Loaders {
		if IsHome(l.Name) && names[l.Name] && !known[l] { // a new name is said with the other variables
			d.add(Change{Path: "home", Op: changed, Words: "a variable that says where your configuration is has another value: " + quote(l.Name)})
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
	d.homes(f, allowed)
	var fresh []string
	for _, l := range f.Loaders {
		if !IsHome(l.Name) {
			names[l.Name] = true // compared above, with its value
		}
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
