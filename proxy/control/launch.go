package control

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
)

// LaunchVerdict says what a wrapper may do after it reported its server's launch.
type LaunchVerdict string

const (
	LaunchGo   LaunchVerdict = "go"   // start it; calls pass
	LaunchWait LaunchVerdict = "wait" // start it, but refuse calls until what runs has been seen (pins.launch = block)
	LaunchHold LaunchVerdict = "hold" // don't start it before a person has decided; if it is running, refuse calls
)

// LaunchState is what one wrapper needs for the launch pin. Unlike the rest of a State, it is for this wrapper alone.
type LaunchState struct {
	// Key hashes the values of variables that load code. Each server has its own, derived from the home's seal key, so that no value
	// is sent and equal values of two servers don't look alike. It is never stored outside the hub's home.
	Key []byte `json:"key,omitempty"`
	// Files are the files of allowed launches, with the digests that the hub knows.
	Files []pin.FileStamp `json:"files,omitempty"`
	// First means that no launch of this server was ever allowed: it belongs to the first review.
	First bool `json:"first,omitempty"`
	// Verdict is "" until this wrapper has reported.
	Verdict LaunchVerdict `json:"verdict,omitempty"`
	Code    string        `json:"code,omitempty"` // pending inbox item, if any
	// Allowed are the allowed forms, and Client is the client whose circumstances the wrapper's form has. With them, a wrapper
	// whose launch is unchanged needn't ask before it starts. Absent if the hub must be asked: pins.launch = block, or nothing is
	// allowed.
	Allowed []pin.LaunchForm `json:"allowed,omitempty"`
	Client  string           `json:"client,omitempty"`
	// Surroundings, for a look, are those of the last wrapper of the client that will start the server; absent if there was none.
	Surroundings *Surroundings `json:"surroundings,omitempty"`
}

// LaunchReport is what a wrapper knows of its server's launch: before the start with Final false, and again once everything has been
// read and seen. The answer is the State with the verdict.
type LaunchReport struct {
	Form  pin.LaunchForm  `json:"form"`
	Final bool            `json:"final,omitempty"`
	Ended bool            `json:"ended,omitempty"` // it ended before everything could be seen: the rest counts as unchanged
	Files []pin.FileStamp `json:"files,omitempty"` // the files that were read for it
}

// Surroundings are what a client gives to every server it starts, as one of its wrappers found it: the variables that the MCP SDKs pass
// on by default, and the folder. With them, a look starts a server the way that client will. They contain no other variables, because
// those may be secrets.
type Surroundings struct {
	Env map[string]string `json:"env,omitempty"`
	Dir string            `json:"dir,omitempty"`
}

// maxSurrounding is above what operating systems allow for one of these variables.
const maxSurrounding = 32 << 10

// Here returns the surroundings of this process.
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

// Kept returns what may be stored and used: only names on the list, with values that can be passed on. Like the SDKs, it leaves out
// values that begin like a shell function.
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

// Environ returns the variables as NAME=VALUE, in the order of the list.
func (s Surroundings) Environ() []string {
	var env []string
	for _, name := range passedOn() {
		if value, set := s.Env[name]; set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
