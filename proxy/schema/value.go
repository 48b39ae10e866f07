package schema

import (
	"strconv"
	"strings"
)

// kind is the JSON type of a value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
	kinds = iota
)

// node is one value or key of a document. Nodes stand in the order of the text: the first child follows its parent, and next leads behind
// the last one. The children of an object are its keys, each followed by its value.
type node struct {
	kind       kind
	escaped    bool   // text that had a backslash
	start, end uint32 // in raw; of text without its quotes, and in plain if it had escapes
	next       uint32
	count      uint32 // elements or members
}

// document is a decoded value: the text, and 20 bytes for each value and key in it.
type document struct {
	raw   string
	plain string // texts that had escapes, without them
	nodes []node
}

type decoder struct {
	document
	at    int
	plain []byte
}

// decode reads one JSON value. It is not ok for anything else. The caller has bounded the depth, since it recurses.
func decode(raw string, nodes int) (document, bool) {
	d := decoder{document: document{raw: raw, nodes: make([]node, 0, nodes)}}
	d.space()
	if !d.value() {
		return document{}, false
	}
	d.space()
	d.document.plain = string(d.plain)
	return d.document, d.at == len(raw)
}

func (d *decoder) space() {
	for d.at < len(d.raw) {
		switch d.raw[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// add appends a node without children that ends at end.
func (d *decoder) add(k kind, end int) {
	d.nodes = append(d.nodes, node{kind: k, start: uint32(d.at), end: uint32(end), next: uint32(len(d.nodes) + 1)})
	d.at = end
}

func (d *decoder) value() bool {
	if d.at >= len(d.raw) {
		return false
	}
	switch c := d.raw[d.at]; c {
	case '{':
		return d.container(object, '}')
	case '[':
		return d.container(array, ']')
	case '"':
		return d.text()
	case 'n':
		return d.word("null", null)
	case 't':
		return d.word("true", boolean)
	case 'f':
		return d.word("false", boolean)
	default:
		end := endOfNumber(d.raw, d.at)
		if _, ok := decimalOf(d.raw[d.at:end]); !ok {
			return false
		}
		d.add(number, end)
		return true
	}
}

func (d *decoder) word(word string, k kind) bool {
	if !strings.HasPrefix(d.raw[d.at:], word) {
		return false
	}
	d.add(k, d.at+len(word))
	return true
}

func (d *decoder) text() bool {
	if d.at >= len(d.raw) || d.raw[d.at] != '"' {
		return false
	}
	end, escaped := endOfString(d.raw, d.at)
	if end-d.at < 2 || d.raw[end-1] != '"' {
		return false
	}
	d.add(text, end)
	n := &d.nodes[len(d.nodes)-1]
	n.start, n.end = n.start+1, n.end-1
	if escaped {
		from := len(d.plain)
		d.plain = appendPlain(d.plain, d.raw[n.start:n.end])
		n.escaped, n.start, n.end = true, uint32(from), uint32(len(d.plain))
	}
	return true
}

func (d *decoder) container(k kind, end byte) bool {
	self := len(d.nodes)
	d.add(k, d.at+1)
	d.space()
	count := uint32(0)
	for d.at < len(d.raw) && d.raw[d.at] != end {
		if count > 0 {
			if d.raw[d.at] != ',' {
				return false
			}
			d.at++
			d.space()
		}
		if k == object {
			if !d.text() {
				return false
			}
			d.space()
			if d.at >= len(d.raw) || d.raw[d.at] != ':' {
				return false
			}
			d.at++
			d.space()
		}
		if !d.value() {
			return false
		}
		d.space()
		count++
	}
	if d.at >= len(d.raw) {
		return false
	}
	d.at++
	n := &d.nodes[self]
	n.end, n.next, n.count = uint32(d.at), uint32(len(d.nodes)), count
	return true
}

// text is the string of a text node.
func (d *document) text(v uint32) string {
	n := &d.nodes[v]
	if n.escaped {
		return d.plain[n.start:n.end]
	}
	return d.raw[n.start:n.end]
}

// token is the text of a number.
func (d *document) token(v uint32) string { return d.raw[d.nodes[v].start:d.nodes[v].end] }

// size is how many nodes a value has, itself included.
func (d *document) size(v uint32) uint32 { return d.nodes[v].next - v }

// pointer is the JSON pointer to a node. A key has the pointer of its object.
func (d *document) pointer(to uint32) string {
	var b strings.Builder
	for v := uint32(0); v != to; {
		child, index := v+1, 0
		if d.nodes[v].kind == object {
			for d.nodes[child+1].next <= to {
				child = d.nodes[child+1].next
			}
			if child == to {
				break
			}
			writeSegment(&b, d.text(child))
			v = child + 1
			continue
		}
		for d.nodes[child].next <= to {
			child, index = d.nodes[child].next, index+1
		}
		writeSegment(&b, strconv.Itoa(index))
		v = child
	}
	return b.String()
}

var escapeSegment = strings.NewReplacer("~", "~0", "/", "~1")

func writeSegment(b *strings.Builder, segment string) {
	b.WriteByte('/')
	escapeSegment.WriteString(b, segment)
}
