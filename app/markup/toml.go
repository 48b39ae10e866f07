package markup

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// inPieces is why a table is odd.
const inPieces = "is defined in several places of the file"

// TOML reads a text. An error is an *Error.
func TOML(raw []byte) (*Text, error) {
	var any map[string]any
	if err := toml.Unmarshal(raw, &any); err != nil { // the other parser doesn't look for tables defined twice
		return nil, tomlError(raw, err)
	}
	r := &tomlReader{raw: raw, root: &node{}}
	here := r.root
	var parser unstable.Parser
	parser.Reset(raw)
	for parser.NextExpression() {
		r.line++
		expression := parser.Expression()
		var err error
		switch expression.Kind {
		case unstable.Table, unstable.ArrayTable:
			here, err = r.header(expression)
		case unstable.KeyValue:
			err = r.keyValue(here, expression, true)
		default:
			err = &Error{r.last, "Sallyport can't read this part of the file"}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := parser.Error(); err != nil {
		return nil, tomlError(raw, err)
	}
	return r.root.text(len(raw)), nil
}

// tomlError keeps the place of a parser's error but not its words, which may quote a value.
func tomlError(raw []byte, err error) error {
	const problem = "not valid TOML"
	var decode *toml.DecodeError
	if !errors.As(err, &decode) {
		return &Error{0, problem}
	}
	line, column := decode.Position()
	at := 0
	for range line - 1 {
		next := strings.IndexByte(string(raw[at:]), '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return &Error{min(at+max(column-1, 0), len(raw)), problem}
}

type tomlReader struct {
	raw  []byte
	root *node
	last int // the end of what was read
	line int // the number of the expression
}

func (r *tomlReader) doubt(at int) error {
	return &Error{min(max(at, 0), len(r.raw)), "Sallyport can't tell where this value begins or ends"}
}

// part is one part of a dotted key.
type part struct {
	name     string
	from, to int
}

func (r *tomlReader) parts(keys unstable.Iterator) (parts []part, err error) {
	for keys.Next() {
		k := keys.Node()
		from, to := int(k.Raw.Offset), int(k.Raw.Offset+k.Raw.Length)
		if from >= to || to > len(r.raw) {
			return nil, r.doubt(from)
		}
		parts = append(parts, part{string(k.Data), from, to})
	}
	if len(parts) == 0 {
		return nil, r.doubt(r.last)
	}
	return parts, nil
}

// header finds or makes the table of [a.b] or [[a.b]].
func (r *tomlReader) header(expression *unstable.Node) (*node, error) {
	parts, err := r.parts(expression.Key())
	if err != nil {
		return nil, err
	}
	from, to := r.lineStart(parts[0].from), parts[len(parts)-1].to
	here := r.root
	for i, p := range parts {
		end := i == len(parts)-1
		next := here.child(p.name)
		switch {
		case next == nil:
			next = &node{from: from, to: to, list: end && expression.Kind == unstable.ArrayTable}
			here.put(key{name: p.name, from: p.from, to: p.to}, next)
		case end && expression.Kind == unstable.Table:
			next.odd = inPieces // a part of it was defined before
		}
		next.cover(from, to)
		switch {
		case end && expression.Kind == unstable.ArrayTable:
			element := &node{from: from, to: to}
			next.children = append(next.children, element)
			next = element
		case next.list: // [[a]] and then [a.b]: of the last a
			if len(next.children) == 0 {
				return nil, r.doubt(p.from)
			}
			next = next.children[len(next.children)-1]
			next.cover(from, to)
		}
		if next.literal != nil {
			return nil, r.doubt(p.from)
		}
		here = next
	}
	r.last = to
	return here, nil
}

// lineStart is the place of the bracket that opens the header with a key at this place.
func (r *tomlReader) lineStart(at int) int {
	for at > 0 && strings.IndexByte("[ \t", r.raw[at-1]) >= 0 {
		at--
	}
	for r.raw[at] != '[' {
		at++
	}
	return at
}

// keyValue reads a.b = value into a table. dotted keys make tables of their own.
func (r *tomlReader) keyValue(table *node, expression *unstable.Node, top bool) error {
	parts, err := r.parts(expression.Key())
	if err != nil {
		return err
	}
	from, to := parts[0].from, parts[len(parts)-1].to
	here := table
	for _, p := range parts[:len(parts)-1] {
		next := here.child(p.name)
		switch {
		case next == nil:
			next = &node{from: from, to: to}
			here.put(key{name: p.name, from: p.from, to: p.to}, next)
		case next.literal != nil || next.list:
			return r.doubt(p.from)
		case top && next.line != r.line-1:
			next.odd = inPieces // another table's keys are between
		}
		next.line = r.line
		here = next
	}
	at := skipBlank(r.raw, to)
	if at >= len(r.raw) || r.raw[at] != '=' {
		return r.doubt(at)
	}
	value, err := r.value(expression.Value(), skipBlank(r.raw, at+1))
	if err != nil {
		return err
	}
	if end := int(expression.Raw.Offset + expression.Raw.Length); int(expression.Raw.Offset) != from || strings.TrimRight(string(r.raw[from:end]), " \t") != string(r.raw[from:value.to]) {
		return r.doubt(value.from)
	}
	last := parts[len(parts)-1]
	here.put(key{name: last.name, from: from, to: to, before: string(r.raw[from:last.from])}, value)
	here.cover(from, value.to)
	table.cover(from, value.to)
	r.last = value.to
	return nil
}

// value reads a value that begins at a place.
func (r *tomlReader) value(v *unstable.Node, at int) (*node, error) {
	if at >= len(r.raw) {
		return nil, r.doubt(at)
	}
	from, to := int(v.Raw.Offset), int(v.Raw.Offset+v.Raw.Length)
	switch v.Kind {
	case unstable.Array:
		if r.raw[at] != '[' {
			return nil, r.doubt(at)
		}
		return r.elements(v, at)
	case unstable.InlineTable:
		if r.raw[at] != '{' {
			return nil, r.doubt(at)
		}
		return r.inline(v, at)
	case unstable.String:
		if from != at || to > len(r.raw) || to-from < 2 || r.raw[to-1] != r.raw[from] {
			return nil, r.doubt(at)
		}
		return leaf(from, to, hujson.String(string(v.Data))), nil
	case unstable.Bool:
		to = at + len(v.Data)
		if to > len(r.raw) || string(r.raw[at:to]) != string(v.Data) {
			return nil, r.doubt(at)
		}
		return leaf(at, to, hujson.Literal(strings.Clone(string(v.Data)))), nil
	case unstable.Integer, unstable.Float, unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		to = at + len(v.Data)
		if to > len(r.raw) || string(r.raw[at:to]) != string(v.Data) {
			return nil, r.doubt(at)
		}
		return leaf(at, to, hujson.Literal(strings.Clone(string(v.Data)))), nil
	default:
		return nil, r.doubt(at)
	}
}

func (r *tomlReader) elements(v *unstable.Node, at int) (*node, error) {
	n := &node{from: at, to: at + 1, list: true}
	for children := v.Children(); children.Next(); {
		start := r.skip(n.to)
		element, err := r.value(children.Node(), start)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, element)
		n.to = element.to
	}
	return r.close(n, ']')
}

func (r *tomlReader) inline(v *unstable.Node, at int) (*node, error) {
	n := &node{from: at, to: at + 1}
	for children := v.Children(); children.Next(); {
		if start := r.skip(n.to); int(children.Node().Raw.Offset) != start {
			return nil, r.doubt(start)
		}
		if err := r.keyValue(n, children.Node(), false); err != nil {
			return nil, err
		}
	}
	return r.close(n, '}')
}

// close ends a list or an inline table.
func (r *tomlReader) close(n *node, bracket byte) (*node, error) {
	at := r.skip(n.to)
	if at >= len(r.raw) || r.raw[at] != bracket {
		return nil, r.doubt(at)
	}
	n.to = at + 1
	return n, nil
}

// skip goes over what can be between the values of a list: blanks, line ends, commas and comments.
func (r *tomlReader) skip(at int) int {
	for at < len(r.raw) {
		switch r.raw[at] {
		case ' ', '\t', '\r', '\n', ',':
			at++
		case '#':
			for at < len(r.raw) && r.raw[at] != '\n' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

func skipBlank(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t') {
		at++
	}
	return at
}
