package legible

import (
	"unicode"
	"unicode/utf8"
)

// Class is what an invisible character does to a reader.
type Class uint8

const (
	Ordinary  Class = iota
	Control         // C0 without tab, LF, CRLF; DEL; C1; line and paragraph separators
	Turning         // embeddings, overrides, isolates: the display differs from the text
	mark            // LRM, RLM, ALM: legitimate beside right-to-left letters
	joiner          // ZWJ, ZWNJ: legitimate in emoji and in scripts that join
	Variation       // selectors: legitimate once after a base; 256 of them make an alphabet
	Tag             // U+E0000 block: invisible ASCII
	ignorable       // everything else that is invisible
)

// ClassOf classifies a character. CR and ESC depend on what follows, which the caller checks; CR counts as control here.
func ClassOf(r rune) Class {
	switch {
	case r < 0x20:
		if r == '\t' || r == '\n' {
			return Ordinary
		}
		return Control
	case r < 0x7f:
		return Ordinary
	case r < 0xa0:
		return Control
	case r < 0xad:
		return Ordinary
	}
	switch {
	case r == 0x2028, r == 0x2029:
		return Control
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return Turning
	case r == 0x200e, r == 0x200f, r == 0x061c:
		return mark
	case r == 0x200c, r == 0x200d:
		return joiner
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180d, r == 0x180f:
		return Variation
	case r >= 0xe0000 && r <= 0xe007f:
		return Tag
	case r == 0x00ad, r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x180e,
		r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x206f, r == 0x2800, r == 0x3164, r == 0xfeff, r == 0xffa0,
		r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0080 && r <= 0xe0fff:
		return ignorable
	case r >= 0x0600 && r <= 0x0605, r == 0x06dd, r == 0x070f, r == 0x0890, r == 0x0891, r == 0x08e2, r == 0x110bd, r == 0x110cd:
		return Ordinary // format characters by category, but visible: Arabic and Kaithi number signs
	case r > 0x2000 && unicode.Is(unicode.Cf, r):
		return ignorable
	}
	return Ordinary
}

// Hidden reports whether a character is a control or invisible. Tab and LF are not; CR is, unless LF follows, which the caller checks.
func Hidden(r rune) bool { return ClassOf(r) != Ordinary }

// Odd reports whether Escape spells a character out: hidden, not graphic, or white space that only looks like a space.
func Odd(r rune) bool {
	if r < utf8.RuneSelf {
		return ClassOf(r) != Ordinary
	}
	if ClassOf(r) != Ordinary || !unicode.IsGraphic(r) {
		return true
	}
	return r != 0x3000 && unicode.Is(unicode.Zs, r)
}

// CharacterName is the Unicode name of well-known invisible characters, "" for others.
func CharacterName(r rune) string {
	switch {
	case r >= 0xfe00 && r <= 0xfe0f:
		return "VARIATION SELECTOR"
	case r >= 0xe0100 && r <= 0xe01ef:
		return "VARIATION SELECTOR"
	case r > 0xe0020 && r < 0xe007f:
		return "TAG CHARACTER"
	case r >= 0x2000 && r <= 0x200a:
		return "TYPOGRAPHIC SPACE"
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000:
		return "PRIVATE USE"
	}
	switch r {
	case 0x00:
		return "NULL"
	case 0x07:
		return "BELL"
	case 0x08:
		return "BACKSPACE"
	case '\r':
		return "CARRIAGE RETURN"
	case 0x1b:
		return "ESCAPE"
	case 0x7f:
		return "DELETE"
	case 0x85:
		return "NEXT LINE"
	case 0x90:
		return "DEVICE CONTROL STRING"
	case 0x9b:
		return "CONTROL SEQUENCE INTRODUCER"
	case 0x9d:
		return "OPERATING SYSTEM COMMAND"
	case 0xa0:
		return "NO-BREAK SPACE"
	case 0xad:
		return "SOFT HYPHEN"
	case 0x34f:
		return "COMBINING GRAPHEME JOINER"
	case 0x61c:
		return "ARABIC LETTER MARK"
	case 0x115f:
		return "HANGUL CHOSEONG FILLER"
	case 0x1160:
		return "HANGUL JUNGSEONG FILLER"
	case 0x180e:
		return "MONGOLIAN VOWEL SEPARATOR"
	case 0x200b:
		return "ZERO WIDTH SPACE"
	case 0x200c:
		return "ZERO WIDTH NON-JOINER"
	case 0x200d:
		return "ZERO WIDTH JOINER"
	case 0x200e:
		return "LEFT-TO-RIGHT MARK"
	case 0x200f:
		return "RIGHT-TO-LEFT MARK"
	case 0x2028:
		return "LINE SEPARATOR"
	case 0x2029:
		return "PARAGRAPH SEPARATOR"
	case 0x202a:
		return "LEFT-TO-RIGHT EMBEDDING"
	case 0x202b:
		return "RIGHT-TO-LEFT EMBEDDING"
	case 0x202c:
		return "POP DIRECTIONAL FORMATTING"
	case 0x202d:
		return "LEFT-TO-RIGHT OVERRIDE"
	case 0x202e:
		return "RIGHT-TO-LEFT OVERRIDE"
	case 0x202f:
		return "NARROW NO-BREAK SPACE"
	case 0x205f:
		return "MEDIUM MATHEMATICAL SPACE"
	case 0x2060:
		return "WORD JOINER"
	case 0x2061:
		return "FUNCTION APPLICATION"
	case 0x2062:
		return "INVISIBLE TIMES"
	case 0x2063:
		return "INVISIBLE SEPARATOR"
	case 0x2064:
		return "INVISIBLE PLUS"
	case 0x2066:
		return "LEFT-TO-RIGHT ISOLATE"
	case 0x2067:
		return "RIGHT-TO-LEFT ISOLATE"
	case 0x2068:
		return "FIRST STRONG ISOLATE"
	case 0x2069:
		return "POP DIRECTIONAL ISOLATE"
	case 0x2800:
		return "BRAILLE PATTERN BLANK"
	case 0x3164:
		return "HANGUL FILLER"
	case 0xfeff:
		return "ZERO WIDTH NO-BREAK SPACE"
	case 0xffa0:
		return "HALFWIDTH HANGUL FILLER"
	case 0xe0001:
		return "LANGUAGE TAG"
	case 0xe0020:
		return "TAG SPACE"
	case 0xe007f:
		return "CANCEL TAG"
	}
	return ""
}

// Printable reports whether a text is UTF-8 with nothing hidden, line breaks and tabs allowed.
func Printable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && r != '\r' && Odd(r) {
			return false
		}
	}
	return true
}
