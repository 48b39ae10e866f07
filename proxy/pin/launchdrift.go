package pin

import (
	"slices"
	"strings"
)

// LaunchDrift is how a launch differs from everything that was allowed.
type LaunchDrift struct {
	// Changes need a person's decision; Joins are circumstances that are accepted without one.
	Changes, Joins []Change
	// Grave: other code may run before anybody could look, or get a secret. A variable that loads code has a value allowed for no client, one is filled in with a secret that was allowed for none, or the executable
	// is not one that was allowed. It is not started, whatever the settings say.
	Grave bool
	// Strict: not started under pins.launch = block. If unset, only surroundings changed.
	Strict bool

	injects, filled, program, moved bool // what About reports
}

// Drifted reports whether a person must be asked.
func (d LaunchDrift) Drifted() bool { return len(d.Changes) > 0 }

// LaunchAbout is the headline of a pending launch.
type LaunchAbout string

const (
	AboutNothing      LaunchAbout = ""             // as it was allowed: pending because a person took the approval back
	AboutSurroundings LaunchAbout = "surroundings" // the same program in another folder, without a variable, or with a switch that is off
	AboutProgram      LaunchAbout = "program"      // the same command starts another program
	AboutLoader       LaunchAbout = "loader"       // a variable that loads code has a value nobody has allowed
	AboutSecret       LaunchAbout = "secret"       // it would get a stored secret that nobody has allowed it
	AboutAddress      LaunchAbout = "address"      // a remote server is reached otherwise
)

// About is the most serious change.
func (d LaunchDrift) About() LaunchAbout {
	switch {
	case d.moved:
		return AboutAddress
	case d.injects:
		return AboutLoader
	case d.filled:
		return AboutSecret
	case d.program:
		return AboutProgram
	case d.Drifted():
		return AboutSurroundings
	}
	return AboutNothing
}

// Against compares part by part: each part must match some allowed form, not all parts the same one. A new version that was allowed for one
// client is allowed for another too, even if that one uses a different node. Parts that are not known yet are not compared.
func (f LaunchForm) Against(allowed []LaunchForm) LaunchDrift {
	var d LaunchDrift
	if len(allowed) == 0 {
		return d
	}
	if f.Address != nil {
		d.address(f.Address, allowed)
		return d
	}
	executables, interpreters := make([]*LaunchFile, len(allowed)), make([]*LaunchFile, len(allowed))
	for i := range allowed {
		executables[i], interpreters[i] = &allowed[i].Executable, allowed[i].Interpreter
	}
	d.file("executable", &f.Executable, executables)
	d.file("interpreter", f.Interpreter, interpreters)
	d.script(f, allowed)
	d.loads(f.Loads, allowed)
	d.pack(f.Package, allowed)
	d.answers(f.Answers, allowed)
	d.loaders(f, allowed)
	d.circumstances(f, allowed)
	return d
}

// add adds a change of the program.
func (d *LaunchDrift) add(c Change) {
	d.Changes = append(d.Changes, c)
	d.program, d.Strict = true, true
}

// file compares a program file found through PATH: another path is grave, other content is an update.
func (d *LaunchDrift) file(noun string, now *LaunchFile, allowed []*LaunchFile) {
	var before *LaunchFile // the last form's, unless one has the same path
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
	c := Change{Path: noun, Op: Changed, Words: "runs another " + noun, Before: before.text(), After: now.text()}
	switch {
	case now == nil:
		c.Op, c.Words = Removed, "runs without the "+noun+" that was allowed"
	case before == nil:
		c.Op, c.Words = Added, "runs through an "+noun+" now"
	case before.Path == now.Path:
		c.Words = "the " + noun + " changed, at the same path"
	}
	d.Grave = d.Grave || now == nil || before == nil || before.Path != now.Path
	d.add(c)
}

// text is a file for a person, "" for none.
func (f *LaunchFile) text() string {
	switch {
	case f == nil:
		return ""
	case f.SHA256 == "":
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
	d.add(Change{Path: "script", Op: Changed, Words: words, Before: before.told(), After: f.told()})
}

// told is what the interpreter is told to run, "" for a program without one.
func (f LaunchForm) told() string {
	if f.Script != nil {
		return f.Script.text()
	}
	return f.Told
}

// loads compares the files loaded before the script.
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
			d.add(Change{Path: "loads", Op: Added, Words: "loads a file before its script", After: file.text()})
		default:
			d.add(Change{Path: "loads", Op: Changed, Words: "a file that is loaded before the script changed", Before: before.text(), After: file.text()})
		}
	}
}

// answers compares what the command handed the conversation to. It is never grave: by the time it is seen, it runs.
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
	c := Change{Path: "answers", Op: Changed, Before: before.text(), After: now.text()}
	switch {
	case now == nil:
		c.Op, c.Words = Removed, "the command answers itself now, not a program that it starts"
	case now.Unseen:
		c.Words = "which program answers could not be seen"
	case before == nil:
		c.Op, c.Words = Added, "another program answers than the command names"
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
	c := Change{Path: "package", Op: Changed, Words: "another package runs", Before: before.text(), After: now.text()}
	switch {
	case now == nil:
		c.Op, c.Words = Removed, "what runs belongs to no package now"
	case before == nil:
		c.Op, c.Words = Added, "what runs belongs to a package now"
	case now.Unseen:
		c.Words = "which package runs could not be seen"
	case before.Name == now.Name && before.Version != now.Version:
		c.Words = "the package has another version: " + quote(before.Version) + " → " + quote(now.Version)
	case before.Name == now.Name:
		c.Words = "the package has other code under the same version"
	}
	d.add(c)
}

func (p *LaunchPackage) text() string {
	if p == nil {
		return ""
	}
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
