package pin

import (
	"strings"
	"testing"
)

func TestAFieldForAPasswordIsFound(t *testing.T) {
	for page, want := range map[string]bool{
		`<input type="password">`:                                true,
		"<INPUT name=x\n TYPE = PASSWORD>":                       true,
		`e.type = 'password'`:                                    true,
		`e.setAttribute("type", "password")`:                     true,
		`<input autocomplete="current-password">`:                true,
		`<input type=&quot;pass&#119;ord&quot;>`:                 true,
		`<style>i{-webkit-text-security:disc}</style>`:           true,
		`Your password is safe. Never type a password here.`:     false,
		`<a href="/password">`:                                   false,
		strings.Repeat(`"password" `, maxPasswords+2):            true, // nobody reads that far
		strings.Repeat(`password`, 1<<20):                        false,
		strings.Repeat(`xpassword`, 1<<16) + `<input type=text>`: false,
	} {
		if _, _, asks := passwordField(page); asks != want {
			t.Errorf("%.60q: %v", page, asks)
		}
	}
}
