package markup

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/tailscale/hujson"
)

// YAML reads a text of one document. An error is an *Error.
func YAML(raw []byte) (*Text, error) {
	if at := unreadable(raw); at >= 0 {
		return nil, &Error{at, "a control character, or a line end that not every program takes for one"}
	}
	r := &yamlReader{raw: raw, lines: []int{0}}
	for i, c := range raw {
		if c == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	file, err := parseYAML(raw)
	if err != nil {
		return nil, r.parserError(err)
	}
	root := &node{}
	for _, document := range file.Docs {
		switch {
		case document.Body == nil || document.Body.Type() == ast.CommentType:
			continue
		case document.Body.Type() == ast.DirectiveType:
			return nil, r.doubt(document.Body.GetToken())
		case len(root.children) > 0 || root.literal != nil:
			return nil, &Error{r.at(document.Body.GetToken()), "the file has more than one document"}
		}
		if root, err = r.value(document.Body, "", 0); err != nil {
			return nil, err
		}
	}
	return root.text(len(raw)), nil
}

// unreadable is the place of the first character on which readers of YAML differ, or -1.
func unreadable(raw []byte) int {
	for i, c := range string(raw) {
		switch {
		case c == '\r' && i+1 < len(raw) && raw[i+1] == '\n', c == '\n', c == '\t':
		case c < 0x20, c >= 0x7f && c < 0xa0, c == 0x2028, c == 0x2029, c == 0xfeff, c == utf8.RuneError:
			return i
		}
	}
	return -1
}

// parseYAML gives the parser line feeds only, which leaves lines and columns as they are. A panic of the parser is an error.
func parseYAML(raw []byte) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, &Error{0, notYAML}
		}
	}()
	return parser.ParseBytes(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), 0)
}

const notYAML = "not valid YAML"

// parserError keeps the place of a parser's error but not its words, which quote the text.
func (r *yamlReader) parserError(err error) error {
	if placed, ok := err.(interface{ GetToken() *token.Token }); ok && placed.GetToken() != nil {
		return &Error{r.at(placed.GetToken()), notYAML}
	}
	return &Error{0, notYAML}
}

type yamlReader struct {
	raw   []byte
	lines []int // where each line begins
}

func (r *yamlReader) doubt(t *token.Token) error {
	return &Error{r.at(t), "Sallyport can't tell where this value begins or ends"}
}

// at is the place of a token, by its line and its column: the parser's offsets don't count bytes.
func (r *yamlReader) at(t *token.Token) int {
	if t == nil || t.Position == nil || t.Position.Line < 1 {
		return 0
	}
	if t.Position.Line > len(r.lines) {
		return len(r.raw)
	}
	at := r.lines[t.Position.Line-1]
	for range t.Position.Column - 1 {
		if at >= len(r.raw) {
			break
		}
		_, size := utf8.DecodeRune(r.raw[at:])
		at += size
	}
	return min(at, len(r.raw))
}

const (
	anchored    = "has an anchor, so that other values of the file may be the same"
	severalRows = "is spread over several lines"
	ambiguous   = "is a word that not every program takes for text; put it in quotes"
)

// value reads a node. odd is why everything in it must not be edited, "" if it may be. before is the end of what comes before it.
func (r *yamlReader) value(n ast.Node, odd string, before int) (found *node, err error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n, odd)
	case *ast.MappingValueNode:
		return r.members([]*ast.MappingValueNode{n}, odd)
	case *ast.SequenceNode:
		return r.sequence(n, odd)
	case *ast.AnchorNode:
		return r.below(n.Value, anchored, r.at(n.GetToken()))
	case *ast.TagNode:
		return r.below(n.Value, "has a tag", r.at(n.GetToken()))
	case *ast.AliasNode:
		from := r.at(n.GetToken())
		return &node{from: from, to: r.end(from, n.GetToken().Next), literal: hujson.String("*"), odd: "is an alias of another value"}, nil
	case *ast.LiteralNode:
		from := r.at(n.GetToken())
		return &node{from: from, to: r.end(from, n.Value.GetToken().Next), literal: hujson.String(n.Value.Value), odd: severalRows}, nil
	case *ast.StringNode:
		return r.text(n.GetToken(), n.Value, odd)
	case *ast.NullNode:
		t := n.GetToken()
		if from := r.at(t); strings.HasPrefix(string(r.raw[from:]), t.Value) && before <= from {
			return &node{from: from, to: from + len(t.Value), literal: hujson.Literal("null"), odd: odd}, nil
		}
		return &node{from: before, to: before, literal: hujson.Literal("null"), odd: odd}, nil
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		t := n.GetToken()
		from := r.at(t)
		if t.Value == "" || !strings.HasPrefix(string(r.raw[from:]), t.Value) {
			return nil, r.doubt(t)
		}
		literal := hujson.Literal(t.Value)
		if b, ok := n.(*ast.BoolNode); ok {
			literal = hujson.Bool(b.Value)
		}
		return &node{from: from, to: from + len(t.Value), literal: literal, odd: odd}, nil
	case nil:
		return &node{from: before, to: before, literal: hujson.Literal("null"), odd: odd}, nil
	}
	return nil, r.doubt(n.GetToken())
}

