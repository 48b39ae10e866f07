package transport

import (
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/sandbox"
)

// Command is a server to start.
type Command struct {
	// Argv is the exact argument vector. Argv[0] is looked up in the PATH of Env.
	Argv []string
	// Env is the environment the server would have without us; nil is this process's own. SALLYPORT_* is removed from it,
	// nothing else is touched: order, repeated names and entries without "=" stay.
	Env []string
	// Dir is the server's working folder; "" is this process's own.
	Dir string
	// Spare names processes that this process started in a session of their own and that must survive the server: a
	// detached hub. It is asked only if the guard was killed and this process has to tell its children apart.
	Spare func() []int
	// Sandbox is what the server is kept from; nil is nothing. Where it cannot be had, the server is not started.
	Sandbox *sandbox.Sandbox
	// MaxStderr is how much of the server's stderr waits for a reader that does not read; 0 is 16 MiB.
	MaxStderr int
}

// StartError says why a server could not be started. It names the command, never its arguments, and is one line.
type StartError struct {
	Command string // Argv[0] as written
	Reason  string // our words, and what to do where that helps
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

// serverEnv is env without our own variables.
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

// unusable finds what no operating system can pass on in c.
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
