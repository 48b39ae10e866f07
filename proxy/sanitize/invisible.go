package sanitize

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// glyph is one character of a text, and which bytes spell it.
type glyph struct {
	r          rune
	start, end int
}

// glyphsIn reads the content of a JSON string, or its first characters up to a number of bytes.
func glyphsIn(content []byte, most int) []glyph {
	most = min(most, len(content))
	text := make([]glyph, 0, most)
	for i := 0; i < most; {
		r, size := character(content[i:])
		text = append(text, glyph{r, i, i + size})
		i += size
	}
	return text
}

// glyphsOf is glyphsIn for a decoded text.
func glyphsOf(decoded string, most int) []glyph {
	most = min(most, len(decoded))
	text := make([]glyph, 0, most)
	for i, r := range decoded {
		if i >= most {
			break
		}
		text = append(text, glyph{r, i, i + utf8.RuneLen(r)})
	}
	return text
}

func textOf(text []glyph) string {
	runes := make([]rune, len(text))
	for i, g := range text {
		runes[i] = g.r
	}
	return string(runes)
}

// shape is what a text is held to, besides having nothing invisible.
type shape struct {
	chars int  // at most this many characters, 0 for any number
	bytes int  // at most this many bytes of UTF-8, 0 for any number
	trim  bool // no white space at its ends
	line  bool // only its first line
}

// reads is how many bytes of a JSON string's content can matter: what is behind them is cut. It leaves room for invisible characters, and
// for escapes, which have up to six bytes for one. A longer text without limits is scrubbed.
func (s shape) reads() int {
	if limit := max(s.chars, s.bytes); limit > 0 {
		return 12*limit + 4<<10
	}
	return longText
}

// of returns the characters that stay. Doing it again changes nothing.
func (s shape) of(text []glyph, strict bool) []glyph {
	text = visible(text, strict)
	if s.trim || s.line {
		text = trimmed(text)
	}
	if s.line {
		if end := slices.IndexFunc(text, func(g glyph) bool { return breaks(g.r) }); end >= 0 {
			text = trimmed(text[:end])
		}
	}
	end := s.end(text)
	switch {
	case end == len(text):
	case s.trim || s.line:
		text = trimmed(text[:end])
	default:
		text = visible(text[:end], strict) // the cut may have separated a joiner from its letter
	}
	return text
}

// fits reports whether all of a JSON string's content stays, without decoding it. Not knowing means no.
func (s shape) fits(content []byte, strict bool) bool {
	if s.chars > 0 && len(content) > s.chars && utf8.RuneCount(content) > s.chars || s.bytes > 0 && len(content) > s.bytes {
		return false
	}
	if s.trim || s.line {
		for i, c := range content {
			ends := i == 0 || i >= len(content)-len(`\u0020`)
			if c >= utf8.RuneSelf && (ends || s.line) || c == '\\' && (ends || s.line) || c == ' ' && (i == 0 || i == len(content)-1) {
				return false
			}
		}
	}
	return !hides(content, strict)
}

// end is how many characters fit.
func (s shape) end(text []glyph) int {
	if s.chars > 0 && len(text) > s.chars {
		text = text[:s.chars]
	}
	if s.bytes > 0 {
		size := 0
		for i, g := range text {
			if size += utf8.RuneLen(g.r); size > s.bytes {
				return i
			}
		}
	}
	return len(text)
}

// breaks reports whether a character ends a line for anybody who splits text into lines.
func breaks(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

func trimmed(text []glyph) []glyph {
	for len(text) > 0 && unicode.IsSpace(text[0].r) {
		text = text[1:]
	}
	for len(text) > 0 && unicode.IsSpace(text[len(text)-1].r) {
		text = text[:len(text)-1]
	}
	return text
}

// goes reports whether a character is invisible, and so goes unless its script needs it. Control characters are left to terminal hygiene;
// in strict the null character goes too.
func goes(r rune, strict bool) bool {
	switch legible.ClassOf(r) {
	case legible.Ordinary:
		return false
	case legible.Control:
		return strict && r == 0
	default:
		return true
	}
}

// hides reports whether the content of a JSON string has a character that goes.
func hides(content []byte, strict bool) bool {
	for i := 0; i < len(content); {
		c := content[i]
		if c < utf8.RuneSelf && c != '\\' {
			i++
			continue
		}
		r, size := character(content[i:])
		if goes(r, strict) {
			return true
		}
		i += size
	}
	return false
}

// longText is the length from which a text loses all characters that go: judging each by what is around it takes memory, and no honest
// definition has a text as long as that.
const longText = 1 << 20

// scrub is the content of a JSON string without characters that go, whatever is around them.
func scrub(content []byte, strict bool) []byte {
	out := make([]byte, 0, len(content))
	for i := 0; i < len(content); {
		r, size := character(content[i:])
		if !goes(r, strict) {
			out = append(out, content[i:i+size]...)
		}
		i += size
	}
	return out
}

// longestRun is how many invisible characters in a row a script or a picture in Braille has use for.
const longestRun = 128

// neighbourhood is how many bytes before a run can matter to it: eight characters.
const neighbourhood = 8 * utf8.UTFMax

// visible returns the text without invisible characters: in strict without any, else without those that serve no script or emoji.
//
// A run is judged by the characters around it that stay. What was kept of its kind right before it counts as part of it. So a second pass
// judges the same runs in the same surroundings.
func visible(text []glyph, strict bool) []glyph {
	if strict {
		return slices.DeleteFunc(slices.Clone(text), func(g glyph) bool { return goes(g.r, true) })
	}
	var (
		kept     = make([]glyph, 0, len(text))
		before   []byte               // kept, decoded
		after    = make([]rune, 0, 8) // the next characters that stay
		ahead    = 0                  // where they are read on
		last     = legible.Ordinary   // the kind of the run that kept ends with
		from, at int                  // where that run starts in kept and in before
	)
	for i := 0; i < len(text); {
		c := legible.ClassOf(text[i].r)
		if c == legible.Ordinary || c == legible.Control {
			kept, before, last = append(kept, text[i]), utf8.AppendRune(before, text[i].r), c
			after = after[min(1, len(after)):]
			i++
			continue
		}
		end := i
		for end < len(text) && legible.ClassOf(text[end].r) == c {
			end++
		}
		for ahead = max(ahead, end); ahead < len(text) && len(after) < 8; ahead++ {
			if !goes(text[ahead].r, false) {
				after = append(after, text[ahead].r)
			}
		}
		start, begin := len(kept), len(before)
		if last == c {
			start, begin = from, at
		}
		if end-i+len(kept)-start <= longestRun {
			run := string(before[begin:]) + textOf(text[i:end])
			if legible.Honest(c, string(before[max(0, begin-neighbourhood):begin]), run, string(after)) {
				kept, before = append(kept, text[i:end]...), append(before, textOf(text[i:end])...)
				last, from, at = c, start, begin
			}
		}
		i = end
	}
	return kept
}