// below reads the value behind an anchor or a tag that begins at from.
func (r *yamlReader) below(n ast.Node, odd string, from int) (*node, error) {
	found, err := r.value(n, odd, from)
	if err != nil {
		return nil, err
	}
	found.odd = odd
	found.cover(from, from)
	return found, nil
}

// end is the end of a value that may have several lines: what is before the next token, without the white space between.
func (r *yamlReader) end(from int, next *token.Token) int {
	to := len(r.raw)
	if next != nil {
		to = max(r.at(next), from)
	}
	return from + len(bytes.TrimRight(r.raw[from:to], " \t\r\n"))
}

func (r *yamlReader) mapping(n *ast.MappingNode, odd string) (*node, error) {
	found, err := r.members(n.Values, odd)
	if err != nil || !n.IsFlowStyle {
		return found, err
	}
	return r.between(found, n.Start, n.End, '{', '}')
}

// between makes a mapping or sequence span its brackets.
func (r *yamlReader) between(found *node, start, end *token.Token, open, shut byte) (*node, error) {
	from, to := r.at(start), r.at(end)
	if start == nil || end == nil || from >= to || to >= len(r.raw) || r.raw[from] != open || r.raw[to] != shut {
		return nil, r.doubt(start)
	}
	found.from, found.to = from, to+1
	return found, nil
}

func (r *yamlReader) members(values []*ast.MappingValueNode, odd string) (*node, error) {
	found := &node{from: len(r.raw), odd: odd}
	for _, v := range values {
		t := v.Key.GetToken()
		k := key{name: t.Value, from: r.at(t)}
		switch v.Key.(type) {
		case *ast.MergeKeyNode:
			found.odd = "uses a merge key"
			k.to = k.from + len(t.Value)
		case *ast.MappingKeyNode:
			return nil, &Error{k.from, "a kind of key that this version doesn't read"}
		default:
			at, one := r.scalar(t, k.from)
			if !one {
				return nil, r.doubt(t)
			}
			k.to = at
		}
		colon := r.at(v.Start)
		if v.Start == nil || colon >= len(r.raw) || r.raw[colon] != ':' || colon < k.to {
			return nil, r.doubt(t)
		}
		value, err := r.value(v.Value, odd, colon+1)
		if err != nil {
			return nil, err
		}
		if value.from <= colon {
			return nil, r.doubt(t)
		}
		found.put(k, value)
		found.cover(k.from, value.to)
	}
	return found, nil
}

func (r *yamlReader) sequence(n *ast.SequenceNode, odd string) (*node, error) {
	found := &node{from: r.at(n.Start), list: true, odd: odd}
	before := found.from + 1
	for _, v := range n.Values {
		value, err := r.value(v, odd, before)
		if err != nil {
			return nil, err
		}
		if value.from < before {
			return nil, r.doubt(n.Start)
		}
		found.children = append(found.children, value)
		before = value.to
	}
	if n.IsFlowStyle {
		return r.between(found, n.Start, n.End, '[', ']')
	}
	if found.from >= len(r.raw) || r.raw[found.from] != '-' {
		return nil, r.doubt(n.Start)
	}
	found.to = before
	return found, nil
}

// text reads a text that is not a block.
func (r *yamlReader) text(t *token.Token, value, odd string) (*node, error) {
	from := r.at(t)
	if from >= len(r.raw) {
		return nil, r.doubt(t)
	}
	to, one := r.scalar(t, from)
	switch {
	case !one && odd == "":
		odd = severalRows
	case odd == "" && t.Type == token.StringType && twoWays().MatchString(value):
		odd = ambiguous
	}
	return &node{from: from, to: to, literal: hujson.String(value), odd: odd}, nil
}

// twoWays are plain words that YAML 1.1 or 1.2 takes for something other than text.
var twoWays = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|=|<<)$|^[-+]?\.?[0-9][0-9A-Fa-fxXoO_.:,+-]*([Tt ].*)?$`)
})

// scalar is the end of a text that begins at a place. one is false if it has several lines, or its end is in doubt.
func (r *yamlReader) scalar(t *token.Token, from int) (to int, one bool) {
	if from >= len(r.raw) {
		return from, false
	}
	rest := string(r.raw[from:])
	switch {
	case t.Type == token.DoubleQuoteType && rest[0] == '"':
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return from + i + 1, !strings.Contains(rest[:i], "\n")
			}
		}
	case t.Type == token.SingleQuoteType && rest[0] == '\'':
		for i := 1; i < len(rest); i++ {
			switch {
			case rest[i] == '\'' && i+1 < len(rest) && rest[i+1] == '\'':
				i++
			case rest[i] == '\'':
				return from + i + 1, !strings.Contains(rest[:i], "\n")
			}
		}
	case t.Value != "" && strings.HasPrefix(rest, t.Value) && !strings.Contains(t.Value, "\n"):
		return from + len(t.Value), ends(rest[len(t.Value):])
	}
	return r.end(from, t.Next), false
}

// ends reports whether a plain text can end before this: a comment or line end, or what ends it between brackets or as a key.
func ends(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	line = strings.TrimRight(line, "\r")
	trimmed := strings.TrimLeft(line, " \t")
	return trimmed == "" || trimmed[0] == '#' && trimmed != line || strings.IndexByte(",]}:", trimmed[0]) >= 0
}
