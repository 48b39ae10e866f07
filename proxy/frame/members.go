package frame

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Member is one member of an object.
type Member struct {
	Key   Span // with its quotes
	Value Span
	Cut   Span // in Message.Ours only: the span to remove, comma included, when all members in Ours are removed
}

// Members visits the members of an object in order until visit returns false. key is decoded (U+FFFD for a lone surrogate) and points into
// raw unless it has an escape: strings.Clone one that must outlive the line.
func Members(raw []byte, object Span, visit func(key string, m Member) bool) {
	members(raw, object, func(content []byte, m Member) bool { return visit(keyText(content), m) })
}

// members is Members with the raw key between its quotes.
func members(raw []byte, object Span, visit func(content []byte, m Member) bool) {
	if Type(raw, object) != '{' {
		return
	}
	raw = raw[:object.End]
	i, end := object.Start+1, object.End
	for {
		var m Member
		i = skipSpace(raw, i)
		if i >= end || raw[i] != '"' {
			return
		}
		m.Key.Start = i
		i = skipQuoted(raw, i, end)
		m.Key.End = i
		content, ok := quoted(m.Key.Of(raw))
		i = skipSpace(raw, i)
		if !ok || i >= end || raw[i] != ':' {
			return
		}
		i = skipSpace(raw, i+1)
		m.Value.Start = i
		i = skipValue(raw, i, end)
		m.Value.End = i
		if m.Value.Empty() || !visit(content, m) {
			return
		}
		i = skipSpace(raw, i)
		if i >= end || raw[i] != ',' {
			return
		}
		i++
	}
}

// Elements visits the elements of an array in order, counted from 0, until visit returns false.
func Elements(raw []byte, array Span, visit func(i int, value Span) bool) {
	if Type(raw, array) != '[' {
		return
	}
	raw = raw[:array.End]
	i, end := array.Start+1, array.End
	for n := 0; ; n++ {
		i = skipSpace(raw, i)
		v := Span{i, skipValue(raw, i, end)}
		if v.Empty() || !visit(n, v) {
			return
		}
		i = skipSpace(raw, v.End)
		if i >= end || raw[i] != ',' {
			return
		}
		i++
	}
}

// Find follows decoded keys through nested objects: Find(raw, params, "ref", "uri").
func Find(raw []byte, object Span, path ...string) (Span, bool) {
	at := object
	for _, name := range path {
		var found bool
		members(raw, at, func(content []byte, m Member) bool {
			if KeyIs(content, name) {
				at, found = m.Value, true
			}
			return !found
		})
		if !found {
			return Span{}, false
		}
	}
	return at, !at.Empty()
}

// skipValue returns the offset after the value at raw[i], at most end; i itself if no value can start there. It trusts the grammar and
// counts depth instead of recursing.
func skipValue(raw []byte, i, end int) int {
	if i >= end {
		return i
	}
	switch raw[i] {
	case '"':
		return skipQuoted(raw, i, end)
	case '{', '[':
		depth := 0
		for i < end {
			switch raw[i] {
			case '"':
				i = skipQuoted(raw, i, end)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return end
	}
	for i < end {
		switch raw[i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return end
}

// skipQuoted returns the offset after the closing quote of the string that opens at raw[i], or end.
func skipQuoted(raw []byte, i, end int) int {
	i++
	for {
		i += IndexSpecial(raw[min(i, end):end])
		if i >= end {
			return end
		}
		if raw[i] == '"' {
			return i + 1
		}
		i += 2
	}
}

// IndexSpecial returns the offset of the first quote or backslash in b, or len(b).
func IndexSpecial(b []byte) int {
	const short, step = 64, 1024 // bytes: a long text is searched faster for one after the other, but not beyond where either may be
	i := 0
	for i+8 <= len(b) {
		if i == short {
			for i+step <= len(b) {
				next := b[i : i+step]
				quote := bytes.IndexByte(next, '"')
				if quote >= 0 {
					next = next[:quote]
				}
				if slash := bytes.IndexByte(next, '\\'); slash >= 0 {
					return i + slash
				}
				if quote >= 0 {
					return i + quote
				}
				i += step
			}
			if i+8 > len(b) {
				break
			}
		}
		x := binary.LittleEndian.Uint64(b[i:])
		quote := x ^ '"'*ones
		slash := x ^ '\\'*ones
		if m := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}
