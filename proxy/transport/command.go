package transport

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/program"
	"github.com/sallyport/sallyport/proxy/sandbox"
)

// Command is a server to start.
type Command struct {
	// Argv is the exact argument vector. Argv[0] is looked up in the PATH of Env.
	Argv []string
	// Env is the environment the server would have without us; nil means this process's own. SALLYPORT_* is removed, everything else stays:
	// order, repeated names and entries without "=".
	Env []string
	// Dir is the server's working folder; "" means this process's own.
	Dir string
	// Spare returns processes that this process started in a session of their own and that must survive the server: a detached hub. It is
	// only called if the guard was killed and this process has to tell its children apart.
	Spare func() []int
	// Sandbox restricts the server; nil means no sandbox. If it can't be made, the server is not started.
	Sandbox *sandbox.Sandbox
}

// StartError says why a server could not be started, in one line. It names the command, never its arguments.
type StartError struct {
	Command string // Argv[0] as written
	Reason  string // our words, with advice if there is any
}

func (e *StartError) Error() string {
	return "start " + strconv.QuoteToGraphic(e.Command) + ": " + e.Reason
}

// Exit is how a server's main process ended.
type Exit struct {
	Code   int    // its exit status; 128 + the signal's number if one killed it, as shells report it
	Signal string // the signal's name ("killed"), "" if it exited by itself
}

func (e Exit) String() string {
	if e.Signal != "" {
		return "signal: " + e.Signal
	}
	return "exit status " + strconv.Itoa(e.Code)
}

const ownPrefix = "SALLYPORT_"

// Environ is the environment that a server gets without Env: this process's own, as it was given.
func Environ() []string { return environ() }

func serverEnv(env []string) []string {
	if env == nil {
		env = environ()
	}
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		if !isOwn(entry) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// unusable finds something in c that no operating system can pass on.
func unusable(c Command, env []string) error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return &StartError{Reason: "no command given"}
	}
	for _, list := range [][]string{c.Argv, env, {c.Dir}} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return &StartError{Command: c.Argv[0], Reason: "its arguments or environment hold a null byte"}
			}
		}
	}
	return nil
}

// Target is what a command would run.
type Target struct {
	Path string   // the file of Argv[0], absolute, symbolic links not followed
	Env  []string // what the server gets
	Dir  string   // its working folder, absolute
}

// Aim finds what c would run, as Start does, without starting it.
func Aim(c Command) (Target, error) {
	t := Target{Env: serverEnv(c.Env), Dir: c.Dir}
	if err := unusable(c, t.Env); err != nil {
		return t, err
	}
	if t.Dir == "" {
		var err error
		if t.Dir, err = os.Getwd(); err != nil {
			return t, &StartError{c.Argv[0], "its working folder does not exist"}
		}
	}
	path, err := program.Find(c.Argv[0], t.Env, t.Dir)
	if err != nil {
		return t, &StartError{c.Argv[0], err.Error()}
	}
	t.Path = filepath.Clean(program.FromDir(path, t.Dir))
	return t, nil
}

// Find returns the file that name means to a program in t's environment and folder, "" if there is none.
func (t Target) Find(name string) string {
	path, err := program.Find(name, t.Env, t.Dir)
	if err != nil {
		return ""
	}
	return filepath.Clean(program.FromDir(path, t.Dir))
}

// forBatch refuses arguments that cmd.exe would read as more than arguments. cmd.exe runs .cmd and .bat files and parses the command line
// by its own rules, quotes or not (and Windows drops dots and blanks at the end of a name); a server's argument must not become a second
// command.
func forBatch(name, path string, args []string) error {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) {
	case ".cmd", ".bat":
	default:
		return nil
	}
	for i, arg := range args {
		if strings.ContainsAny(arg, "&|<>^%!\"()\r\n") {
			return &StartError{name, "argument " + strconv.Itoa(i+1) + " holds a character that a .cmd or .bat file would run as a command: start its program (node.exe, python.exe) itself"}
		}
	}
	return nil
}
