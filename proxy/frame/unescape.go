package frame

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// lone says how unescaping treats a surrogate without its other half.
type lone uint8

const (
	replaceLone lone = iota // U+FFFD, as most decoders do
	keepLone                // its three bytes of generalized UTF-8, which no valid text contains, so different strings stay different
)

// String decodes a string value. wellFormed is false for a lone surrogate (it becomes U+FFFD), for invalid UTF-8 and for a value that is
// not a string ("").
func String(raw []byte, v Span) (s string, wellFormed bool) {
	b, wellFormed := StringBytes(raw, v)
	return string(b), wellFormed
}

// StringBytes is like String, but points into raw if the string has no escape.
func StringBytes(raw []byte, v Span) (decoded []byte, wellFormed bool) {
	content, ok := quoted(v.Of(raw))
	if !ok {
		return nil, false
	}
	if !hasEscape(content) {
		return content, utf8.Valid(content)
	}
	decoded, ok = appendUnescaped(make([]byte, 0, len(content)), content, replaceLone)
	return decoded, ok && utf8.Valid(decoded)
}

// AppendText decodes a string value, as StringBytes does, into the caller's buffer. text points into raw if the string has no escape;
// buffer is then dst unchanged.
func AppendText(dst, raw []byte, v Span) (text, buffer []byte) {
	content, ok := quoted(v.Of(raw))
	if !ok {
		return nil, dst
	}
	if !hasEscape(content) {
		return content, dst
	}
	buffer, _ = appendUnescaped(dst, content, replaceLone)
	return buffer[len(dst):], buffer
}

// quoted returns what is between the quotes of a string.
func quoted(b []byte) (content []byte, ok bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, false
	}
	return b[1 : len(b)-1 : len(b)-1], true
}

// keyText decodes a key without a copy if there is no escape: the text is then valid as long as raw is unchanged.
func keyText(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	if hasEscape(content) {
		decoded, _ := appendUnescaped(nil, content, replaceLone)
		return string(decoded)
	}
	return unsafe.String(&content[0], len(content))
}

// KeyIs reports whether a key, unescaped, is name.
func KeyIs(content []byte, name string) bool {
	if !hasEscape(content) {
		return string(content) == name
	}
	if len(content) > 6*len(name) { // no escape is longer than six bytes
		return false
	}
	var small [64]byte
	decoded, _ := appendUnescaped(small[:0], content, replaceLone)
	return string(decoded) == name
}

// appendUnescaped appends the content of a string with its escapes resolved. ok is false for a lone surrogate or an escape that JSON does
// not have (which is copied as it is).
func appendUnescaped(dst, content []byte, onLone lone) (_ []byte, ok bool) {
	ok = true
	for {
		i := 0
		if len(content) == 0 || content[0] != '\\' {
			i = bytes.IndexByte(content, '\\')
			if i < 0 {
				return append(dst, content...), ok
			}
			dst = append(dst, content[:i]...)
		}
		if i+1 < len(content) {
			if c := short[content[i+1]]; c != 0 {
				dst = append(dst, c)
				content = content[i+2:]
				continue
			}
		}
		r, size, valid := unescape(content[i:])
		content = content[i+size:]
		switch {
		case !valid:
			ok = false
			dst = append(dst, '\\')
		case !utf16.IsSurrogate(r):
			dst = utf8.AppendRune(dst, r)
		default:
			if low, lowSize, lowValid := unescape(content); lowValid {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					dst = utf8.AppendRune(dst, pair)
					content = content[lowSize:]
					continue
				}
			}
			ok = false
			if onLone == keepLone {
				dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			} else {
				dst = append(dst, "\uFFFD"...)
			}
		}
	}
}

// short are the two-byte escapes (RFC 8259, 7), by their second byte.
var short = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads one escape at the start of b: one UTF-16 code unit. Anything else has size 1 and is not valid.
func unescape(b []byte) (r rune, size int, valid bool) {
	if len(b) < 2 || b[0] != '\\' {
		return 0, min(1, len(b)), false
	}
	if c := short[b[1]]; c != 0 {
		return rune(c), 2, true
	}
	if b[1] == 'u' && len(b) >= 6 {
		for _, c := range b[2:6] {
			if !isHex(c) {
				return 0, 1, false
			}
			d := rune(c - '0')
			if c > '9' {
				d = rune(c|0x20-'a') + 10
			}
			r = r<<4 | d
		}
		return r, 6, true
	}
	return 0, 1, false
}

func hasEscape(content []byte) bool { return bytes.IndexByte(content, '\\') >= 0 }

// AppendString appends s as a JSON string. `<`, `>` and `&` stay as they are; invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			dst = append(dst, s[from:i]...)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, s[from:i]...)
			dst = appendEscaped(dst, c)
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends the shortest escape of a quote, a backslash or a control character.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
