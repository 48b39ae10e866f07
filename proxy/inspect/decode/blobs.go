package decode

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

const (
	MinBlob = 16       // characters; a shorter blob holds no sentence
	maxBlob = 64 << 10 // characters of one blob decoded at once
	share   = 6        // bytes of a blob that share one place

	mixedLeast = 3 // least number of capitals, small letters and changes between them in base64 of a text
)

// base64Blobs makes a view of the texts in base64 or base64url (RFC 4648, 4 and 5) within another text.
func base64Blobs(v *View) *View {
	return decodeBlobs(v, "base64", &Base64Letters, func(s string) (string, bool) {
		b, ok := fromBase64(s)
		return string(b), ok
	})
}

// fromBase64 decodes a run of letters of base64 or base64url, without the signs that fill it up.
func fromBase64(run string) ([]byte, bool) {
	if !mixed(run) {
		return nil, false
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(run)%4 == 1 { // one character of a group encodes no byte
		run = run[:len(run)-1]
	}
	b, err := enc.DecodeString(run)
	return b, err == nil
}

// PlainText is what a run of letters of base64 or of hexadecimal digits encodes, if that is printable ASCII.
func PlainText(run string) (text string, ok bool) {
	var b []byte
	if strings.Trim(run, "0123456789abcdefABCDEF") != "" {
		b, ok = fromBase64(run)
	} else if len(run)%2 == 0 && HexOfText(run) {
		var err error
		b, err = hex.DecodeString(run)
		ok = err == nil
	}
	return string(b), ok && !slices.ContainsFunc(b, func(c byte) bool { return !printable(c) })
}

// printable reports whether a byte is a character of ASCII that texts have.
func printable(c byte) bool { return c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r' }

// mixed reports whether a run of letters could be base64: words and paths have one case, or no such mixture.
func mixed(s string) bool {
	if Capitals(s[:min(len(s), Zone)]) < mixedLeast { // a UUID, a path, words
		return false
	}
	upper, lower, turns := 0, 0, 0
	var last byte
	for i := range min(len(s), Zone) {
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
	return upper >= mixedLeast && lower >= mixedLeast && turns >= mixedLeast
}

func hexBlobs(v *View) *View {
	return decodeBlobs(v, "hex", &HexLetters, func(s string) (string, bool) {
		b, err := hex.DecodeString(s[:len(s)/2*2])
		return string(b), err == nil
	})
}

// hasBlob reports whether a text may contain a blob of text, or words without blanks between them.
func hasBlob(text string) bool {
	for i := NextRun(text, 0, MinBlob, &Base64Letters); i < len(text); {
		end, digits, letters := i, 0, 0 // hexadecimal digits, and letters, in a row
		for end < len(text) && Base64Letters[text[end]] {
			if letters++; !plainLetters[text[end]] {
				letters = 0
			} else if letters == minGlued {
				return true
			}
			if digits++; !HexLetters[text[end]] {
				digits = 0
			}
			if end++; digits == MinBlob && HexOfText(text[end-MinBlob:end]) {
				return true
			}
		}
		if mixed(text[i:end]) {
			return true
		}
		i = NextRun(text, end, MinBlob, &Base64Letters)
	}
	return false
}

// NextRun is the start of the next n letters in a row, at i or after it; len(text) if there are none.
func NextRun(text string, i, n int, letters *[256]bool) int {
	for i+n <= len(text) {
		last := i + n - 1 // of a run that begins here
		for last >= i && letters[text[last]] {
			last--
		}
		if last < i {
			return i
		}
		i = last + 1 // no run begins before this
	}
	return len(text)
}

// HexOfText reports whether hexadecimal digits may encode text: the bytes of a hash soon include one that text doesn't have.
func HexOfText(digits string) bool {
	follows := false // the previous byte starts or continues a multi-byte character
	for i := 0; i+1 < len(digits); i += 2 {
		switch c := digits[i] | 0x20; {
		case c >= '2' && c <= '7' || digits[i] >= '2' && digits[i] <= '7':
			follows = false
		case digits[i] == '0':
			switch digits[i+1] | 0x20 {
			case '9', 'a', 'd':
				follows = false
			default:
				return false
			}
		case c >= 'c' && c <= 'f':
			follows = true
		case (c == 'a' || c == 'b' || digits[i] == '8' || digits[i] == '9') && follows:
		default:
			return false
		}
	}
	return true
}

// The alphabets of blobs, by byte, as literals, so that a wrapper's start computes nothing.
var Base64Letters = [256]bool{
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true,
	'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true,
	'W': true, 'X': true, 'Y': true, 'Z': true, 'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true,
	'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true,
	's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true, '0': true, '1': true, '2': true,
	'3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true, '+': true, '/': true, '-': true, '_': true,
}

var HexLetters = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true, 'a': true,
	'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true,
}

// decodeBlobs finds runs of an alphabet and puts their decoded content into one view, one per line.
func decodeBlobs(v *View, name string, letters *[256]bool, decode func(string) (string, bool)) *View {
	w := weaver{src: v}
	alone := 0 // up to here lines are tried one by one
	for i := NextRun(v.Text, 0, MinBlob, letters); i < len(v.Text); i = NextRun(v.Text, i, MinBlob, letters) {
		end := i + MinBlob
		for end < len(v.Text) && letters[v.Text[end]] {
			end++
		}
		stop := end
		if i >= alone {
			stop = wrapped(v.Text, i, end, letters)
		}
		done := w.blob(i, stop, decode)
		if done == stop || stop == end {
			i = stop
			continue
		}
		// Lines that are not one blob together may each be one. They are not tried together again.
		alone = stop
		if done == i {
			w.blob(i, end, decode)
			i = end
		} else {
			i = done + strings.IndexByte(v.Text[done:stop], '\n') + 1
		}
	}
	if len(w.text) == 0 {
		return nil
	}
	return w.view(name)
}

// wrapped is the end of a blob whose first line is text[i:end]: it continues in lines of the same length, the last one perhaps shorter.
func wrapped(text string, i, end int, letters *[256]bool) int {
	line := end - i
	for {
		next := end
		if next < len(text) && text[next] == '\r' {
			next++
		}
		if next >= len(text) || text[next] != '\n' {
			return end
		}
		next++
		stop := next
		for stop < len(text) && stop-next <= line && letters[text[stop]] {
			stop++
		}
		if stop == next || stop-next > line {
			return end
		}
		if end = stop; stop-next < line {
			return end
		}
	}
}

// blob writes the text encoded in src.text[start:end], a part at a time, and returns where it stops being a blob.
func (w *weaver) blob(start, end int, decode func(string) (string, bool)) (done int) {
	raw := end - start
	letters := w.src.Text[start:end]
	if strings.IndexByte(letters, '\n') >= 0 {
		letters = unbroken(letters)
	}
	place := func(at int) int { return start + at*raw/len(letters) }
	done = start
	for from := 0; from < len(letters); from += maxBlob {
		part := letters[from:min(from+maxBlob, len(letters))]
		s, ok := decode(part)
		if !ok || !Textual(wholeCharacters(s, from > 0, from+len(part) < len(letters))) {
			break
		}
		done = place(from + len(part))
		for at := 0; at < len(s); at += share { // a few characters stand for their share of the blob
			next := min(at+share, len(s))
			w.put(s[at:next], place(from+at*len(part)/len(s)), min(place(from+next*len(part)/len(s))+1, end))
		}
	}
	if done > start {
		w.put("\n", start, end)
	}
	return done
}

// unbroken is a text without line breaks.
func unbroken(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] != '\n' && s[i] != '\r' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// wholeCharacters is s without partial characters at an end where it was cut.
func wholeCharacters(s string, before, after bool) string {
	for n := 0; before && n < utf8.UTFMax-1 && s != "" && !utf8.RuneStart(s[0]); n++ {
		s = s[1:]
	}
	for n := 1; after && n < utf8.UTFMax && n <= len(s); n++ {
		if utf8.RuneStart(s[len(s)-n]) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				s = s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// carries reports whether a character is unlikely in random bytes and may belong to text hidden once more: by invisible characters, marks
// over letters, other forms of letters.
func carries(r rune) bool {
	c := legible.ClassOf(r)
	return c != legible.Ordinary && c != legible.Control || compatible(r) || unicode.IsMark(r)
}

// control reports whether r is an ASCII control that no text has.
func control(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f }

// Textual reports whether decoded bytes are text: printable ASCII, which other data is not by chance, or UTF-8 without control characters
// that is mostly letters and spaces.
func Textual(s string) bool {
	if len(s) < 8 || !utf8.ValidString(s) {
		return false
	}
	words, all, ascii := 0, 0, true
	for _, r := range s {
		if control(r) || r == utf8.RuneError {
			return false
		}
		all++
		ascii = ascii && r < 0x7f
		if unicode.IsLetter(r) || r == ' ' || r >= utf8.RuneSelf && carries(r) {
			words++
		}
	}
	return ascii && all >= 12 || words*10 >= all*6
}
