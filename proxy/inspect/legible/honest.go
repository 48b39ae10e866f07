package legible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Honest reports whether a run of hidden characters between before and after serves its script or emoji. One joiner, two directional marks,
// one selector: more than that has no legitimate use.
func Honest(c Class, before, run, after string) bool {
	runes := utf8.RuneCountInString(run)
	switch c {
	case mark:
		return runes <= 2 && nearRTL(before, after)
	case joiner:
		return runes == 1 && (joinsEmoji(run, before, after) || joinsLetters(before, after))
	case Variation:
		r, _ := utf8.DecodeRuneInString(run)
		return runes == 1 && selects(r, before, after)
	case Tag:
		return flag(before, run)
	case ignorable:
		// Braille art and braille spinners use the blank cell between other cells.
		r, _ := utf8.DecodeLastRuneInString(before)
		n, _ := utf8.DecodeRuneInString(after)
		return strings.Trim(run, "\u2800") == "" && (braille(r) || braille(n))
	default:
		return false
	}
}

func braille(r rune) bool { return r > 0x2800 && r <= 0x28ff }

// neighbours is how many characters away a directional mark may be from its letter: closing brackets, quotes, digits and spaces come
// between.
const neighbours = 8

func nearRTL(before, after string) bool {
	for range neighbours {
		left, size := utf8.DecodeLastRuneInString(before)
		before = before[:len(before)-size]
		right, size := utf8.DecodeRuneInString(after)
		after = after[size:]
		if rtl(left) || rtl(right) {
			return true
		}
	}
	return false
}

func rtl(r rune) bool {
	return r >= 0x0590 && r != 0x061c && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// joinsEmoji: a ZWJ between two emoji, the first perhaps with a skin tone or a selector (Unicode TR51, emoji ZWJ sequence).
func joinsEmoji(run, before, after string) bool {
	if run != "\u200d" {
		return false
	}
	r, size := utf8.DecodeLastRuneInString(before)
	if r == 0xfe0f || r == 0xfe0e {
		r, _ = utf8.DecodeLastRuneInString(before[:len(before)-size])
	}
	next, _ := utf8.DecodeRuneInString(after)
	return emoji(r) && emoji(next)
}

// emoji is deliberately wider than the Emoji property: every symbol that can be drawn as a picture.
func emoji(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff:
		return true
	case r == 0x203c, r == 0x2049, r == 0x2139, r == 0x3030, r == 0x303d:
		return true
	case r >= 0x2190 && r < 0x2800, r >= 0x2900 && r <= 0x2bff:
		return unicode.In(r, unicode.So, unicode.Sm)
	}
	return r >= 0xa9 && r < 0x2800 && unicode.Is(unicode.So, r) || r == 0x3297 || r == 0x3299
}

// joinsLetters: ZWJ and ZWNJ inside a word of a script whose letters join, or after a vowel killer at its end.
func joinsLetters(before, after string) bool {
	prev, _ := utf8.DecodeLastRuneInString(before)
	if !joining(prev) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(after)
	return joining(next) || unicode.Is(unicode.M, prev)
}

func joining(r rune) bool {
	if r < 0x0600 || !unicode.In(r, unicode.L, unicode.M) {
		return false
	}
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Inherited) && r >= 0x0600
}

// selects: one variation selector after a base that has variants.
func selects(selector rune, before, after string) bool {
	base, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case selector == 0xfe0e || selector == 0xfe0f:
		if base == '#' || base == '*' || base >= '0' && base <= '9' {
			next, _ := utf8.DecodeRuneInString(after)
			return next == 0x20e3 // keycap
		}
		return emoji(base)
	case selector >= 0x180b && selector <= 0x180f:
		return unicode.Is(unicode.Mongolian, base)
	case selector >= 0xfe00 && selector <= 0xfe02:
		return unicode.In(base, unicode.Sm, unicode.Han, unicode.Myanmar, unicode.Phags_Pa) && base > 0x7f
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, base)
	}
	return false
}

// flag: the three subdivision flags that exist as emoji, spelled in tag characters after the black flag.
func flag(before, run string) bool {
	if r, _ := utf8.DecodeLastRuneInString(before); r != 0x1f3f4 {
		return false
	}
	switch run {
	case "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
		"\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
		"\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F":
		return true
	}
	return false
}
