// Package secretname has the names under which secrets are stored, and the texts that stand for one: keychain:NAME in a setting, a header, or a variable
// of an entry. Who fills one in and who pins that go by the same rule.
package secretname

import (
	"fmt"
	"strings"
)

const (
	maxName = 64
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	prefix  = "keychain:"
)

// Check refuses what is no name of a secret. Its error does not repeat the name, because people put the value there by mistake.
func Check(name string) error {
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(letters, r) }) || strings.HasPrefix(name, "-") {
		return fmt.Errorf("a name has 1 to %d letters, digits, dots, underscores or hyphens, and starts with no hyphen", maxName)
	}
	return nil
}

// In is the name in a text that stands for a secret, and is nothing else.
func In(text string) (name string, is bool) {
	name, is = strings.CutPrefix(text, prefix)
	return name, is && Check(name) == nil
}

// Text stands for the secret of a name.
func Text(name string) string { return prefix + name }
