package desktop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// A response that is larger or deeper than this is shown as received: a tree of it would take many times its size.
const (
	maxNodes = 200_000
	maxDepth = 256
)

// node is a value of a held response, in the server's order, with the path that findings name.
type node struct {
	kind byte // '{', '[', '"', or '0' for everything written literally
	key  string
	text string
	path string
	kids []*node
}

var errTooLarge = errors.New("too large to show in parts")

// readTree parses a response. Its strings are the bytes that findings count: escapes resolved, U+FFFD for half a character.
func readTree(raw []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	left := maxNodes
	return readNode(d, "", "", maxDepth, &left)
}

func readNode(d *json.Decoder, key, path string, depth int, left *int) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if *left--; depth == 0 || *left < 0 {
		return nil, errTooLarge
	}
	n := &node{key: key, path: path}
	switch v := token.(type) {
	case json.Delim:
		n.kind = byte(v)
	case string:
		n.kind, n.text = '"', v
		return n, nil
	case nil:
		n.kind, n.text = '0', "null"
		return n, nil
	default:
		n.kind, n.text = '0', fmt.Sprint(v)
		return n, nil
	}
	for i := 0; d.More(); i++ {
		key, at := "", inspect.Element(path, i)
		if n.kind == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key, _ = name.(string)
			at = inspect.Member(path, key)
		}
		kid, err := readNode(d, key, at, depth-1, left)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	_, err = d.Token()
	return n, err
}

// get is a member of an object, nil if there is none of that name.
func (n *node) get(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, kid := range n.kids {
		if kid.key == key {
			return kid
		}
	}
	return nil
}

// word is a member that is a string, else "".
func (n *node) word(key string) string {
	if kid := n.get(key); kid != nil && kid.kind == '"' {
		return kid.text
	}
	return ""
}

// writer formats a tree as JSON for a person and notes where findings are in it.
type writer struct {
	strings.Builder
	found *found
	elide func(*node) bool // values shown elsewhere
	marks []HeldMark
}

func (w *writer) value(n *node, indent string) {
	switch {
	case w.elide != nil && w.elide(n):
		w.WriteString("…")
	case n.kind == '"':
		w.WriteByte('"')
		w.string(n.text, n.path, false)
		w.WriteByte('"')
	case n.kind == '0':
		w.WriteString(n.text)
	case len(n.kids) == 0:
		w.WriteByte(n.kind)
		w.WriteByte(n.kind + 2)
	default:
		inner := indent + "  "
		w.WriteByte(n.kind)
		for i, kid := range n.kids {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteByte('\n')
			w.WriteString(inner)
			if n.kind == '{' {
				w.WriteByte('"')
				w.string(kid.key, kid.path, true)
				w.WriteString(`": `)
			}
			w.value(kid, inner)
		}
		w.WriteByte('\n')
		w.WriteString(indent)
		w.WriteByte(n.kind + 2)
	}
}

// string writes a string as JSON, but leaves characters that the page makes visible.
func (w *writer) string(s, path string, key bool) {
	at := w.Len()
	for _, i := range w.found.in(s, path, key) {
		f := w.found.all[i]
		w.marks = append(w.marks, HeldMark{Finding: i, Start: at + len(quoted(s[:f.Start])), End: at + len(quoted(s[:f.End]))})
	}
	w.WriteString(quoted(s))
}

var quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func quoted(s string) string { return quotes.Replace(s) }
