package inspect

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A decoder undoes one encoding, in all places of a view where it stands. nil: it stands nowhere.
type decoder struct {
	name   string
	again  bool // it may stand inside itself
	decode func(*view) *view
}

// decoders in the order in which they are tried: what costs least first.
var decoders = []decoder{
	{"html_entities", true, entities},
	{"url_encoding", true, percents},
	{"escapes", false, escapes},
	{"base64", true, base64Blobs},
	{"hex", false, hexBlobs},
	{"tag_characters", false, tagText},
	{"variation_selectors", false, selectorText},
	{"reversed", false, turned},
	{"spaced_letters", false, spaced},
}

// entities undoes HTML character references (HTML Living Standard, 13.5), those without their semicolon left out.
func entities(v *view) *view {
	var w *weaver
	kept := 0
	for i := strings.IndexByte(v.text, '&'); i >= 0; {
		end := i + 1
		for end < len(v.text) && end-i < 34 && (v.text[end] == '#' || wordByte(v.text[end]) || v.text[end] >= '0' && v.text[end] <= '9') {
			end++
		}
		if end < len(v.text) && v.text[end] == ';' {
			end++
			if s := html.UnescapeString(v.text[i:end]); s != v.text[i:end] && utf8.ValidString(s) {
				if w == nil {
					w = weave(v)
				}
				w.keep(kept, i)
				w.put(s, i, end)
				kept = end
			}
		}
		next := strings.IndexByte(v.text[end:], '&')
		if next < 0 {
			break
		}
		i = end + next
	}
	if w == nil {
		return nil
	}
	w.keep(kept, len(v.text))
	return w.view("html_entities")
}

// percents undoes percent-encoding (RFC 3986, 2.1), where a run of it is UTF-8.
func percents(v *view) *view {
	var w *weaver
	kept, decoded := 0, 0
	for i := 0; i < len(v.text); {
		at := strings.IndexByte(v.text[i:], '%')
		if at < 0 {
			break
		}
		start := i + at
		end := start
		var run []byte
		for end+2 < len(v.text) && v.text[end] == '%' {
			b, err := strconv.ParseUint(v.text[end+1:end+3], 16, 8)
			if err != nil {
				break
			}
			run = append(run, byte(b))
			end += 3
		}
		if len(run) == 0 || !utf8.Valid(run) {
			i = max(end, start+1)
			continue
		}
		if w == nil {
			w = weave(v)
		}
		w.keep(kept, start)
		at = start
		for _, r := range string(run) {
			size := 3 * utf8.RuneLen(r)
			w.put(string(r), at, at+size)
			at += size
			decoded++
		}
		kept, i = end, end
	}
	if w == nil || decoded < 3 {
		return nil
	}
	w.keep(kept, len(v.text))
	return w.view("url_encoding")
}

// escapes undoes \xNN, \uNNNN with surrogates, \u{…} and \UNNNNNNNN, where three or more stand in a text.
func escapes(v *view) *view {
	var w *weaver
	kept, decoded := 0, 0
	for i := strings.IndexByte(v.text, '\\'); i >= 0; {
		r, size := escaped(v.text[i:])
		if size > 0 {
			if w == nil {
				w = weave(v)
			}
			w.keep(kept, i)
			w.put(string(r), i, i+size)
			kept = i + size
			decoded++
		}
		from := i + max(size, 1)
		next := strings.IndexByte(v.text[from:], '\\')
		if next < 0 {
			break
		}
		i = from + next
	}
	if decoded < 3 {
		return nil
	}
	w.keep(kept, len(v.text))
	return w.view("escapes")
}

func escaped(s string) (r rune, size int) {
	digits := func(from, n int) (rune, bool) {
		if len(s) < from+n {
			return 0, false
		}
		x, err := strconv.ParseUint(s[from:from+n], 16, 32)
		return rune(x), err == nil && utf8.ValidRune(rune(x)) || err == nil && x >= 0xd800 && x <= 0xdfff
	}
	if len(s) < 4 {
		return 0, 0
	}
	switch s[1] {
	case 'x':
		if r, ok := digits(2, 2); ok {
			return r, 4
		}
	case 'u':
		if s[2] == '{' {
			if end := strings.IndexByte(s[:min(len(s), 12)], '}'); end > 3 {
				if r, ok := digits(3, end-3); ok && utf8.ValidRune(r) {
					return r, end + 1
				}
			}
			return 0, 0
		}
		r, ok := digits(2, 4)
		if !ok {
			return 0, 0
		}
		if r >= 0xd800 && r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := digits(8, 4); ok && low >= 0xdc00 && low <= 0xdfff {
				return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
			}
		}
		if utf8.ValidRune(r) {
			return r, 6
		}
	case 'U':
		if r, ok := digits(2, 8); ok && utf8.ValidRune(r) {
			return r, 10
		}
	}
	return 0, 0
}

