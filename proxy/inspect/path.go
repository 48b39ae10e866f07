package inspect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Member is the path of a member of the object at where: "inputSchema.properties.city", or `_meta["io.x/y"]` if the key is not a plain
// word. Keys are server text: escape a path before you print it.
func Member(where, key string) string {
	if !word(key) {
		return where + "[" + strconv.Quote(cut.Runes(key, maxMatch)) + "]"
	}
	if where == "" {
		return key
	}
	return where + "." + key
}

func Element(where string, index int) string {
	return where + "[" + strconv.Itoa(index) + "]"
}

func word(key string) bool {
	if key == "" || len(key) > maxMatch {
		return false
	}
	for i := range len(key) {
		if !inWord[key[i]] {
			return false
		}
	}
	return true
}

// inWord are the bytes of plain names.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = decode.Base64Letters[c] && c != '+' && c != '/' || c == '$'
	}
	return in
}()

// cutSegment takes the first step off a path: `key`, `["a key"]` or `[3]`, as written by Member and Element.
func cutSegment(path string) (segment, rest string, ok bool) {
	if path[0] == '[' {
		end := strings.IndexByte(path, ']')
		if len(path) > 1 && path[1] == '"' {
			for end = 2; end < len(path) && path[end] != '"'; end++ {
				if path[end] == '\\' {
					end++
				}
			}
			end++
			if end >= len(path) || path[end] != ']' {
				return "", "", false
			}
		}
		if end < 0 {
			return "", "", false
		}
		segment, rest = path[:end+1], path[end+1:]
	} else if end := strings.IndexAny(path, ".["); end >= 0 {
		segment, rest = path[:end], path[end:]
	} else {
		segment = path
	}
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		ok = rest != ""
	} else {
		ok = rest == "" || rest[0] == '['
	}
	return segment, rest, ok && segment != ""
}

// Locate returns the place of a finding in raw: its words in the string or key at its path, else the value there, else the nearest existing
// value above it. definition is the value that the path starts from.
func Locate(raw []byte, definition frame.Span, f Finding) frame.Span {
	at, _ := locate(raw, definition, f)
	return at
}

// site is what Locate has found.
type site uint8

const (
	inValue site = iota // a whole value
	inText              // a part of a string
	inKey               // a key, or a part of it
)

func locate(raw []byte, definition frame.Span, f Finding) (frame.Span, site) {
	at := definition
	for path := f.Where; path != ""; {
		segment, rest, ok := cutSegment(path)
		if !ok {
			return at, inValue
		}
		var next, key frame.Span
		var name string
		frame.Elements(raw, at, func(i int, e frame.Span) bool {
			if Element("", i) == segment {
				next = e
			}
			return next.Empty()
		})
		frame.Members(raw, at, func(k string, m frame.Member) bool {
			if Member("", k) == segment {
				next, key, name = m.Value, m.Key, k
			}
			return next.Empty()
		})
		if next.Empty() {
			return at, inValue
		}
		at, path = next, rest
		if path == "" && !key.Empty() && f.quotes(name) && !f.quotes(textAt(raw, at)) {
			return within(raw, key, f), inKey
		}
	}
	if frame.Type(raw, at) != '"' {
		return at, inValue
	}
	if part := within(raw, at, f); part != at {
		return part, inText
	}
	return at, inValue
}

// within returns the part of a string that a finding is about, without quotes; or the whole string, with quotes, if it has no such part.
func within(raw []byte, v frame.Span, f Finding) frame.Span {
	if f.Start < 0 || f.End <= f.Start || f.End > len(textAt(raw, v)) {
		return v
	}
	at := escapedAt{raw: raw[v.Start+1 : v.End-1]}
	start := at.offset(f.Start)
	return frame.Span{Start: v.Start + 1 + start, End: v.Start + 1 + at.offset(f.End)}
}

// textAt is the string at a path below a value, "" if there is none.
func textAt(raw []byte, v frame.Span, path ...string) string {
	at, _ := frame.Find(raw, v, path...)
	text, _ := frame.String(raw, at)
	return text
}

// escapedAt maps offsets of a decoded string to its raw form. Offsets must be increasing.
type escapedAt struct {
	raw     []byte
	at      int // in raw
	decoded int // the same offset, decoded
}

func (e *escapedAt) offset(want int) int {
	for e.decoded < want && e.at < len(e.raw) {
		size, length := 1, 1
		if e.raw[e.at] == '\\' {
			size = 2
			if e.raw[e.at+1] == 'u' {
				size, length = unicodeEscape(e.raw[e.at:])
			}
		}
		if e.decoded+length > want && size > 1 && length > 1 { // inside a character: take all of it
			return e.at + size
		}
		e.at += size
		e.decoded += length
	}
	return e.at
}

// unicodeEscape returns the size of an escape at the start of raw (both halves of a pair), and how many bytes of UTF-8 it decodes to.
func unicodeEscape(raw []byte) (size, length int) {
	if len(raw) < 6 {
		return len(raw), 1
	}
	decoded, wellFormed := frame.StringBytes(slices.Concat([]byte{'"'}, raw[:6], []byte{'"'}), frame.Span{Start: 0, End: 8})
	if wellFormed || len(raw) < 12 || raw[6] != '\\' || raw[7] != 'u' {
		return 6, len(decoded)
	}
	pair, wellFormed := frame.StringBytes(slices.Concat([]byte{'"'}, raw[:12], []byte{'"'}), frame.Span{Start: 0, End: 14})
	if wellFormed {
		return 12, len(pair)
	}
	return 6, len(decoded)
}
