package inspect

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// tagText is the text that tag characters spell (Unicode, U+E0000 block).
func tagText(v *view) *view {
	return hidden(v, "tag_characters", "\xf3\xa0", func(r rune) (string, bool) {
		if r >= 0xe0020 && r <= 0xe007e {
			return string(r - 0xe0000), true
		}
		return "", false
	})
}

// selectorText is what variation selectors spell where each stands for a byte.
func selectorText(v *view) *view {
	out := hidden(v, "variation_selectors", "\xef\xb8", func(r rune) (string, bool) {
		switch {
		case r >= 0xfe00 && r <= 0xfe0f:
			return string([]byte{byte(r - 0xfe00)}), true
		case r >= 0xe0100 && r <= 0xe01ef:
			return string([]byte{byte(r - 0xe0100 + 16)}), true
		}
		return "", false
	})
	if out == nil {
		out = hidden(v, "variation_selectors", "\xf3\xa0", func(r rune) (string, bool) {
			if r >= 0xe0100 && r <= 0xe01ef {
				return string([]byte{byte(r - 0xe0100 + 16)}), true
			}
			return "", false
		})
	}
	if out == nil || !textual(out.text) {
		return nil
	}
	return out
}

func hidden(v *view, name, mark string, of func(rune) (string, bool)) *view {
	first := strings.Index(v.text, mark)
	if first < 0 {
		return nil
	}
	w := &weaver{src: v}
	for i := first; i < len(v.text); {
		r, size := utf8.DecodeRuneInString(v.text[i:])
		if s, ok := of(r); ok {
			w.put(s, i, i+size)
		}
		i += size
	}
	if len(w.text) < 4 {
		return nil
	}
	return w.view(name)
}

// turned is the text that a right-to-left override shows, which stands in the file from its end to its beginning (Unicode
// Standard Annex 9).
func turned(v *view) *view {
	const override = "\u202e"
	at := strings.Index(v.text, override)
	if at < 0 {
		return nil
	}
	w := weave(v)
	for at >= 0 {
		start := at + len(override)
		end := start
		for end < len(v.text) {
			r, size := utf8.DecodeRuneInString(v.text[end:])
			if r == 0x202c || r == '\n' || r == 0x202e || r == 0x2069 {
				break
			}
			end += size
		}
		for i := end; i > start; {
			r, size := utf8.DecodeLastRuneInString(v.text[start:i])
			w.put(string(r), i-size, i)
			i -= size
		}
		w.put("\n", at, start)
		next := strings.Index(v.text[end:], override)
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

const minSpaced = 6 // letters in a row that are no initials any more

// spaced joins letters that stand apart: "i g n o r e", "i.g.n.o.r.e". Where more than one space or a line break parts
// them, a word begins.
func spaced(v *view) *view {
	var w *weaver
	kept := 0
	for i := lonely(v.text, 0); i+2*minSpaced-2 < len(v.text); {
		sep := v.text[i+1]
		if sep >= 'a' && sep <= 'z' { // most of all there is
			i = lonely(v.text, i+1)
			continue
		}
		if !wordByte(v.text[i]) || sep != ' ' && sep != '.' && sep != '-' && sep != '_' && sep != '*' || !wordByte(v.text[i+2]) || i > 0 && wordByte(v.text[i-1]) {
			i++
			continue
		}
		end, letters := i, 0
		var join []int // where letters stand; -1 for a gap between words
		for end < len(v.text) && wordByte(v.text[end]) && (end+1 >= len(v.text) || !wordByte(v.text[end+1])) {
			join = append(join, end)
			letters++
			end++
			gap := 0
			for end < len(v.text) && (v.text[end] == sep || v.text[end] == ' ' || v.text[end] == '\n') && gap < 4 {
				end++
				gap++
			}
			if gap == 0 {
				break
			}
			if gap > 1 {
				join = append(join, -1)
			}
		}
		if letters < minSpaced {
			i++
			continue
		}
		if w == nil {
			w = weave(v)
		}
		w.keep(kept, i)
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
		kept, i = end, end
	}
	if w == nil {
		return nil
	}
	w.keep(kept, len(v.text))
	return w.view("spaced_letters")
}

// lonely is where letters that stand apart may begin, from or after a place. Of the eleven bytes that the shortest such run has,
// eight stand at a multiple of four, and no two letters beside each other are among them.
func lonely(text string, from int) int {
	b := bytesOf(text)
	for at := (from + 3) &^ 3; at+8 <= len(b); at += 4 {
		x := binary.LittleEndian.Uint64(b[at:])
		low := x&^highBits | 0x20*eachByte                                                   // lower case, and other things
		letter := (low + (0x80-'a')*eachByte) &^ (low + (0x80-'{')*eachByte) &^ x & highBits // its top bit
		if letter&(letter>>8) == 0 && letter&(letter-1) != 0 {
			return max(from, at-3)
		}
	}
	return len(text)
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)
