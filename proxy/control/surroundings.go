package control

import (
	"os"
	"path/filepath"
	"strings"
)

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
