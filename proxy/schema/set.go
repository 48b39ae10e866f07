package schema

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// set is the values of an enum or const. A value is looked up, not compared with each.
type set struct {
	kinds  types
	sizes  map[uint32]bool // how many nodes each array or object has: equal values have as many
	values map[string]bool // by canonical form
}

// The canonical form of a value: equal values have equal bytes. Numbers are compared by value, objects without order.

func appendNumber(b []byte, d decimal) []byte {
	b = append(b, '#')
	if d.negative {
		b = append(b, '-')
	}
	b = append(b, d.high...)
	b = append(b, d.low...)
	b = append(b, 'e')
	b = strconv.AppendInt(b, int64(d.point), 10)
	return append(b, ';')
}

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	return append(b, s...)
}

// appendValue appends the canonical form of a node.
func (d *document) appendValue(b []byte, v uint32) []byte {
	switch n := &d.nodes[v]; n.kind {
	case number:
		value, _ := decimalOf(d.token(v))
		return appendNumber(b, value)
	case text:
		return appendText(b, d.text(v))
	case array:
		b = append(b, '[')
		for child := v + 1; child < n.next; child = d.nodes[child].next {
			b = d.appendValue(b, child)
		}
		return append(b, ']')
	case object:
		type member struct {
			key   string
			value uint32
		}
		members := make([]member, 0, n.count)
		for key := v + 1; key < n.next; key = d.nodes[key+1].next {
			members = append(members, member{d.text(key), key + 1})
		}
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
		b = append(b, '{')
		for _, m := range members {
			b = appendText(b, m.key)
			b = d.appendValue(b, m.value)
		}
		return append(b, '}')
	default:
		return append(b, d.raw[n.start])
	}
}

// setOf takes over values of a schema from the library, which has them decoded.
func setOf(values ...any) (*set, bool) {
	s := &set{sizes: map[uint32]bool{}, values: map[string]bool{}}
	for _, value := range values {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, false
		}
		d, ok := decode(string(raw), sketch(string(raw)).nodes)
		if !ok {
			return nil, false
		}
		s.kinds |= 1 << d.nodes[0].kind
		s.sizes[d.size(0)] = true
		s.values[string(d.appendValue(nil, 0))] = true
	}
	return s, true
}

// has reports whether a value is in the set.
func (e *evaluation) has(s *set, v uint32) bool {
	n := &e.nodes[v]
	if !s.kinds.of(n.kind) || !s.sizes[e.size(v)] {
		return false
	}
	if e.spend(form*int(e.size(v)) + int(n.end-n.start)/8) {
		return false
	}
	e.scratch = e.appendValue(e.scratch[:0], v)
	return s.values[string(e.scratch)]
}

// duplicate reports whether an array has two equal elements. Elements are compared by hash, under a seed of each call, then by form.
func (e *evaluation) duplicate(v uint32) bool {
	n := &e.nodes[v]
	if e.spend(form*int(e.size(v)) + int(n.end-n.start)/4 + 8*int(n.count)) {
		return false
	}
	type element struct {
		hash  uint64
		value uint32
	}
	seed := maphash.MakeSeed()
	elements := make([]element, 0, n.count)
	for child := v + 1; child < n.next; child = e.nodes[child].next {
		e.scratch = e.appendValue(e.scratch[:0], child)
		elements = append(elements, element{maphash.Bytes(seed, e.scratch), child})
	}
	slices.SortFunc(elements, func(a, b element) int {
		if a.hash != b.hash {
			if a.hash < b.hash {
				return -1
			}
			return 1
		}
		return 0
	})
	for i := 1; i < len(elements); i++ {
		if elements[i].hash == elements[i-1].hash && string(e.appendValue(nil, elements[i].value)) == string(e.appendValue(nil, elements[i-1].value)) {
			return true
		}
	}
	return false
}
