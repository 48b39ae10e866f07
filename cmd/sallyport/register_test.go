package main

import (
	"slices"
	"testing"
)

func TestTheNameOfAVariableSaysWhetherItsValueIsSecret(t *testing.T) {
	for entry, secret := range map[string]bool{
		"GITHUB_TOKEN=abcdefgh1":                   true,
		"github_token=abcdefgh1":                   true,
		"DB_PASSWORD=correct horse":                true,
		"OPENAI_API_KEY=sk-1234567890":             true,
		"DATABASE_URL=postgres://u:pw@host/db":     true,
		"DB_PASSWORD=short":                        false,
		"PWD=/home/u/projects":                     false,
		"TLS_KEY=/etc/ssl/private.pem":             false,
		"PATH=/usr/bin:/bin":                       false,
		"SSH_AUTH_SOCK=/run/user/1000/keyring/ssh": false,
		"LANG=en_US.UTF-8":                         false,
		"KEYBOARD=querty-us-international":         false,
		"NOTHING":                                  false,
	} {
		if got := len(secretsOf([]string{entry})) == 1; got != secret {
			t.Errorf("%s: %v", entry, got)
		}
	}
	if many := secretsOf(slices.Repeat([]string{"A_TOKEN=abcdefgh1"}, 1000)); len(many) > maxSecrets {
		t.Errorf("%d values", len(many))
	}
}
