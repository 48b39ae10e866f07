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
// The program is what decides what runs, the files and the package, and is one for all clients; so are the values of
// loaders. Circumstances are folder and names of variables: they differ from client to client without meaning anything, so
// they are compared within one client only.
type LaunchForm struct {
	Client      string         `json:"client,omitempty"` // whose circumstances these are
	Executable  LaunchFile     `json:"executable"`
	Interpreter *LaunchFile    `json:"interpreter,omitempty"` // of an executable that is itself a script
	Script      *LaunchFile    `json:"script,omitempty"`      // what the interpreter is told to run
	Loads       []LaunchFile   `json:"loads,omitempty"`       // what it is told to load first: --require, -javaagent
	Told        string         `json:"told,omitempty"`        // what it is told instead of a file: "module http.server", "code in the arguments"
	Package     *LaunchPackage `json:"package,omitempty"`
	Answers     *LaunchAnswers `json:"answers,omitempty"` // what the command started and left the conversation to
	Dir         string         `json:"dir,omitempty"`
	Variables   []string       `json:"variables,omitempty"` // names, sorted
	Loaders     []LaunchLoader `json:"loaders,omitempty"`   // sorted by name
	// Values are of loaders too, and were allowed in forms that this one took the place of.
	Values []LaunchLoader `json:"values,omitempty"`
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

// LaunchAnswers is the program that was seen to hold the server's input and output when it had answered, where that is
// another one than the command names: what `sh -c`, `uv run` or a version manager ended up with.
type LaunchAnswers struct {
	Executable LaunchFile   `json:"executable"`
	Script     *LaunchFile  `json:"script,omitempty"` // unless Package says it
	Loads      []LaunchFile `json:"loads,omitempty"`
	Told       string       `json:"told,omitempty"`
	Unseen     bool         `json:"unseen,omitempty"`  // it could not be seen
	Pending    bool         `json:"pending,omitempty"` // only a running server shows it; never pinned
}

// LaunchLoader is a variable that loads code or chooses where code comes from, or says where home is. Hash is keyed by the
// hub. Off says that it is a switch whose value turns it off: it can load nothing.
type LaunchLoader struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	Off  bool   `json:"off,omitempty"`
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

// Files are the files of the form.
func (f *LaunchForm) Files() []*LaunchFile {
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

// Known says that all is known that can be before the start. What answers in the end is confirmed once it runs.
func (f LaunchForm) Known() bool {
	for _, file := range f.Files() {
		if file.SHA256 == "" {
			return false
		}
	}
	return f.Package == nil || !f.Package.Pending
}

// Complete says that nothing of the form is still to be read or seen: only such a form can be pinned.
func (f LaunchForm) Complete() bool {
	return f.Known() && (f.Answers == nil || !f.Answers.Pending)
}

// Assume fills what only a running server shows with what was allowed last: of a launch that is not started, or was over
// before it could be seen.
func (f LaunchForm) Assume(last LaunchForm) LaunchForm {
	if f.Package != nil && f.Package.Pending {
		f.Package = last.Package
	}
	if f.Answers != nil && f.Answers.Pending {
		f.Answers = last.Answers
	}
	return f
}

// SameCode says that two forms run the same program with the same values of loaders; their circumstances may differ.
func (f LaunchForm) SameCode(other LaunchForm) bool {
	f.Client, f.Dir, f.Variables, f.Values = other.Client, other.Dir, other.Variables, other.Values
	a, _, errA := f.Definition()
	b, _, errB := other.Definition()
	return errA == nil && errB == nil && string(a) == string(b)
}

// SameProgram says that two forms run the same program, whatever is set around it.
func (f LaunchForm) SameProgram(other LaunchForm) bool {
	f.Loaders = other.Loaders
	return f.SameCode(other)
}
