package keychain

import (
	"bytes"
	"fmt"
	"strings"
)

// What macOS's program security prints and exits with. It is here for every platform, so that it is tested.

// exitMeans turns an exit code of security, the lowest byte of a code in SecBase.h, into one of our errors.
func exitMeans(code int) error {
	switch code {
	case 44: // errSecItemNotFound, -25300
		return ErrNotFound
	case 36: // errSecInteractionNotAllowed, -25308: it would have to ask for the password
		return ErrLocked
	case 50, 37: // errSecNoSuchKeychain, -25294; errSecNoDefaultKeychain, -25307
		return ErrAbsent
	}
	return fmt.Errorf("%w (security exited with %d)", ErrRefused, code)
}

// accountsIn are the names of a service's entries in what `security dump-keychain` prints: a block of lines for each, which starts with a
// line for its keychain.
func accountsIn(dump []byte, service, prefix string) (names []string) {
	var account, of string
	end := func() {
		if name, is := strings.CutPrefix(account, prefix); is && of == service {
			names = append(names, name)
		}
		account, of = "", ""
	}
	for line := range bytes.Lines(dump) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "keychain:") {
			end()
		}
		if value, is := strings.CutPrefix(text, `"acct"<blob>="`); is {
			account = strings.TrimSuffix(value, `"`)
		}
		if value, is := strings.CutPrefix(text, `"svce"<blob>="`); is {
			of = strings.TrimSuffix(value, `"`)
		}
	}
	end()
	return names
}
