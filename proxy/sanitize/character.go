package sanitize

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// names are the replacements for control characters: the abbreviations of ECMA-48 and its predecessor, known from character tables. C1
// begins at 33.
var names = [...]string{
	"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
	"DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
	"DEL",
	"PAD", "HOP", "BPH", "NBH", "IND", "NEL", "SSA", "ESA", "HTS", "HTJ", "VTS", "PLD", "PLU", "RI", "SS2", "SS3",
	"DCS", "PU1", "PU2", "STS", "CCH", "MW", "SPA", "EPA", "SOS", "SGC", "SCI", "CSI", "ST", "OSC", "PM", "APC",
}

func nameOf(r rune) string {
	if r >= 0x7f {
		r -= 0x7f - 0x20
	}
	return names[r]
}

// control reports whether a character must not reach a client. Tab and line feed may; a carriage return may if a line feed follows, which
// the caller checks.
func control(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' || r >= 0x7f && r <= 0x9f
}

// character decodes the character at the start of a string's content. Half a surrogate pair is U+FFFD.
func character(raw []byte) (r rune, size int) {
	if raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	if len(raw) < 2 {
		return utf8.RuneError, 1
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		unit := hex4(raw)
		if !utf16.IsSurrogate(unit) {
			return unit, min(6, len(raw))
		}
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if pair := utf16.DecodeRune(unit, hex4(raw[6:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, min(6, len(raw))
	}
	return rune(raw[1]), 2
}

func hex4(raw []byte) (unit rune) {
	if len(raw) < 6 {
		return utf8.RuneError
	}
	for _, c := range raw[2:6] {
		d := rune(c - '0')
		if c > '9' {
			d = rune(c|0x20-'a') + 10
		}
		unit = unit<<4 | d&15
	}
	return unit
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// quiet returns how many bytes at the start need no check: no escape, no DEL, no 0xC2.
func quiet(b []byte) int {
	i := 0
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		slash := x ^ '\\'*ones
		del := x ^ 0x7f*ones
		c2 := x ^ 0xc2*ones
		if m := ((slash-ones)&^slash | (del-ones)&^del | (c2-ones)&^c2) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i] != '\\' && b[i] != 0x7f && b[i] != 0xc2 {
		i++
	}
	return i
}

// drawn are the two-byte escapes that never spell a control character, by their second byte.
var drawn = [256]bool{'"': true, '\\': true, '/': true, 'n': true, 't': true}

// holds reports whether a string's content has a control character.
func holds(content []byte) bool {
	for i := 0; i < len(content); {
		i += quiet(content[i:])
		if i >= len(content) {
			return false
		}
		if i+1 < len(content) && content[i] == '\\' && drawn[content[i+1]] { // nearly all escapes
			i += 2
			continue
		}
		r, size := character(content[i:])
		i += size
		if control(r) && !(r == '\r' && i < len(content) && isLineFeed(content[i:])) {
			return true
		}
	}
	return false
}
