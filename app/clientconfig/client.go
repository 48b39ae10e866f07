package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// System is the machine to look at, with everything that differs between machines, so that the paths of all three systems can be tested on
// one.
type System struct {
	OS   string              // as runtime.GOOS
	Home string              // the person's home folder
	Env  func(string) string // the environment
	Root string              // prefix for every path; "" on a real machine
}

func ThisSystem() System {
	home, _ := os.UserHomeDir()
	return System{OS: runtime.GOOS, Home: home, Env: os.Getenv}
}

// env is a folder named by the environment, or other if the variable is missing or not an absolute path.
func (s System) env(name, other string) string {
	if value := s.Env(name); filepath.IsAbs(value) {
		return value
	}
	return other
}

func (s System) path(parts ...string) string {
	return filepath.Join(append([]string{s.Root}, parts...)...)
}

// State is the state of a location.
type State string

const (
	Unseen     State = "unseen"     // not checked yet
	Found      State = "found"      // a file that can be read
	Absent     State = "absent"     // no file
	Denied     State = "denied"     // the system denies access; this never counts as "no file"
	Unreadable State = "unreadable" // something else is there, or reading it fails
)

// Location is one place where a client keeps its servers.
type Location struct {
	Client    string // as in --client
	Name      string // as people know it
	Path      string
	Folder    string // the client's own folder; Claude Desktop's also contains its extensions
	Format    Format
	Preferred bool // of several places of one client, the one it reads
	State     State
	Err       error // for Denied and Unreadable, with advice
}

// Clients that other code names; rows has them all.
const (
	ClaudeDesktop = "claude-desktop"
	ClaudeCode    = "claude-code"
	Cursor        = "cursor"
	Windsurf      = "windsurf"
	VSCode        = "vscode"
	GeminiCLI     = "gemini-cli"
	MCPInspector  = "mcp-inspector"
)

const claudeFile = "claude_desktop_config.json"

// Locate looks at every place where a known client keeps its servers, Claude Desktop first. Missing clients are listed as Absent. On macOS
// the system may ask the person when another program's folder is read: there, call it only after they agreed, and Places before.
func Locate(s System) []Location {
	places := Places(s)
	for i := range places {
		look(&places[i])
	}
	if s.OS == "windows" {
		// If the folder of packages can't be listed, it may contain the file that counts, so the older place proves nothing.
		folder := s.path(s.env("LOCALAPPDATA", filepath.Join(s.Home, "AppData", "Local")), "Packages")
		if _, err := os.ReadDir(folder); stateOf(err) == Denied {
			places = slices.Insert(places, 0, Location{Client: ClaudeDesktop, Name: "Claude Desktop", Path: folder, Folder: folder, State: Denied, Err: reading(folder, err)})
		}
	}
	prefer(places)
	return places
}

// Places lists where Locate would look, without opening any file (on Windows it lists the folder of packages).
func Places(s System) []Location {
	var all []Location
	for _, row := range rows {
		all = append(all, s.places(row)...)
	}
	prefer(all)
	return all
}

// claudeFolders lists Claude Desktop's folders, the one that it would read first.
func (s System) claudeFolders() []string {
	switch s.OS {
	case "darwin":
		return []string{s.path(s.Home, "Library", "Application Support", "Claude")}
	case "windows":
		local := s.env("LOCALAPPDATA", filepath.Join(s.Home, "AppData", "Local"))
		roaming := s.env("APPDATA", filepath.Join(s.Home, "AppData", "Roaming"))
		// The package sees its private copy first, and the shared folder only if there is none (MSIX file redirection).
		var folders []string
		for _, p := range s.packages(local) {
			folders = append(folders, filepath.Join(p, "LocalCache", "Roaming", "Claude"))
		}
		return append(folders, s.path(roaming, "Claude"))
	default:
		home := s.path(s.Home, ".config", "Claude")
		if xdg := s.path(s.env("XDG_CONFIG_HOME", filepath.Join(s.Home, ".config")), "Claude"); xdg != home {
			return []string{xdg, home}
		}
		return []string{home}
	}
}

// packages are the MSIX installs of Claude Desktop, the most recently written first: the publisher hash in the folder's name may change.
func (s System) packages(local string) []string {
	folder := s.path(local, "Packages")
	names, _ := os.ReadDir(folder) // if it can't be listed, the older place remains, which reports that itself
	var found []string
	for _, name := range names {
		if strings.HasPrefix(strings.ToLower(name.Name()), "claude_") {
			found = append(found, filepath.Join(folder, name.Name()))
		}
	}
	written := func(p string) time.Time {
		return modified(filepath.Join(p, "LocalCache", "Roaming", "Claude", claudeFile))
	}
	slices.SortStableFunc(found, func(a, b string) int { return written(b).Compare(written(a)) })
	return found
}

// prefer marks, for each client, the first place with content, else the first.
func prefer(places []Location) {
	first := map[string]int{}
	for i, l := range places {
		places[i].Preferred = false
		if at, ok := first[l.Client]; !ok || places[at].State == Absent && l.State != Absent {
			first[l.Client] = i
		}
	}
	for _, at := range first {
		places[at].Preferred = true
	}
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func look(l *Location) {
	_, err := Read(l.Path)
	if l.State = stateOf(err); l.State != Absent {
		l.Err = err
	}
}

func stateOf(err error) State {
	switch {
	case err == nil:
		return Found
	case errors.Is(err, fs.ErrPermission):
		return Denied
	case errors.Is(err, fs.ErrNotExist):
		return Absent
	default:
		return Unreadable
	}
}
