package pin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Launch is the kind of the one item that is not a definition: what a server's command really runs.
const Launch Kind = "launch"

// ProbeClient is the Client of a form seen by `sallyport probe`: the folder and variables of a person's terminal say nothing about a
// client.
const ProbeClient = "sallyport probe"

// LaunchForm describes what runs when a client starts a server: the definition of the item "launch". The digest covers its JSON, so a new
// field must be omitted while it is empty.
//
// The program (files and package) is the same for all clients, and so are the values of loaders. Circumstances (folder and names of
// variables) differ between clients without meaning anything, so they are compared within one client only. The proxy of an address is only shown.
type LaunchForm struct {
	Client      string         `json:"client,omitempty"`  // the client whose circumstances these are
	Address     *LaunchAddress `json:"address,omitempty"` // of a remote server; then the rest is empty
	Executable  LaunchFile     `json:"executable"`
	Interpreter *LaunchFile    `json:"interpreter,omitempty"` // of an executable that is itself a script
	Script      *LaunchFile    `json:"script,omitempty"`      // the file that the interpreter runs
	Loads       []LaunchFile   `json:"loads,omitempty"`       // files it loads first: --require, -javaagent
	Told        string         `json:"told,omitempty"`        // what it runs instead of a file: "module http.server", "code in the arguments"
	Package     *LaunchPackage `json:"package,omitempty"`
	Answers     *LaunchAnswers `json:"answers,omitempty"` // the program that the command finally handed the conversation to
	Dir         string         `json:"dir,omitempty"`
	Variables   []string       `json:"variables,omitempty"` // names, sorted
	Loaders     []LaunchLoader `json:"loaders,omitempty"`   // sorted by name
	// Values are values of loaders that were allowed in forms which this one replaced.
	Values []LaunchLoader `json:"values,omitempty"`
}

// LaunchFile is a file and its content's digest. SHA256 is "" while it has not been read; such a form can be compared but never pinned.
type LaunchFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// LaunchPackage is the package whose code was seen running. Manager is npm, pypi or docker. Digest is that of the image, or of the file of
// the package that was run (Entry).
type LaunchPackage struct {
	Manager string `json:"manager"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Digest  string `json:"digest,omitempty"`
	Unseen  bool   `json:"unseen,omitempty"`  // looked for, but could not be seen
	Pending bool   `json:"pending,omitempty"` // only a running server shows it; never pinned
}

// LaunchAnswers is the program seen holding the server's input and output after its first response, if it is not the one the command names:
// the end result of `sh -c`, `uv run` or a version manager.
type LaunchAnswers struct {
	Executable LaunchFile   `json:"executable"`
	Script     *LaunchFile  `json:"script,omitempty"` // unless Package identifies it
	Loads      []LaunchFile `json:"loads,omitempty"`
	Told       string       `json:"told,omitempty"`
	Unseen     bool         `json:"unseen,omitempty"`  // it could not be seen
	Pending    bool         `json:"pending,omitempty"` // only a running server shows it; never pinned
}

// LaunchLoader is a variable that loads code, chooses where code comes from, or says where home is. Hash is keyed by the hub. Off marks a
// switch whose value turns it off, so it can load nothing.
type LaunchLoader struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	Off  bool   `json:"off,omitempty"`
}

// FileStamp is the kernel's metadata of a file, with the digest of its content at that time. Only the kernel writes the change time: a file
// that is put back with its old size and times still has a new one.
type FileStamp struct {
	Path   string `json:"path"`
	Device uint64 `json:"dev"`
	Inode  uint64 `json:"ino"`
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"` // nanoseconds
	CTime  int64  `json:"ctime"` // nanoseconds, 0 if the system has none
	SHA256 string `json:"sha256"`
}

// Same reports whether the file is untouched since. Without a change time, stat proves nothing.
func (s FileStamp) Same(now FileStamp) bool {
	s.SHA256, now.SHA256 = "", ""
	return s.CTime != 0 && s == now
}

// ReadLaunch reads the definition of a launch item and refuses anything that Definition would not have written.
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

// maxLaunch exceeds the names of the largest environment that the kernel accepts.
const maxLaunch = 1 << 20

// Definition returns the form in the bytes that are digested and shown.
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

