// Package legible makes strangers' text safe for a person to read. It knows what each character does to a reader: which are invisible,
// which turn the direction of a line, which look like others, what a terminal would obey.
//
// Escape and EscapeJSON spell out what cannot be seen. Name, PersonName and ToldName are the only ways for a name that somebody else chose
// to get into a sentence of ours. All are pure, and clean text comes back as it is. The package judges nothing: package inspect decides
// what a character means as a sign of an attack.
package legible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes server text safe to print: nothing in it moves a cursor, changes a colour, turns the direction of a line or stays invisible.
// Tab, LF and CRLF stay. C0 controls and DEL become \x1b, other invisible characters <U+200B ZERO WIDTH SPACE>, several of one kind <U+200B
// ZERO WIDTH SPACE ×14>, tag characters <10 TAG CHARACTERS "ignore all">, invalid UTF-8 \xff. White space that only looks like a space is
// spelled out too (<U+00A0 NO-BREAK SPACE>), so that a difference in one such character is visible.
//
// The result is for reading and cannot be undone: a text may contain the letters "<U+200B". Escaping it again changes nothing. To print an
// exact value, use EscapeJSON.
func Escape(s string) string {
	first := firstOdd(s)
	if first < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 64)
	b.WriteString(s[:first])
	for i := first; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
			b.WriteString("\r\n")
			size = 2
		case !Odd(r):
			b.WriteString(s[i : i+size])
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case ClassOf(r) == Tag:
			size = escapeTags(&b, s[i:])
		default:
			size = escapeRun(&b, s[i:], r, size)
		}
		i += size
	}
	return b.String()
}

func firstOdd(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if Odd(r) || r == utf8.RuneError && size == 1 {
				return i
			}
			i += size - 1
			continue
		}
		if c >= 0x20 && c != 0x7f || c == '\t' || c == '\n' || c == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			continue
		}
		return i
	}
	return -1
}

func escapeTags(b *strings.Builder, s string) int {
	n, count := 0, 0
	var message []byte
	for _, r := range s {
		if ClassOf(r) != Tag {
			break
		}
		if letter, ok := TagByte(r); ok {
			message = append(message, letter)
		}
		n += utf8.RuneLen(r)
		count++
	}
	noun := "CHARACTERS"
	if count == 1 {
		noun = "CHARACTER"
	}
	fmt.Fprintf(b, "<%d TAG %s %q>", count, noun, message)
	return n
}

func escapeRun(b *strings.Builder, s string, r rune, size int) int {
	n, count := size, 1
	for {
		next, more := utf8.DecodeRuneInString(s[n:])
		if more == 0 || next != r || next == utf8.RuneError && more == 1 {
			break
		}
		n += more
		count++
	}
	fmt.Fprintf(b, "<U+%04X", r)
	if name := CharacterName(r); name != "" {
		b.WriteString(" " + name)
	}
	if count > 1 {
		fmt.Fprintf(b, " ×%d", count)
	}
	b.WriteByte('>')
	return n
}

// EscapeJSON spells the same characters inside the strings of a JSON value as \uXXXX, so that it can be printed and still means the same to
// every JSON parser. raw must be valid JSON, which is ASCII outside strings.
func EscapeJSON(raw []byte) []byte {
	first := firstOddJSON(raw)
	if first < 0 {
		return raw
	}
	out := make([]byte, first, len(raw)+64)
	copy(out, raw)
	for i := first; i < len(raw); {
		if c := raw[i]; c < utf8.RuneSelf {
			if c == 0x7f {
				out = append(out, `\u007f`...)
			} else if c == '\r' && !(i+1 < len(raw) && raw[i+1] == '\n') {
				out = append(out, ' ') // white space between tokens; JSON allows no CR in a string
			} else {
				out = append(out, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...) // not valid JSON: as most parsers read it
		case !Odd(r):
			out = append(out, raw[i:i+size]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

func firstOddJSON(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c < utf8.RuneSelf {
			if c == 0x7f || c == '\r' {
				return i
			}
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if Odd(r) || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size - 1
	}
	return -1
}

// Text cleans a stranger's text for a record or a row: one line, no invisible characters or ones that change how others are shown, at most
// most characters. Never put it into a sentence of ours.
func Text(text string, most int) string {
	var out strings.Builder
	n, blank := 0, false
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if unicode.IsSpace(r) {
			blank = n > 0
			continue
		}
		if Hidden(r) || unicode.Is(unicode.Co, r) {
			continue
		}
		room := most - n
		if blank {
			room--
		}
		if room <= 0 {
			break
		}
		if blank {
			out.WriteByte(' ')
			n, blank = n+1, false
		}
		out.WriteRune(r)
		n++
	}
	return out.String()
}
