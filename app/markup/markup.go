// Package markup reads configuration files that are not JSON into the tree of package hujson, with the place of each value in the text. So
// the rest of Sallyport reads and edits every format in the same way.
//
// Start with TOML or YAML. Both refuse a text that two programs could read differently, and never guess where a value is: a value whose
// place is doubtful is an error, or is listed in Text.Odd. The package knows nothing of clients and servers.
package markup

import (
	"fmt"

	"github.com/tailscale/hujson"
)

// Text is a parsed file. The offsets of Root count bytes of the text. A table or mapping spans all its members, wherever they are.
// A member's Name spans its key; Name.BeforeExtra is what a dotted key has in front of its last part.
type Text struct {
	Root hujson.Value
	Odd  map[*hujson.Value]string // values that can be read and must not be edited, and why, as the end of "its value …"
}

// Error says why a text can't be read.
type Error struct {
	Offset  int
	Problem string // in our words, with nothing from the text
}

func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Problem) }

// node is a value while a tree is built: hujson keeps members by value, which growing would move.
type node struct {
	from, to int
	literal  hujson.Literal // of a scalar
	list     bool
	keys     []key
	children []*node
	odd      string // why it must not be edited
	line     int    // of TOML: the last expression with a dotted key that went in here
}

type key struct {
	name     string
	from, to int
	before   string // of a dotted key, the text in front of its last part
}

// leaf is a scalar.
func leaf(from, to int, l hujson.Literal) *node { return &node{from: from, to: to, literal: l} }

// child is the member of this name, nil if there is none.
func (n *node) child(name string) *node {
	for i, k := range n.keys {
		if k.name == name {
			return n.children[i]
		}
	}
	return nil
}

func (n *node) put(k key, child *node) {
	n.keys, n.children = append(n.keys, k), append(n.children, child)
}

// fill makes a value of a node.
func (n *node) fill(v *hujson.Value, odd map[*hujson.Value]string) {
	if n.odd != "" {
		odd[v] = n.odd
	}
	switch {
	case n.literal != nil:
		v.Value = n.literal
	case n.list:
		array := &hujson.Array{Elements: make([]hujson.ArrayElement, len(n.children))}
		for i, child := range n.children {
			child.fill(&array.Elements[i], odd)
			n.cover(child.from, child.to)
		}
		v.Value = array
	default:
		object := &hujson.Object{Members: make([]hujson.ObjectMember, len(n.children))}
		for i, child := range n.children {
			m, k := &object.Members[i], n.keys[i]
			m.Name = hujson.Value{BeforeExtra: hujson.Extra(k.before), StartOffset: k.from, Value: hujson.String(k.name), EndOffset: k.to}
			child.fill(&m.Value, odd)
			n.cover(k.from, k.to)
			n.cover(child.from, child.to)
		}
		v.Value = object
	}
	v.StartOffset, v.EndOffset = n.from, n.to
}

// cover makes a node span another one too.
func (n *node) cover(from, to int) {
	n.from, n.to = min(n.from, from), max(n.to, to)
}

// text is the parsed file of a root.
func (n *node) text(length int) *Text {
	t := &Text{Odd: map[*hujson.Value]string{}}
	n.cover(0, length)
	n.fill(&t.Root, t.Odd)
	return t
}
