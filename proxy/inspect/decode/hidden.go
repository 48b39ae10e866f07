package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// tagText is the text that tag characters spell.
func tagText(v *View) *View {
	return hidden(v, "tag_characters", strings.Index(v.Text, "\xf3\xa0"), legible.TagByte)
}

// selectorText is what variation selectors spell if each stands for a byte.
func selectorText(v *View) *View {
	first := strings.Index(v.Text, "\xf3\xa0")
	if other := strings.Index(v.Text, "\xef\xb8"); first < 0 || other >= 0 && other < first {
		first = other
	}
	for _, most := range []byte{0xff, 0x7e} { // a byte of no text beside a message must not hide it: then what is ASCII of it is read
		out := hidden(v, "variation_selectors", first, func(r rune) (byte, bool) {
			b, ok := legible.SelectorByte(r)
			return b, ok && b <= most && !control(rune(b)) // the selector of an ordinary emoji carries 15
		})
		if out == nil || Textual(out.Text) {
			return out
		}
	}
	return nil
}

// hidden is the text of the characters that carry a byte each, none of them before first.
func hidden(v *View, name string, first int, of func(rune) (byte, bool)) *View {
	if first < 0 {
		return nil
	}
	w := &weaver{src: v}
	for i := first; i < len(v.Text); {
		r, size := utf8.DecodeRuneInString(v.Text[i:])
		if b, ok := of(r); ok {
			w.put(byteText(b), i, i+size)
		}
		i += size
	}
	if len(w.text) < 4 {
		return nil
	}
	return w.view(name)
}

// turned is the text that a right-to-left override shows; the file has it backwards (Unicode Standard Annex 9).
func turned(v *View) *View {
	const override = "\u202e"
	at := strings.Index(v.Text, override)
	if at < 0 {
		return nil
	}
	w := weave(v)
	for at >= 0 {
		start := at + len(override)
		end := start
		for end < len(v.Text) {
			r, size := utf8.DecodeRuneInString(v.Text[end:])
			if r == 0x202c || r == '\n' || r == 0x202e || r == 0x2069 {
				break
			}
			end += size
		}
		for i := end; i > start; {
			r, size := utf8.DecodeLastRuneInString(v.Text[start:i])
			if r == utf8.RuneError {
				w.put("\ufffd", i-size, i)
			} else {
				w.put(v.Text[i-size:i], i-size, i)
			}
			i -= size
		}
		w.put("\n", at, start)
		next := strings.Index(v.Text[end:], override)
		if next < 0 {
			break
		}
		at = end + next
	}
	if len(w.text) < 8 {
		return nil
	}
	return w.view("reversed")
}

const minSpaced = 6 // more letters in a row than initials have

const (
	// maxApart is the longest text between two letters that are apart: `", "`.
	maxApart = 4
	// maxWordGap is how many times as much of it stands between two words.
	maxWordGap = 8
	// maxPerLetter is how many characters that are apart there are for each letter: digits for letters, and marks.
	maxPerLetter = 4
)

// apartBy is what stands between the character at text[i] and the next, "" if more than marks and white space does. Blanks alone may also
// stand before a digit or a mark.
func apartBy(text string, i int) string {
	if i+3 < len(text) && text[i+1] == ' ' && single(text, i+2) {
		return " "
	}
	for end := i + 1; end < len(text) && end-i-1 <= maxApart; end++ {
		switch c := text[end]; {
		case wordByte(c):
			return text[i+1 : end]
		case c >= '0' && c <= '9', c >= utf8.RuneSelf:
			return ""
		}
	}
	return ""
}

// single reports whether a visible character of ASCII stands at text[i] with a blank on either side.
func single(text string, i int) bool {
	return text[i] > ' ' && text[i] < 0x7f && (i == 0 || text[i-1] <= ' ') && (i+1 >= len(text) || text[i+1] <= ' ')
}

