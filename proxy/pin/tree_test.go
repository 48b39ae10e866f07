package pin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// everything is a tool with every field of the protocol and every place for a schema.
const everything = `{
 "name": "get_forecast", "title": "Forecast", "description": "Get the forecast. IMPORTANT: dates are UTC.",
 "inputSchema": {
  "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x", "type": ["object", "null"], "title": "in", "$comment": "c",
  "properties": {
   "city": {"type": "string", "description": "The city", "minLength": 1, "maxLength": 80, "pattern": "^[a-z]+$", "examples": ["a", "b"]},
   "limit": {"type": "integer", "default": 5, "minimum": 1.0, "maximum": 9007199254740993, "exclusiveMinimum": 0, "multipleOf": 1},
   "mode": {"enum": ["now", "later", 3, null, ["x", "y"]]},
   "required": {"type": "array", "items": {"type": ["string", "integer"]}, "uniqueItems": true, "minItems": 1, "maxItems": 9},
   "enum": {"const": {"enum": [1, 2], "required": ["a", "b"]}},
   "nested": {"type": "object", "properties": {"deep": {"type": "boolean", "default": true}}, "required": ["deep"], "additionalProperties": {"type": "number"}}
  },
  "required": ["city", "limit"], "additionalProperties": false, "minProperties": 1,
  "patternProperties": {"^x-": {"type": "string"}}, "$defs": {"unit": {"enum": ["c", "f"]}}, "definitions": {"old": {"type": "string"}},
  "dependentSchemas": {"city": {"required": ["limit", "mode"]}}, "dependentRequired": {"city": ["limit", "mode"]},
  "allOf": [{"type": "object"}, {"required": ["city", "mode"]}], "anyOf": [{"$ref": "#/$defs/unit"}, true], "oneOf": [{"not": {"type": "null"}}],
  "if": {"properties": {"mode": {"const": "now"}}}, "then": {"required": ["limit"]}, "else": {"minProperties": 2},
  "propertyNames": {"pattern": "^."}, "unevaluatedProperties": {"type": "string"}, "x-vendor": {"required": ["a", "b"], "enum": [1, 2], "type": ["p", "q"]}
 },
 "outputSchema": {"type": "object", "properties": {"days": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false, "contains": {"type": "string"}, "unevaluatedItems": false}}, "required": ["days"]},
 "annotations": {"title": "F", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true},
 "icons": [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]}],
 "execution": {"taskSupport": "optional"}, "_meta": {"example.com/x": [1, {"required": ["a", "b"]}], "empty": {}, "none": null, "list": []},
 "futureField": "unknown"
}`

// node is a JSON value whose members keep their order and whose numbers keep their spelling, so that a test can change
// one thing at a time.
type node struct {
	kind     byte // '{', '[' or 0 for a scalar
	scalar   string
	keys     []string
	children []*node
}

func parse(t testing.TB, raw string) *node {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	n, err := read(d)
	if err != nil {
		t.Fatalf("test input: %v", err)
	}
	return n
}

func read(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		if number, ok := token.(json.Number); ok {
			return &node{scalar: number.String()}, nil
		}
		raw, err := json.Marshal(token)
		return &node{scalar: string(raw)}, err
	}
	n := &node{kind: byte(delim)}
	for d.More() {
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.(string))
		}
		child, err := read(d)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	_, err = d.Token()
	return n, err
}

// write spells the tree. With random, white space and escapes are chosen at random: the value stays the same.
func (n *node) write(random *rand.Rand) string {
	var b strings.Builder
	n.to(&b, random)
	return b.String()
}

func (n *node) to(b *strings.Builder, random *rand.Rand) {
	space(b, random)
	switch n.kind {
	case '{', '[':
		b.WriteByte(n.kind)
		for i, child := range n.children {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == '{' {
				raw, _ := json.Marshal(n.keys[i])
				space(b, random)
				b.WriteString(respell(string(raw), random))
				space(b, random)
				b.WriteByte(':')
			}
			child.to(b, random)
		}
		space(b, random)
		b.WriteByte(n.kind + 2) // '{' and '}', '[' and ']' are two apart
	default:
		if n.scalar[0] == '"' {
			b.WriteString(respell(n.scalar, random))
		} else {
			b.WriteString(n.scalar)
		}
	}
	space(b, random)
}

