package decode

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder undoes one encoding everywhere in a view. It returns nil if there is none.
type decoder struct {
	name   string
	again  bool  // it may be nested in itself
	needs  marks // at least one of them is required; 0: it may be in any text
	row    bool  // it needs MinBlob letters of base64 in a row
	decode func(*View) *View
}

// decoders, cheapest first.
var decoders = []decoder{
	{"html_entities", true, markAmp, false, entities},
	{"url_encoding", true, markPercent, false, percents},
	{"escapes", true, markSlash, false, escapes},
	{"base64", true, 0, true, base64Blobs},
	{"hex", false, 0, true, hexBlobs},
	{"veiled", true, Wide, false, veiled},
	{"tag_characters", false, Wide, false, tagText},
	{"variation_selectors", false, Wide, false, selectorText},
	{"reversed", false, Wide, false, turned},
	{"spaced_letters", false, markLonely, false, spaced},
	{ControlsEncoding, false, ControlCharacters, false, withoutControls},
	{"letters_in_tags", false, markLonely, false, untagged},
	{"letters_in_quotes", false, markQuoted, false, unquoted},
	{"character_codes", false, markCoded, false, codes},
	{"glued_words", false, 0, true, glued},
	{"digits_for_letters", false, markLettered, false, lettered},
}

// entities undoes HTML character references (HTML Living Standard, 13.5), except those without a semicolon.
func entities(v *View) *View {
	w := weaver{src: v}
	for i, end := next(v.Text, 0, '&'), 0; i < len(v.Text); i = next(v.Text, end, '&') {
		end = i + 1
		for end < len(v.Text) && end-i < 34 && (v.Text[end] == '#' || wordByte(v.Text[end]) || v.Text[end] >= '0' && v.Text[end] <= '9') {
			end++
		}
		if end < len(v.Text) && v.Text[end] == ';' {
			end++
			if s := html.UnescapeString(v.Text[i:end]); s != v.Text[i:end] && utf8.ValidString(s) {
				w.replace(s, i, end)
			}
		}
	}
	return w.rest("html_entities")
}

// percents undoes percent-encoding (RFC 3986, 2.1) if a run of it is UTF-8.
func percents(v *View) *View {
	w, decoded := weaver{src: v}, 0
	for i := next(v.Text, 0, '%'); i < len(v.Text); i = next(v.Text, i, '%') {
		at, end := i, i
		var run []byte
		for end+2 < len(v.Text) && v.Text[end] == '%' {
			b, err := strconv.ParseUint(v.Text[end+1:end+3], 16, 8)
			if err != nil {
				break
			}
			run = append(run, byte(b))
			end += 3
		}
		if len(run) == 0 || !utf8.Valid(run) {
			i = max(end, i+1)
			continue
		}
		for _, r := range string(run) {
			size := 3 * utf8.RuneLen(r)
			w.replace(string(r), at, at+size)
			at += size
			decoded++
		}
		i = end
	}
	if decoded < 3 {
		return nil
	}
	return w.rest("url_encoding")
}

// escapes undoes \xNN, \uNNNN with surrogates, \u{…} and \UNNNNNNNN, if a text has three or more.
func escapes(v *View) *View {
	w, decoded := weaver{src: v}, 0
	for i := next(v.Text, 0, '\\'); i < len(v.Text); {
		r, size := escaped(v.Text[i:])
		if size == 4 && r >= utf8.RuneSelf { // a byte of a character, in most languages
			if whole, n := escapedBytes(v.Text[i:]); n > 0 {
				r, size = whole, n
			}
		}
		if size > 0 {
			start := i
			for start > w.past && v.Text[start-1] == '\\' { // escaped once more, like JSON in JSON
				start--
			}
			w.replace(string(r), start, i+size)
			decoded++
		}
		i = next(v.Text, i+max(size, 1), '\\')
	}
	if decoded < 3 {
		return nil
	}
	return w.rest("escapes")
}

// escapedBytes is the character that several \xNN spell in UTF-8.
func escapedBytes(s string) (r rune, size int) {
	var b [utf8.UTFMax]byte
	n := 0
	for n < len(b) && len(s) >= 4*n+4 && s[4*n] == '\\' && s[4*n+1] == 'x' {
		x, err := strconv.ParseUint(s[4*n+2:4*n+4], 16, 8)
		if err != nil {
			break
		}
		b[n] = byte(x)
		n++
	}
	r, used := utf8.DecodeRune(b[:n])
	if used < 2 {
		return 0, 0
	}
	return r, 4 * used
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
