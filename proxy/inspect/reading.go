package inspect

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/frame"
)

// reading goes through a JSON value once, in order, and passes every string and key to a reader. Unlike walk, which follows the parts of a
// definition, it never visits a byte twice, however deep the nesting.
type reading struct {
	raw   []byte
	stack []container
	room  []byte // buffer for texts with escapes

	number func(literal string) // takes each number; may be nil

	from, to int      // the current string, with its quotes
	ways     []string // Field.Ways
}

// maxRoom is the largest buffer kept for the next value.
const maxRoom = 256 << 10

// container is an open object or array.
type container struct {
	array    bool
	awaits   bool // an object waiting for a key
	index    int
	start    int
	from, to int  // the current key, with its quotes
	escaped  bool // it has an escape
}

// reader receives texts. Each is only valid until the next: it may point into the value.
type reader interface {
	read(r *reading, text string, key bool)
}

// strings passes all strings of raw, which must have passed frame.Validate or frame.Scan. whole is false if it nests too deeply.
func (r *reading) strings(raw []byte, to reader) (whole bool) {
	r.raw, r.stack = raw, r.stack[:0]
	defer func() {
		if cap(r.room) > maxRoom {
			r.room = nil
		}
	}()
	for i := 0; i < len(raw); {
		c := raw[i]
		if !structural[c] {
			if r.number != nil && (c >= '0' && c <= '9' || c == '-') {
				i = r.numberAt(i)
				continue
			}
			i++
			continue
		}
		switch c {
		case '"':
			end, escaped := skipString(raw, i)
			r.string(i, end, escaped, to)
			i = end
			continue
		case '{', '[':
			if len(r.stack) >= maxDepth {
				return false
			}
			r.stack = append(r.stack, container{array: c == '[', awaits: c == '{', start: i})
		case '}', ']':
			if len(r.stack) > 0 {
				r.stack = r.stack[:len(r.stack)-1]
			}
		case ',':
			if n := len(r.stack); n > 0 {
				r.stack[n-1].index++
				r.stack[n-1].awaits = !r.stack[n-1].array
			}
		}
		i++
	}
	return true
}

// numberAt passes the number that begins at raw[i], and returns the offset after it.
func (r *reading) numberAt(i int) int {
	start := i
	for i < len(r.raw) && !structural[r.raw[i]] && r.raw[i] > ' ' {
		i++
	}
	r.number(unsafe.String(&r.raw[start], i-start))
	return i
}

// structural are the bytes outside strings that structure JSON (RFC 8259, 2); a colon adds no information.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true}

// skipString returns the offset after the string that begins at raw[i], and whether it has an escape.
func skipString(raw []byte, i int) (end int, escaped bool) {
	for i++; i < len(raw); i += 2 {
		if i += frame.IndexSpecial(raw[i:]); i < len(raw) && raw[i] == '"' {
			return i + 1, escaped
		}
		escaped = escaped || i < len(raw)
	}
	return len(raw), escaped
}

func (r *reading) string(start, end int, escaped bool, to reader) {
	decoded := r.raw[start+1 : max(end-1, start+1)]
	if escaped {
		decoded, r.room = frame.AppendText(slices.Grow(r.room[:0], end-start), r.raw, frame.Span{Start: start, End: end})
	}
	r.from, r.to = start, end
	text := unsafe.String(unsafe.SliceData(decoded), len(decoded))
	if n := len(r.stack); n > 0 && r.stack[n-1].awaits {
		top := &r.stack[n-1]
		top.awaits, top.from, top.to, top.escaped = false, start, end, escaped
		to.read(r, text, true)
		return
	}
	to.read(r, text, false)
}

// text decodes a string, without a copy if it has no escape.
func (r *reading) text(start, end int) string {
	b, _ := frame.StringBytes(r.raw, frame.Span{Start: start, End: end})
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// at is the path of the current value.
func (r *reading) at() string {
	return r.path(func(c container) string { return r.text(c.from, c.to) })
}

// path is at, with each key as said returns it.
func (r *reading) path(said func(c container) string) string {
	where := ""
	for _, c := range r.stack {
		switch {
		case c.array:
			where = Element(where, c.index)
		case c.to > 0:
			where = Member(where, said(c))
		}
	}
	return strings.Clone(where)
}

// key reports whether the current value is the member of that name, which needs no escapes in JSON.
func (r *reading) key(name string) bool {
	if len(r.stack) == 0 {
		return false
	}
	c := &r.stack[len(r.stack)-1]
	return !c.array && c.to-c.from == len(name)+2 && string(r.raw[c.from+1:c.to-1]) == name
}

// Field is a string, a number or a key of a JSON value.
type Field struct {
	Member string // name of the nearest member around it, "" outside an object
	Text   string // without escapes; as written if it is a number
	Key    bool
	Number bool

	in *reading
}

// LongKey is the longest name of a member, in bytes, that is hardly a text.
const LongKey = 24

// Ways are the ways to read the text, folded, where they are known: none if it was not read as a whole. They are only valid as long as the text.
func (f Field) Ways() []string { return f.in.ways }

// member is the name of the nearest member around the current value.
func (r *reading) member() string {
	for n := len(r.stack) - 1; n >= 0; n-- {
		switch c := &r.stack[n]; {
		case c.array || c.to == 0:
		case c.escaped:
			return r.text(c.from, c.to)
		default:
			return unsafe.String(&r.raw[c.from], c.to-c.from)[1 : c.to-c.from-1]
		}
	}
	return ""
}