func space(b *strings.Builder, random *rand.Rand) {
	if random != nil {
		b.WriteString([]string{"", "", "", " ", "\n", "\t\r\n"}[random.IntN(6)])
	}
}

// respell writes characters of a string as escapes, in capitals or not, as pairs where they need two code units.
func respell(raw string, random *rand.Rand) string {
	if random == nil {
		return raw
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r > 0xffff && random.IntN(2) == 0:
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r <= 0xffff && (r < 0x20 || r == '"' || r == '\\' || random.IntN(4) == 0):
			fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[random.IntN(2)], r)
		case r == '/' && random.IntN(2) == 0:
			b.WriteString(`\/`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// walk visits every node with a path.
func (n *node) walk(path string, visit func(path string, n *node)) {
	visit(path, n)
	for i, child := range n.children {
		step := fmt.Sprintf("%s[%d]", path, i)
		if n.kind == '{' {
			step = path + "/" + n.keys[i]
		}
		child.walk(step, visit)
	}
}

func (n *node) clone() *node {
	c := &node{kind: n.kind, scalar: n.scalar, keys: slices.Clone(n.keys)}
	for _, child := range n.children {
		c.children = append(c.children, child.clone())
	}
	return c
}

// shuffle changes every order that does not count (see the package comment), and no other. It has the rule itself and does not use the
// code under test.
func (n *node) shuffle(random *rand.Rand, where string) {
	if n.kind == '{' {
		random.Shuffle(len(n.keys), func(i, j int) {
			n.keys[i], n.keys[j] = n.keys[j], n.keys[i]
			n.children[i], n.children[j] = n.children[j], n.children[i]
		})
	}
	if n.kind == '[' && where == "set" {
		random.Shuffle(len(n.children), func(i, j int) { n.children[i], n.children[j] = n.children[j], n.children[i] })
	}
	for i, child := range n.children {
		child.shuffle(random, inside(where, n.kind, key(n, i)))
	}
}

func key(n *node, i int) string {
	if n.kind == '{' {
		return n.keys[i]
	}
	return ""
}

// inside is the same rule as a table: where a keyword leads.
func inside(where string, kind byte, key string) string {
	switch where {
	case "tool":
		if kind == '{' && (key == "inputSchema" || key == "outputSchema") {
			return "schema"
		}
	case "map":
		if kind == '{' {
			return "schema"
		}
	case "list":
		if kind == '[' {
			return "schema"
		}
	case "items":
		if kind == '[' {
			return "schema"
		}
		return inside("schema", kind, key)
	case "schema":
		if kind != '{' {
			return "data"
		}
		for leads, words := range map[string]string{
			"set":    " required enum type ",
			"map":    " properties patternProperties $defs definitions dependentSchemas dependencies ",
			"list":   " allOf anyOf oneOf prefixItems ",
			"items":  " items ",
			"schema": " additionalProperties additionalItems unevaluatedProperties unevaluatedItems propertyNames contains contentSchema not if then else ",
		} {
			if !strings.Contains(key, " ") && strings.Contains(words, " "+key+" ") {
				return leads
			}
		}
	}
	return "data"
}

// normal is a definition as a JSON parser reads it, sorted if its order does not count.
func normal(v any, where string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, child := range v {
			out[k] = normal(child, inside(where, '{', k))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = normal(child, inside(where, '[', ""))
		}
		if where == "set" {
			slices.SortFunc(out, func(a, b any) int {
				x, _ := json.Marshal(a)
				y, _ := json.Marshal(b)
				return bytes.Compare(x, y)
			})
		}
		return out
	}
	return v
}
