package sandbox

import (
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/program"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// A Sandbox is what a server's program is kept from. The guard itself runs inside, as the first process of its own process namespace, so
// when it ends, the kernel ends everything inside:
//
//	wrapper ── bwrap ── guard ── server ── whatever the server starts
//
// The shield (Strict not set) hides the folders and files of Hide and all other ways to them, programs of this user that take orders from
// others (reach_linux.go), and every process outside. Network, home folder and the rest of the file system stay as they are. Strict also
// takes the network and the home folder, makes the rest read-only, and leaves only what the program needs to start of the home
// (needs_linux.go).
//
// If a sandbox can't be made, the result is an *Error and the server is not started: nothing here runs a server with less.
type Sandbox struct {
	Strict bool
	// Hide are absolute paths. A folder becomes empty and read-only; a file can't be opened. Missing paths are skipped: a caller that must
	// prevent them from appearing later creates them first, or hides the parent folder.
	Hide []string
	// Keep are folders below hidden ones that stay readable.
	Keep []string
	// Hold are paths that must still lead to the same place when the server is done. The folders above hidden ones are held in place, but
	// nothing can hold a symbolic link: if the way leads over one in a folder that the server can write to, there is no shield.
	Hold []string
}

// String is the level's name in the setting `sandbox`.
func (s *Sandbox) String() string {
	switch {
	case s == nil:
		return string(vocab.SandboxOff)
	case s.Strict:
		return string(vocab.SandboxStrict)
	default:
		return string(vocab.SandboxShield)
	}
}

// offline tells npx and uvx that there is no network, so that they start what is cached, or fail at once instead of asking a registry for
// minutes.
var offline = []string{"npm_config_offline=true", "UV_OFFLINE=1"}

// A Server is what runs in the sandbox.
type Server struct {
	Argv []string
	Path string   // the program of Argv[0]
	Dir  string   // its working folder, "" for ours
	Env  []string // its environment without a sandbox
}

// Environment is the server's environment: strict adds offline, unless the entry sets those variables.
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

// Error says in one line why a server was not started: there is no sandbox for it here.
type Error struct {
	Command string // Argv[0] as written
	Reason  string // our words, with advice
}

func (e *Error) Error() string {
	if e.Command == "" {
		return "no sandbox: " + e.Reason
	}
	return "start " + strconv.QuoteToGraphic(e.Command) + ": not without its sandbox: " + e.Reason
}
