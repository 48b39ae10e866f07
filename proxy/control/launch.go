package control

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
)

// LaunchVerdict is what a wrapper may do with what it reported of its server's launch.
type LaunchVerdict string

const (
	LaunchGo   LaunchVerdict = "go"   // start it; calls pass
	LaunchWait LaunchVerdict = "wait" // start it; calls are refused until it has been seen what runs (pins.launch = block)
	LaunchHold LaunchVerdict = "hold" // do not start it before a person has decided; if it runs, calls are refused
)

// LaunchState is what one wrapper needs of the launch pin. It is the wrapper's own, other than the rest of a State.
type LaunchState struct {
	// Key hashes the values of variables that load code. It is this server's alone, made from the seal key of the home, so
	// that no value travels and equal values of two servers do not look alike. It is never stored outside the hub's home.
	Key []byte `json:"key,omitempty"`
	// Files are those of the launches that were allowed, with what the hub knows to be in them.
	Files []pin.FileStamp `json:"files,omitempty"`
	// First says that no launch of this server was ever allowed: it belongs to the first review.
	First bool `json:"first,omitempty"`
	// Verdict is "" until this wrapper has reported.
	Verdict LaunchVerdict `json:"verdict,omitempty"`
	Code    string        `json:"code,omitempty"` // inbox item, where one waits
	// Allowed are the forms that were allowed, and Client whose circumstances the wrapper's form has: with them a wrapper
	// whose launch is as it was need not ask before it starts (only what is not allowed is reported first). Absent where the
	// hub wants to be asked: pins.launch = block, or nothing is allowed.
	Allowed []pin.LaunchForm `json:"allowed,omitempty"`
	Client  string           `json:"client,omitempty"`
	// Surroundings are, for a look, those of the last wrapper of the client that will start the server; absent where none was
	// ever seen.
	Surroundings *Surroundings `json:"surroundings,omitempty"`
}

// LaunchReport is what a wrapper sees of its server's launch: before the start, with Final false, and once all of it has
// been read and seen. The answer is the State with the verdict.
type LaunchReport struct {
	Form  pin.LaunchForm  `json:"form"`
	Final bool            `json:"final,omitempty"`
	Ended bool            `json:"ended,omitempty"` // it was over before all of it could be seen: the rest is taken for what it was
	Files []pin.FileStamp `json:"files,omitempty"` // what was read for it
}

// Surroundings are what a client gives to every server that it starts, as one of its wrappers found them: the variables that
// the SDKs of MCP pass on by themselves, and the folder. They let a look start a server as that client will. No other
// variable is among them: what a client passes on beside them may be a secret.
type Surroundings struct {
	Env map[string]string `json:"env,omitempty"`
	Dir string            `json:"dir,omitempty"`
}

// maxSurrounding is above what an operating system lets through in one variable of these.
const maxSurrounding = 32 << 10

// Here are the surroundings of this process.
func Here() Surroundings {
	s := Surroundings{Env: map[string]string{}}
	for _, name := range passedOn() {
		if value, set := os.LookupEnv(name); set {
			s.Env[name] = value
		}
	}
	s.Dir, _ = os.Getwd()
	return s.Kept()
}

// Kept is what of them may be kept and used: the names of the list alone, with values that can be passed on. The SDKs leave
// out what begins like a shell's function.
func (s Surroundings) Kept() Surroundings {
	kept := Surroundings{Env: map[string]string{}}
	for _, name := range passedOn() {
		value, set := s.Env[name]
		if set && len(value) <= maxSurrounding && !strings.Contains(value, "\x00") && !strings.HasPrefix(value, "()") {
			kept.Env[name] = value
		}
	}
	if filepath.IsAbs(s.Dir) && len(s.Dir) <= maxSurrounding && !strings.Contains(s.Dir, "\x00") {
		kept.Dir = s.Dir
	}
	return kept
}

// Environ are the variables as NAME=VALUE, in the order of the list.
func (s Surroundings) Environ() []string {
	var env []string
	for _, name := range passedOn() {
		if value, set := s.Env[name]; set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
