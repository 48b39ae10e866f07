package frame

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// traits are properties of a string that make its bytes differ from its meaning.
type traits uint8

const (
	escaped  traits = 1 << iota // at least one backslash
	nonASCII                    // at least one byte of 0x80 and above
)

// Why a string, a number or a key was refused. Reasons are our own short words: they appear in errors for people.
const (
	reasonEnd     = "it ends too early"
	reasonControl = "a control character in a string"
	reasonEscape  = "an escape that JSON does not have"
	reasonUTF8    = "invalid UTF-8"
	reasonNumber  = "a number that JSON does not have"

	reasonTwoEqual  = "two keys that are equal"
	reasonTwoFolded = "two keys that are equal, or equal but for upper and lower case"
)

// scanString reads a string whose first byte after the quote is raw[i] and returns the offset of its closing quote. A reason other than ""
// says what is wrong at that offset.
//
// It reads eight bytes at a time and never moves back, so a megabyte of escapes costs a megabyte of work. (Searching for the closing quote
// again after every backslash is quadratic: 271 ms for 1 MB, measured.)
func scanString(raw []byte, i int) (end int, tr traits, reason string) {
	start := i
	var high uint64
	for {
		for i+8 <= len(raw) {
			x := binary.LittleEndian.Uint64(raw[i:])
			quote := x ^ '"'*ones
			slash := x ^ '\\'*ones
			// The lowest bit set is exact; a borrow can set false ones only above it.
			m := ((x-0x20*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
			if m == 0 {
				high |= x
				i += 8
				continue
			}
			k := bits.TrailingZeros64(m) &^ 7
			high |= x & (1<<k - 1)
			i += k >> 3
			goto special
		}
		for i < len(raw) && raw[i] >= 0x20 && raw[i] != '"' && raw[i] != '\\' {
			high |= uint64(raw[i])
			i++
		}
		if i >= len(raw) {
			return len(raw), tr, reasonEnd
		}
	special:
		switch c := raw[i]; {
		case c == '"':
			if high&highs != 0 {
				tr |= nonASCII
				if !utf8.Valid(raw[start:i]) {
					return start, tr, reasonUTF8
				}
			}
			return i, tr, ""
		case c == '\\':
			tr |= escaped
			for i < len(raw) && raw[i] == '\\' {
				if i+1 >= len(raw) {
					return len(raw), tr, reasonEnd
				}
				switch raw[i+1] {
				case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
					i += 2
				case 'u':
					if i+6 > len(raw) {
						return len(raw), tr, reasonEnd
					}
					if !isHex(raw[i+2]) || !isHex(raw[i+3]) || !isHex(raw[i+4]) || !isHex(raw[i+5]) {
						return i, tr, reasonEscape
					}
					i += 6
				default:
					return i, tr, reasonEscape
				}
			}
		default:
			return i, tr, reasonControl
		}
	}
}

// shortString returns the end of the string whose first byte after the quote is raw[i], if it is one of the next eight bytes and only plain
// ASCII precedes it; else -1. Most keys are like that.
func shortString(raw []byte, i int) int {
	if i+8 > len(raw) {
		return -1
	}
	x := binary.LittleEndian.Uint64(raw[i:])
	quote := x ^ '"'*ones
	slash := x ^ '\\'*ones
	m := ((x-0x20*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash | x) & highs
	if m == 0 {
		return -1
	}
	if i += bits.TrailingZeros64(m) >> 3; raw[i] != '"' {
		return -1
	}
	return i
}

// scanNumber reads the number at raw[i] and returns the offset after it; ok is false if the grammar does not hold.
func scanNumber(raw []byte, i int) (end int, ok bool) {
	if i < len(raw) && raw[i] == '-' {
		i++
	}
	switch {
	case i >= len(raw):
		return i, false
	case raw[i] == '0':
		i++
	case raw[i] >= '1' && raw[i] <= '9':
		i = skipDigits(raw, i)
	default:
		return i, false
	}
	if i < len(raw) && raw[i] == '.' {
		i++
		if i >= len(raw) || !isDigit(raw[i]) {
			return i, false
		}
		i = skipDigits(raw, i)
	}
	if i < len(raw) && raw[i]|0x20 == 'e' {
		i++
		if i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		if i >= len(raw) || !isDigit(raw[i]) {
			return i, false
		}
		i = skipDigits(raw, i)
	}
	return i, true
}

func skipDigits(raw []byte, i int) int {
	for i < len(raw) && isDigit(raw[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isHex(c byte) bool { return c-'0' <= 9 || (c|0x20)-'a' <= 5 }
