package legible

import (
	"strings"
	"unicode/utf8"
)

// maxString limits how far a sequence is followed to its end: a terminal gives up too.
const maxString = MaxSequence

// MaxSequence is the length of the longest sequence: a text cut there contains every sequence that starts in it whole, or as its
// introducer.
const MaxSequence = 4096

// Sequence is the length in bytes of the terminal escape sequence that text starts with, 0 if there is none. It follows ECMA-48: CSI with
// parameters, the strings OSC, DCS, SOS, PM and APC up to BEL or ST, and two-character escapes; 8-bit C1 introducers count like their ESC
// spelling. An unterminated sequence is only its introducer.
func Sequence(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch r {
	case 0x1b:
		if len(text) == 1 {
			return 1
		}
		switch next := text[1]; {
		case next == '[':
			return csi(text, 2)
		case strings.IndexByte("]PX^_", next) >= 0:
			return stringSequence(text, 2)
		case next >= 0x20 && next <= 0x2f:
			i := 2
			for i < len(text) && i < 16 && text[i] >= 0x20 && text[i] <= 0x2f {
				i++
			}
			if i < len(text) && text[i] >= 0x30 && text[i] <= 0x7e {
				return i + 1
			}
			return 1
		case next >= 0x30 && next <= 0x7e:
			return 2
		}
		return 1
	case 0x9b:
		return csi(text, size)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return stringSequence(text, size)
	}
	return 0
}

func csi(text string, from int) int {
	i := from
	for i < len(text) && i < maxString && text[i] >= 0x20 && text[i] <= 0x3f {
		i++
	}
	if i < len(text) && text[i] >= 0x40 && text[i] <= 0x7e {
		return i + 1
	}
	return from
}

// stringSequence follows a string to its terminator. Another introducer ends it without one, as in terminals, so no byte is read twice
// however many strings begin.
func stringSequence(text string, from int) int {
	end := min(len(text), maxString)
	for i := from; i < end; i++ {
		switch c := text[i]; {
		case c == 0x07:
			return i + 1
		case c == 0x1b:
			if i+1 < len(text) && text[i+1] == '\\' {
				return i + 2
			}
			return from
		case c == 0xc2 && i+1 < len(text) && text[i+1] >= 0x80 && text[i+1] <= 0x9f:
			if text[i+1] == 0x9c { // ST as one character
				return i + 2
			}
			return from
		}
	}
	return from
}
