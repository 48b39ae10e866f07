package frame

import (
	"bytes"
	"slices"
)

// AppendCanonical appends a value in one canonical form: members sorted by decoded key (by UTF-8 bytes, which is code point order), no
// white space, each character of a string in one spelling, numbers as written (1.0 is not 1: going through float64 would make different
// schemas equal). A lone surrogate stays `\ud800`. The error is a *Problem: the value is not JSON, is too deep, or has a key twice.
func AppendCanonical(dst []byte, raw []byte, v Span) ([]byte, error) {
	value := v.Of(raw)
	var s scanner
	s.begin(value)
	if p := s.document(placeExact); p != nil {
		p.Offset += v.Start
		return dst, p
	}
	c := canonical{raw: value}
	c.index(Root(value))
	return c.append(dst, 0), nil
}

// canonical lists the parts of a value in order. Each part knows its next sibling, so that no text is searched again at every level of
// nesting.
type canonical struct {
	raw   []byte
	parts []part
}

type part struct {
	span Span
	next int // the part after this one and everything inside it
}

// index lists the value and everything inside it. The grammar has been checked.
func (c *canonical) index(root Span) {
	var open []int
	for i := root.Start; i < root.End; {
		switch b := c.raw[i]; b {
		case '{', '[':
			open = append(open, len(c.parts))
			c.parts = append(c.parts, part{span: Span{i, i + 1}})
			i++
		case '}', ']':
			n := open[len(open)-1]
			open = open[:len(open)-1]
			c.parts[n].span.End, c.parts[n].next = i+1, len(c.parts)
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
		default:
			end := skipValue(c.raw, i, root.End)
			c.parts = append(c.parts, part{span: Span{i, end}, next: len(c.parts) + 1})
			i = end
		}
	}
}

// append appends part n. It recurses at most MaxDepth levels.
func (c *canonical) append(dst []byte, n int) []byte {
	p := c.parts[n]
	switch c.raw[p.span.Start] {
	case '"':
		return appendCanonicalString(dst, p.span.Of(c.raw))
	case '[':
		dst = append(dst, '[')
		for child := n + 1; child < p.next; child = c.parts[child].next {
			if child > n+1 {
				dst = append(dst, ',')
			}
			dst = c.append(dst, child)
		}
		return append(dst, ']')
	case '{':
		type member struct {
			key  []byte
			part int
		}
		var members []member
		for key := n + 1; key < p.next; {
			content, _ := quoted(c.parts[key].span.Of(c.raw))
			if hasEscape(content) {
				content, _ = appendUnescaped(nil, content, keepLone)
			}
			members = append(members, member{content, key + 1})
			key = c.parts[key+1].next
		}
		slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.key, b.key) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCanonicalString(dst, c.parts[m.part-1].span.Of(c.raw))
			dst = append(dst, ':')
			dst = c.append(dst, m.part)
		}
		return append(dst, '}')
	}
	return append(dst, p.span.Of(c.raw)...)
}

// appendCanonicalString appends a string with each character in its one spelling: itself, or the shortest escape if JSON requires one.
func appendCanonicalString(dst, value []byte) []byte {
	content, _ := quoted(value)
	if !hasEscape(content) {
		return append(dst, value...) // no control characters either: the grammar refuses raw ones
	}
	decoded, wellFormed := appendUnescaped(nil, content, keepLone)
	dst = append(dst, '"')
	for i := 0; i < len(decoded); i++ {
		c := decoded[i]
		switch {
		case c < 0x20 || c == '"' || c == '\\':
			dst = appendEscaped(dst, c)
		case !wellFormed && c == 0xED && decoded[i+1] >= 0xA0:
			// Valid UTF-8 never has 0xED before 0xA0 and above: a lone surrogate.
			unit := 0xD000 | uint16(decoded[i+1]&0x3F)<<6 | uint16(decoded[i+2]&0x3F)
			dst = append(dst, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
