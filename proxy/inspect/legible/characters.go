package legible

import (
	"math"
	"sync"
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

// TagByte is the letter that a tag character spells unseen.
func TagByte(r rune) (letter byte, ok bool) { return byte(r), r >= 0xe0020 && r <= 0xe007e }

// SelectorByte is the byte that a variation selector can carry unseen: there are 256 of them.
func SelectorByte(r rune) (carried byte, ok bool) {
	switch {
	case r >= 0xfe00 && r <= 0xfe0f:
		return byte(r - 0xfe00), true
	case r >= 0xe0100 && r <= 0xe01ef:
		return byte(r - 0xe0100 + 16), true
	}
	return 0, false
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

// characterNames are the Unicode names of well-known invisible characters, from first to last in order.
var characterNames = []struct {
	first, last rune
	name        string
}{
	{0x00, 0x00, "NULL"},
	{0x07, 0x07, "BELL"},
	{0x08, 0x08, "BACKSPACE"},
	{0x0d, 0x0d, "CARRIAGE RETURN"},
	{0x1b, 0x1b, "ESCAPE"},
	{0x7f, 0x7f, "DELETE"},
	{0x85, 0x85, "NEXT LINE"},
	{0x90, 0x90, "DEVICE CONTROL STRING"},
	{0x9b, 0x9b, "CONTROL SEQUENCE INTRODUCER"},
	{0x9d, 0x9d, "OPERATING SYSTEM COMMAND"},
	{0xa0, 0xa0, "NO-BREAK SPACE"},
	{0xad, 0xad, "SOFT HYPHEN"},
	{0x34f, 0x34f, "COMBINING GRAPHEME JOINER"},
	{0x61c, 0x61c, "ARABIC LETTER MARK"},
	{0x115f, 0x115f, "HANGUL CHOSEONG FILLER"},
	{0x1160, 0x1160, "HANGUL JUNGSEONG FILLER"},
	{0x180e, 0x180e, "MONGOLIAN VOWEL SEPARATOR"},
	{0x2000, 0x200a, "TYPOGRAPHIC SPACE"},
	{0x200b, 0x200b, "ZERO WIDTH SPACE"},
	{0x200c, 0x200c, "ZERO WIDTH NON-JOINER"},
	{0x200d, 0x200d, "ZERO WIDTH JOINER"},
	{0x200e, 0x200e, "LEFT-TO-RIGHT MARK"},
	{0x200f, 0x200f, "RIGHT-TO-LEFT MARK"},
	{0x2028, 0x2028, "LINE SEPARATOR"},
	{0x2029, 0x2029, "PARAGRAPH SEPARATOR"},
	{0x202a, 0x202a, "LEFT-TO-RIGHT EMBEDDING"},
	{0x202b, 0x202b, "RIGHT-TO-LEFT EMBEDDING"},
	{0x202c, 0x202c, "POP DIRECTIONAL FORMATTING"},
	{0x202d, 0x202d, "LEFT-TO-RIGHT OVERRIDE"},
	{0x202e, 0x202e, "RIGHT-TO-LEFT OVERRIDE"},
	{0x202f, 0x202f, "NARROW NO-BREAK SPACE"},
	{0x205f, 0x205f, "MEDIUM MATHEMATICAL SPACE"},
	{0x2060, 0x2060, "WORD JOINER"},
	{0x2061, 0x2061, "FUNCTION APPLICATION"},
	{0x2062, 0x2062, "INVISIBLE TIMES"},
	{0x2063, 0x2063, "INVISIBLE SEPARATOR"},
	{0x2064, 0x2064, "INVISIBLE PLUS"},
	{0x2066, 0x2066, "LEFT-TO-RIGHT ISOLATE"},
	{0x2067, 0x2067, "RIGHT-TO-LEFT ISOLATE"},
	{0x2068, 0x2068, "FIRST STRONG ISOLATE"},
	{0x2069, 0x2069, "POP DIRECTIONAL ISOLATE"},
	{0x2800, 0x2800, "BRAILLE PATTERN BLANK"},
	{0x3164, 0x3164, "HANGUL FILLER"},
	{0xe000, 0xf8ff, "PRIVATE USE"},
	{0xfe00, 0xfe0f, "VARIATION SELECTOR"},
	{0xfeff, 0xfeff, "ZERO WIDTH NO-BREAK SPACE"},
	{0xffa0, 0xffa0, "HALFWIDTH HANGUL FILLER"},
	{0xe0001, 0xe0001, "LANGUAGE TAG"},
	{0xe0020, 0xe0020, "TAG SPACE"},
	{0xe0021, 0xe007e, "TAG CHARACTER"},
	{0xe007f, 0xe007f, "CANCEL TAG"},
	{0xe0100, 0xe01ef, "VARIATION SELECTOR"},
	{0xf0000, math.MaxInt32, "PRIVATE USE"},
}

// CharacterName is the Unicode name of well-known invisible characters, "" for others.
func CharacterName(r rune) string {
	for _, known := range characterNames {
		if known.first <= r && r <= known.last {
			return known.name
		}
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

// Lookalikes are letters of other scripts that look Latin (Unicode Technical Standard 39, confusables.txt; those of Cyrillic, Greek,
// Armenian and Cherokee that pass in running text). The map is built on first use, to keep a wrapper's start fast.
var Lookalikes = sync.OnceValue(func() map[rune]rune {
	return pairs(alike...)
})

var alike = []string{
	"аa", "вb", "сc", "ԁd", "еe", "һh", "іi", "ӏl", "јj", "кk", "мm", "нh", "оo", "рp", "ԛq", "гr", "ѕs", "тt", "ѵv", "ԝw", "хx", "уy", "ѐe", "ёe", "ѓr", "ѝu", "ӧo", "ӓa", "ӱy", "зz", "пn", "ѡw",
	"АA", "ВB", "СC", "ЕE", "НH", "ІI", "ЈJ", "КK", "МM", "ОO", "РP", "ЅS", "ТT", "ХX", "УY", "ԜW", "Ӏl", "ԌG", "ѴV", "ҐG",
	"αa", "βb", "γy", "εe", "ηn", "ιi", "κk", "νv", "οo", "ρp", "σo", "τt", "υu", "χx", "ωw", "ϲc", "ϳj", "δd", "ϱp", "ϵe",
	"ΑA", "ΒB", "ΕE", "ΖZ", "ΗH", "ΙI", "ΚK", "ΜM", "ΝN", "ΟO", "ΡP", "ΤT", "ΥY", "ΧX", "ϹC", "ͿJ",
	"օo", "ѕs", "ոn", "սu", "հh", "եe", "Օo", "Տs", "ցg", "զq", "Ꭺa", "Ᏼb", "Ꮯc", "Ꭰd", "Ꭼe", "Ꮐg", "Ꮋh", "Ꮖi", "Ꭻj", "Ꮶk", "Ꮮl", "Ꮇm", "Ꮲp", "Ꮢr", "Ꮪs", "Ꭲt", "Ꮩv", "Ꮃw", "Ꮓz",
	"ɑa", "ɡg", "ɩi", "ʏy", "ɪi", "ʀr", "ɴn", "ʟl", "ᴀa", "ᴄc", "ᴅd", "ᴇe", "ᴊj", "ᴋk", "ᴍm", "ᴏo", "ᴘp", "ᴛt", "ᴜu", "ᴠv", "ᴡw", "ᴢz", "ʙb", "ɢg", "ʜh", "ꜰf", "ꜱs", "ıi", "ⅼl", "ⅰi", "ⅽc", "ⅾd", "ⅿm", "ⅴv", "ⅹx",
}

func pairs(list ...string) map[rune]rune {
	m := make(map[rune]rune, len(list))
	for _, p := range list {
		r := []rune(p)
		m[r[0]] = r[1]
	}
	return m
}