// spaced joins letters that are apart: "i g n o r e", "i.g.n.o.r.e", one a line, each in quotes. More between them starts a new word.
func spaced(v *View) *View {
	w := weaver{src: v}
	var join []int // positions of letters; -1 for a gap between words
	for i := lonely(v.Text, 0); i+2*minSpaced-2 < len(v.Text); {
		if sep := v.Text[i+1]; sep >= 'a' && sep <= 'z' { // most characters
			i = lonely(v.Text, i+1)
			continue
		}
		if !wordByte(v.Text[i]) && !(forLetter(v.Text[i]) && single(v.Text, i)) || i > 0 && wordByte(v.Text[i-1]) {
			i++
			continue
		}
		sep := apartBy(v.Text, i)
		if sep == "" {
			i++
			continue
		}
		end, all, letters := i, 0, 0
		join = join[:0]
		for end < len(v.Text) && apartWith(v.Text, end, sep) {
			join = append(join, end)
			if all++; wordByte(v.Text[end]) {
				letters++
			}
			end++
			from := end
			for end < len(v.Text) && end-from < maxWordGap*len(sep) && (v.Text[end] == ' ' || v.Text[end] == '\n' || strings.IndexByte(sep, v.Text[end]) >= 0) {
				end++
			}
			if end == from {
				break
			}
			if v.Text[from:end] != sep {
				join = append(join, -1)
			}
		}
		if letters < minSpaced || letters*maxPerLetter < all {
			i++
			continue
		}
		w.cut(i, end)
		last := i
		for _, at := range join {
			if at < 0 {
				w.put(" ", last, last+1)
				continue
			}
			w.keep(at, at+1)
			last = at
		}
		w.put(" ", last, last+1)
		i = end
	}
	return w.rest("spaced_letters")
}

// apartWith reports whether a character stands alone at text[i], among others with sep between them.
func apartWith(text string, i int, sep string) bool {
	if sep == " " {
		return single(text, i)
	}
	return wordByte(text[i]) && (i+1 >= len(text) || !wordByte(text[i+1]))
}

// untagged leaves out the tags of a text in which single letters stand between them: "<b>i</b><b>g</b>".
func untagged(v *View) *View {
	w := weaver{src: v}
	single := 0
	for i := next(v.Text, 0, '<'); i < len(v.Text); {
		size := strings.IndexByte(v.Text[i:min(len(v.Text), i+maxTag)], '>')
		if size < 0 {
			i = next(v.Text, i+1, '<')
			continue
		}
		end := i + size + 1
		if i-w.past == 1 && wordByte(v.Text[i-1]) {
			single++
		}
		w.cut(i, end)
		i = next(v.Text, end, '<')
	}
	if single < minSpaced {
		return nil
	}
	return w.rest("letters_in_tags")
}

const maxTag = 256

// maxMember is the longest text between two letters of values in JSON that are read in a row: a key, and white space.
const maxMember = 96

// unquoted joins letters of which each is a value of its own, or a key, as in JSON over several lines: [ "i", "g" ], { "k1": "i", "k2": "g" }. A
// blank in quotes begins a new word.
func unquoted(v *View) *View {
	w := weaver{src: v}
	var values, keys []int // where the letters are
	flush := func() {
		join := values
		if len(join) < minSpaced {
			join = keys
		}
		if len(join) >= minSpaced {
			w.cut(join[0], join[len(join)-1]+1)
			for _, at := range join {
				w.keep(at, at+1)
			}
		}
		values, keys = values[:0], keys[:0]
	}
	last := 0
	for i := next(v.Text, 0, '"'); i < len(v.Text); i = next(v.Text, i+1, '"') {
		if i+2 >= len(v.Text) || v.Text[i+2] != '"' || !wordByte(v.Text[i+1]) && v.Text[i+1] != ' ' {
			continue
		}
		if i-last > maxMember {
			flush()
		}
		last = i
		if rest := strings.TrimLeft(v.Text[i+3:min(i+3+maxApart, len(v.Text))], " "); strings.HasPrefix(rest, ":") {
			keys = append(keys, i+1)
		} else {
			values = append(values, i+1)
		}
		i += 2
	}
	flush()
	return w.rest("letters_in_quotes")
}

// byteText is a text of one byte.
func byteText(b byte) string { return everyByte[b : int(b)+1] }

const everyByte = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3a\x3b\x3c\x3d\x3e\x3f" +
	"\x40\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5a\x5b\x5c\x5d\x5e\x5f\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f\x70\x71\x72\x73\x74\x75\x76\x77\x78\x79\x7a\x7b\x7c\x7d\x7e\x7f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf" +
	"\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff"

// ControlsEncoding names the view without terminal sequences.
const ControlsEncoding = "control_characters"

// withoutControls is a text as a terminal shows it, and as sanitizer.ansi strip delivers it: escape sequences and control characters
// removed without a gap. (The text itself is read with spaces in their place.)
func withoutControls(v *View) *View {
	w := weaver{src: v}
	for i := 0; i < len(v.Text); {
		if c := v.Text[i]; c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		size := legible.Sequence(v.Text[i:])
		if size == 0 {
			var r rune
			if r, size = utf8.DecodeRuneInString(v.Text[i:]); r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f) {
				i += size
				continue
			}
		}
		w.cut(i, i+size)
		i += size
	}
	return w.rest(ControlsEncoding)
}
