package transport

import (
	"os"
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/program"
)

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
