package schema

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are what a letter means behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendPlain appends the inside of a JSON string without its escapes. Half of a surrogate pair becomes U+FFFD, as encoding/json has it.
func appendPlain(b []byte, inside string) []byte {
	for i := 0; i < len(inside); {
		c := inside[i]
		if c != '\\' || i+1 == len(inside) {
			b = append(b, c)
			i++
			continue
		}
		if inside[i+1] != 'u' {
			b = append(b, escapes[inside[i+1]])
			i += 2
			continue
		}
		r := unit(inside[i:])
		i = min(i+6, len(inside))
		if utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, unit(inside[i:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

// unit is the code unit of an escape \uXXXX, or U+FFFD.
func unit(s string) rune {
	if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
		if n, err := strconv.ParseUint(s[2:6], 16, 32); err == nil {
			return rune(n)
		}
	}
	return utf8.RuneError
}