const (
	minBlob = 16       // characters: what is shorter holds no sentence
	maxBlob = 64 << 10 // characters of one blob that are looked at
)

// base64Blobs makes a view of the texts that stand in base64 or base64url (RFC 4648, 4 and 5) in another.
func base64Blobs(v *view) *view {
	return blobs(v, "base64", &base64Letters, func(s string) (string, bool) {
		if !mixed(s) {
			return "", false
		}
		enc := base64.RawStdEncoding
		if strings.ContainsAny(s, "-_") {
			enc = base64.RawURLEncoding
		}
		b, err := enc.DecodeString(s[:len(s)/4*4+tail(len(s))])
		return string(b), err == nil && textual(string(b))
	})
}

// tail is how many characters of a last, open group still hold a byte.
func tail(n int) int {
	if n%4 == 1 {
		return 0
	}
	return n % 4
}

// mixed says that a run of letters could be base64: words and paths are of one case, or hold no such mixture.
func mixed(s string) bool {
	upper, lower, turns := 0, 0, 0
	var last byte
	for i := range min(len(s), 256) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			upper++
			if last == 'l' {
				turns++
			}
			last = 'u'
		case c >= 'a' && c <= 'z':
			lower++
			if last == 'u' {
				turns++
			}
			last = 'l'
		default:
			last = 0
		}
	}
	return upper >= 3 && lower >= 3 && turns >= 3
}

func hexBlobs(v *view) *view {
	return blobs(v, "hex", &hexLetters, func(s string) (string, bool) {
		b, err := hex.DecodeString(s[:len(s)/2*2])
		return string(b), err == nil && textual(string(b))
	})
}

// The alphabets of blobs, by byte.
var (
	base64Letters = alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
	hexLetters    = alphabet("0123456789abcdefABCDEF")
)

func alphabet(letters string) (t [256]bool) {
	for i := range len(letters) {
		t[letters[i]] = true
	}
	return t
}

// blobs finds runs of an alphabet and puts what they hold into one view, a line each.
func blobs(v *view, name string, letters *[256]bool, decode func(string) (string, bool)) *view {
	var w *weaver
	for i := 0; i+minBlob <= len(v.text); {
		if !letters[v.text[i+minBlob-1]] { // what begins up to here ends here, and is too short
			i += minBlob
			continue
		}
		if !letters[v.text[i]] {
			i++
			continue
		}
		end := i + 1
		for end < len(v.text) && letters[v.text[end]] {
			end++
		}
		if end-i >= minBlob {
			part := v.text[i:min(end, i+maxBlob)]
			if s, ok := decode(part); ok {
				if w == nil {
					w = weave(v)
				}
				for at, r := range s { // each character stands for its share of the blob
					w.put(string(r), i+at*len(part)/len(s), min(i+(at+utf8.RuneLen(r))*len(part)/len(s)+1, i+len(part)))
				}
				w.put("\n", i, i+len(part))
			}
		}
		i = end
	}
	if w == nil {
		return nil
	}
	return w.view(name)
}

// textual says that decoded bytes are text: printable ASCII, which bytes of anything else are not by chance, or UTF-8
// without control characters that is mostly letters and spaces.
func textual(s string) bool {
	if len(s) < 8 || !utf8.ValidString(s) {
		return false
	}
	words, all, ascii := 0, 0, true
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r == utf8.RuneError {
			return false
		}
		all++
		ascii = ascii && r < 0x7f
		if unicode.IsLetter(r) || r == ' ' {
			words++
		}
	}
	return ascii && all >= 12 || words*10 >= all*6
}

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
	w := weave(&view{text: v.text[:0], from: v.from, to: v.to, chain: v.chain})
	w.src = v
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
	for i := 0; i+2*minSpaced < len(v.text); {
		sep := v.text[i+1]
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
