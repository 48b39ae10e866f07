package main

import (
	"slices"
	"strings"
	"unicode/utf8"
)

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
