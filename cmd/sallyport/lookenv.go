package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// A look starts a server as its client will, not as the terminal or the window that looks would: what was looked at is what
// runs then, and an approval covers it.

// lookEnv is the environment that a client gives to a server: what the SDKs pass on, with the values of the client's last
// wrapper, else of this session; over them what the client is known to add, and the env of the entry.
func lookEnv(client, folder string, last *control.Surroundings, entry []string) []string {
	around := last
	if around == nil || len(around.Env) == 0 {
		here := control.Here()
		around = &here
	}
	env := around.Environ()
	for _, variable := range slices.Concat(pin.ClientGives(client, folder), entry) {
		name, _, _ := strings.Cut(variable, "=")
		env = slices.DeleteFunc(env, func(v string) bool { return sameVariable(v, name) })
		env = append(env, variable)
	}
	return env
}

// lookDir is the folder that a client starts a server in: that of its last wrapper. A client that was never seen, and a command
// that no client was named for, are taken to start it here; Claude Desktop does in the root.
func lookDir(client string, last *control.Surroundings) string {
	if client != "" && last != nil && last.Dir != "" {
		if info, err := os.Stat(last.Dir); err == nil && info.IsDir() {
			return last.Dir
		}
	}
	here, err := os.Getwd()
	if err != nil || client != clientconfig.ClaudeDesktop {
		return here
	}
	return filepath.VolumeName(here) + string(filepath.Separator)
}
