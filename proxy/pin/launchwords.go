package pin

import (
	"strings"
)

// compareLaunch is Compare for a launch, against one allowed form.
func compareLaunch(approved, seen []byte) []Change {
	before, errBefore := ReadLaunch(approved)
	now, errNow := ReadLaunch(seen)
	if errBefore != nil || errNow != nil {
		return []Change{{Op: Changed, Words: "what runs changed; it cannot be compared piece by piece", Before: string(approved), After: string(seen)}}
	}
	return now.Against([]LaunchForm{before}).Changes
}

// LaunchWords describes what runs, part by part, in words for people.
func LaunchWords(raw []byte) []Change {
	f, err := ReadLaunch(raw)
	if err != nil {
		return []Change{{Op: Added, Words: "what runs cannot be read", After: string(raw)}}
	}
	changes := []Change{{Path: "executable", Op: Added, Words: "runs the executable", After: f.Executable.text()}}
	if f.Interpreter != nil {
		changes = append(changes, Change{Path: "interpreter", Op: Added, Words: "through the interpreter", After: f.Interpreter.text()})
	}
	if told := f.told(); told != "" {
		changes = append(changes, Change{Path: "script", Op: Added, Words: "which is told to run", After: told})
	}
	for _, file := range f.Loads {
		changes = append(changes, Change{Path: "loads", Op: Added, Words: "and to load first", After: file.text()})
	}
	if f.Package != nil {
		changes = append(changes, Change{Path: "package", Op: Added, Words: "which belongs to the package", After: f.Package.text()})
	}
	if f.Answers != nil {
		changes = append(changes, Change{Path: "answers", Op: Added, Words: "which starts the program that answers", After: f.Answers.text()})
	}
	if f.Dir != "" {
		changes = append(changes, Change{Path: "dir", Op: Added, Words: "in the folder", After: f.Dir})
	}
	loads := map[string]bool{}
	var loaders, others []string
	for _, l := range f.Loaders {
		if loads[l.Name] = !IsHome(l.Name); loads[l.Name] {
			loaders = append(loaders, quote(l.Name))
		}
	}
	for _, name := range f.Variables {
		if !loads[name] {
			others = append(others, quote(name))
		}
	}
	if len(loaders) > 0 {
		changes = append(changes, Change{Path: "loaders", Op: Added, Words: "with variables that load code, or choose where it comes from: " + strings.Join(loaders, ", ")})
	}
	if len(others) > 0 {
		changes = append(changes, Change{Path: "variables", Op: Added, Words: "with the variables " + strings.Join(others, ", ")})
	}
	return changes
}
