package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// runners start something else whose name is better. Each maps to its flags with a value, which is not a name.
var runners = map[string]string{
	"npx": "-p --package -c --call", "bunx": "", "pnpx": "", "uvx": "--from --python -p --with --index-url", "pipx": "--spec",
	"node": "-r --require --import --loader --experimental-loader", "deno": "", "bun": "-r --preload", "python": "-W -X", "python3": "-W -X", "uv": "--directory --project --with --python",
	"docker": "-v -e --env --mount --name --network -p --volume", "podman": "-v -e --env --mount --name --network -p --volume",
	"sh": "", "bash": "", "env": "-u -C", "npm": "", "pnpm": "", "yarn": "",
}

// runnerWords are subcommands of a runner, not names of a server.
var runnerWords = map[string]bool{"run": true, "exec": true, "dlx": true, "tool": true, "x": true, "--": true}

// serverName derives a name from a command: the package or script that runs, without folder, scope, version and extension.
func serverName(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	program := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	withValue, runs := runners[program]
	if !runs {
		return plainName(program)
	}
	for i := 1; i < len(argv); i++ {
		word := argv[i]
		switch {
		case runnerWords[word] || strings.Contains(word, "=") && !strings.HasPrefix(word, "-"):
		case strings.HasPrefix(word, "-"):
			for _, flag := range strings.Fields(withValue) {
				if word == flag {
					i++
				}
			}
		default:
			return plainName(word)
		}
	}
	return plainName(program)
}

func plainName(word string) string {
	name := path.Base(strings.ReplaceAll(word, `\`, "/"))
	if at := strings.LastIndexAny(name, "@:"); at > 0 {
		name = name[:at]
	}
	for _, ending := range []string{".js", ".mjs", ".cjs", ".ts", ".py", ".sh"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

const (
	// minSecret is the shortest value that is masked everywhere in logs: shorter ones are words.
	minSecret  = 8
	maxSecret  = 4 << 10
	maxSecrets = 64
)

// secretEnds are the endings of variable names that hold a secret.
var secretEnds = []string{
	"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_PWD", "CREDENTIAL", "CREDENTIALS", "_AUTH", "JWT", "_PAT", "DSN",
	"COOKIE", "CONNECTION_STRING", "DATABASE_URL", "WEBHOOK_URL",
}

// secretsOf are the values of an environment whose names mark them as secrets. They are masked in the server's log.
func secretsOf(environ []string) []string {
	var secrets []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) < minSecret || len(value) > maxSecret || strings.HasPrefix(value, "/") || len(secrets) == maxSecrets || !utf8.ValidString(value) {
			continue // a path to a key is not a key
		}
		name = strings.ToUpper(name)
		if slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(name, end) }) {
			for line := range strings.Lines(value) { // a log is masked line by line
				if line = strings.TrimSpace(line); len(line) >= minSecret && len(secrets) < maxSecrets {
					secrets = append(secrets, line)
				}
			}
		}
	}
	return secrets
}
