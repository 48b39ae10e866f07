// Package cut shortens texts, never inside a character. Invalid UTF-8 counts as one character a byte.
package cut

import "unicode/utf8"

// Bytes is the beginning of a text, at most most bytes.
func Bytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Runes is the beginning of a text, at most most characters.
func Runes(s string, most int) string {
	for i := range s {
		if most == 0 {
			return s[:i]
		}
		most--
	}
	return s
}

// Tail is the end of a text, at most most bytes.
func Tail(s string, most int) string {
	from := max(0, len(s)-most)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
