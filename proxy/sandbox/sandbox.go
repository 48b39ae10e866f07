package sandbox

import (
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/program"
)

// A Sandbox is what a server's program is kept from. The guard itself runs inside, as the first process of a process
// namespace of its own, so its end is the end of everything in there, by the kernel's hand:
//
//	wrapper ── bwrap ── guard ── server ── whatever the server starts
//
// The shield (Strict not set) hides the folders and files of Hide with all other ways to them, whatever else of this user
// runs orders of others (reach_linux.go), and every process outside. Network, home folder and the rest of the file system
// stay as they are. Strict takes the network and the home folder too, has the rest read-only, and leaves of the home only
// what the program itself needs to start (needs_linux.go).
//
// A sandbox that cannot be had is an *Error and a server that was not started: nothing here runs a server with less.
type Sandbox struct {
	Strict bool
	// Hide are absolute paths. A folder is empty and cannot be written to; a file cannot be opened. What does not exist is
	// left alone: whoever must be sure that it cannot appear later creates it first, or hides the folder it would be in.
	Hide []string
	// Keep are folders below hidden ones that stay readable.
	Keep []string
	// Hold are paths that must lead to the same place when the server is done. The folders above what is hidden are held in
	// place, but nothing can hold a symbolic link: with one of those on the way, in a folder that the server can write to,
	// there is no shield.
	Hold []string
}

// String is the level's name, as the setting `sandbox` has it.
func (s *Sandbox) String() string {
	switch {
	case s == nil:
		return "off"
	case s.Strict:
		return "strict"
	}
	return "shield"
}

// offline tells npx and uvx that there is no network, so that they start what is there already, or say at once that they
// cannot, instead of asking a registry for minutes.
var offline = []string{"npm_config_offline=true", "UV_OFFLINE=1"}

// A Server is what runs behind the walls.
type Server struct {
	Argv []string
	Path string   // the program of Argv[0]
	Dir  string   // its working folder, "" for ours
	Env  []string // what it would have without a sandbox
}

// Environment is what the server gets: strict adds what it would find out by waiting, unless the entry says otherwise.
func (s *Sandbox) Environment(env []string) []string {
	if s == nil || !s.Strict {
		return env
	}
	for _, entry := range offline {
		name, _, _ := strings.Cut(entry, "=")
		if _, set := program.Lookup(env, name); !set {
			env = append(env, entry)
		}
	}
	return env
}

// Error says why a server was not started: there is no sandbox for it here. It is one line.
type Error struct {
	Command string // Argv[0] as written
	Reason  string // our words, and what to do
}

func (e *Error) Error() string {
	if e.Command == "" {
		return "no sandbox: " + e.Reason
	}
	return "start " + strconv.QuoteToGraphic(e.Command) + ": not without its sandbox: " + e.Reason
}
