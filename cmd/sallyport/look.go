package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// looksAtOnce is how many servers of a file are looked at in parallel: each may fetch a package and start an interpreter.
const looksAtOnce = 4

// lookAt looks at servers, several at a time, and reports the findings in order. A server that does not start hides no other: its report
// has the reason.
func lookAt(ctx context.Context, servers []probeOptions, found func(probeReport)) error {
	slots := make(chan struct{}, looksAtOnce)
	reports := make([]chan probeReport, len(servers))
	for i, server := range servers {
		reports[i] = make(chan probeReport, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			report, err := probe(ctx, server)
			if err != nil {
				report = probeReport{Server: server.name, State: notLookedAt, Error: err.Error()}
			}
			reports[i] <- report
		}()
	}
	for _, report := range reports {
		r := <-report // a probe ends with ctx, so nothing of it keeps running
		if err := ctx.Err(); err != nil {
			continue
		}
		found(r)
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(errLookCutShort, err)
	}
	return nil
}

const notLookedAt = "not looked at"

var errLookCutShort = errors.New("the look was cut short")

// A look starts a server as its client will, not as the terminal or window that looks would: then the program that was reviewed is the one
// that will run, and an approval covers it.

// lookEnv is the environment that a client gives to a server: what the SDKs pass on, with the values of the client's last wrapper, else of
// this session; then what the client is known to add, and the env of the entry.
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

// lookDir is the folder that a client starts a server in: that of its last wrapper. An unknown client, or none, is assumed to start it
// here; Claude Desktop in the root.
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