func (f *LaunchForm) Files() []*LaunchFile {
	if f.Address != nil {
		return nil
	}
	files := []*LaunchFile{&f.Executable}
	for _, file := range []*LaunchFile{f.Interpreter, f.Script} {
		if file != nil {
			files = append(files, file)
		}
	}
	for i := range f.Loads {
		files = append(files, &f.Loads[i])
	}
	if a := f.Answers; a != nil && !a.Pending && !a.Unseen {
		files = append(files, &a.Executable)
		if a.Script != nil {
			files = append(files, a.Script)
		}
		for i := range a.Loads {
			files = append(files, &a.Loads[i])
		}
	}
	return files
}

// Known reports whether everything that can be known before the start is known. What answers in the end is confirmed once it runs.
func (f LaunchForm) Known() bool {
	for _, file := range f.Files() {
		if file.SHA256 == "" {
			return false
		}
	}
	return f.Package == nil || !f.Package.Pending
}

// Complete reports whether everything in the form has been read and seen: only such a form can be pinned.
func (f LaunchForm) Complete() bool {
	return f.Known() && (f.Answers == nil || !f.Answers.Pending)
}

// Assume fills in what only a running server shows with what was last allowed, for a launch that is not started or ended before it could be
// seen.
func (f LaunchForm) Assume(last LaunchForm) LaunchForm {
	if f.Package != nil && f.Package.Pending {
		f.Package = last.Package
	}
	if f.Answers != nil && f.Answers.Pending {
		f.Answers = last.Answers
	}
	if f.Address != nil && !f.speaks() && last.speaks() {
		address := *f.Address
		address.Transport = last.Address.Transport
		f.Address = &address
	}
	return f
}

// SameCode reports whether two forms run the same program with the same values of loaders; their circumstances may differ.
func (f LaunchForm) SameCode(other LaunchForm) bool {
	f.Client, f.Dir, f.Variables, f.Values = other.Client, other.Dir, other.Variables, other.Values
	f, other = f.behind(""), other.behind("")
	a, _, errA := f.Definition()
	b, _, errB := other.Definition()
	return errA == nil && errB == nil && string(a) == string(b)
}

// SameProgram reports whether two forms run the same program, whatever their environment.
func (f LaunchForm) SameProgram(other LaunchForm) bool {
	f.Loaders = other.Loaders
	return f.SameCode(other)
}

// Program is a fingerprint of the program itself. It is the same for every client, folder and environment, and changes with any file or
// package behind the command. "" if not all of it is known yet.
func (f LaunchForm) Program() (fingerprint string) {
	if !f.Complete() {
		return ""
	}
	f.Client, f.Dir, f.Variables, f.Loaders = "", "", nil, nil
	f = f.behind("")
	raw, _, err := f.Definition()
	if err != nil {
		return ""
	}
	return hashOf(raw)
}

// Runs is the file by which a person knows the program: its script, else what answers, else the executable.
func (f LaunchForm) Runs() string {
	switch {
	case f.Answers != nil && f.Answers.Script != nil:
		return f.Answers.Script.Path
	case f.Script != nil:
		return f.Script.Path
	case f.Answers != nil && f.Answers.Executable.Path != "":
		return f.Answers.Executable.Path
	}
	return f.Executable.Path
}

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
	var changes []Change
	say := func(is bool, path, words, after string) {
		if is {
			changes = append(changes, Change{Path: path, Op: Added, Words: words, After: after})
		}
	}
	if a := f.Address; a != nil {
		say(true, "address", "is reached at", a.where())
		say(a.Transport != "", "address", transportWords(a.Transport), "")
		say(len(a.Headers) > 0, "address", "with headers whose values come from", strings.Join(a.Headers, "\n"))
		return changes
	}
	say(true, "executable", "runs the executable", f.Executable.text())
	say(f.Interpreter != nil, "interpreter", "through the interpreter", f.Interpreter.text())
	say(f.told() != "", "script", "which is told to run", f.told())
	for _, file := range f.Loads {
		say(true, "loads", "and to load first", file.text())
	}
	say(f.Package != nil, "package", "which belongs to the package", f.Package.text())
	say(f.Answers != nil, "answers", "which starts the program that answers", f.Answers.text())
	say(f.Dir != "", "dir", "in the folder", f.Dir)
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
	say(len(loaders) > 0, "loaders", "with variables that load code, or choose where it comes from: "+strings.Join(loaders, ", "), "")
	say(len(others) > 0, "variables", "with the variables "+strings.Join(others, ", "), "")
	return changes
}
