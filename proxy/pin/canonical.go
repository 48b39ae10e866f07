package pin

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// Why a definition has no canonical form. An item without one can never be approved.
var (
	ErrLoneSurrogate = errors.New("a string holds half of a surrogate pair, which parsers read differently")
	ErrNotJSON       = errors.New("not a JSON value that every parser reads the same")
	ErrTooDeep       = errors.New("nested too deeply to be compared")
)

// maxDepth is the depth that a definition can have and still be compared; forwarding has the same limit. maxWork bounds
// how often a byte is looked at again because it stands inside of something: without it a bracket chain around a large
// string would cost its depth times its size.
const (
	maxDepth = 1_000
	maxWork  = 64
)

// position is where in a definition a value stands, as far as it matters for what may be ordered differently.
type position uint8

const (
	data     position = iota // order of arrays counts
	tool                     // a tool's definition: inputSchema and outputSchema are schemas
	schema                   // a JSON Schema: its keywords mean what the specification says
	schemas                  // an object whose values are schemas: its keys are names, not keywords
	list                     // an array whose elements are schemas
	either                   // items: a schema, or in older dialects a list of them
	unsorted                 // required, enum, type: a set written as an array
)

// root is the position of a whole definition.
func root(kind Kind) position {
	if kind == Tool {
		return tool
	}
	return data
}

// member is the position of the value of key in an object that stands at p. Everything that is no schema is data: a
// property named "required", an "enum" inside of "default", anything under a keyword that JSON Schema does not know.
func (p position) member(key string) position {
	switch p {
	case tool:
		if key == "inputSchema" || key == "outputSchema" {
			return schema
		}
	case schemas:
		return schema
	case schema, either:
		switch key {
		case "required", "enum", "type":
			return unsorted
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			return schemas
		case "allOf", "anyOf", "oneOf", "prefixItems":
			return list
		case "items":
			return either
		case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "propertyNames",
			"contains", "contentSchema", "not", "if", "then", "else":
			return schema
		}
	}
	return data
}

// element is the position of an element of an array that stands at p.
func (p position) element() position {
	if p == list || p == either {
		return schema
	}
	return data
}

// canonical is the form of a value that is the same for all spellings that mean the same: members sorted by key, escapes
// resolved, no white space, numbers as they are written, sets sorted (duplicates stay).
func canonical(raw []byte, p position) ([]byte, error) {
	c := canonizer{budget: maxWork*len(raw) + 1<<20}
	return c.append(make([]byte, 0, len(raw)), raw, p, 0)
}

type canonizer struct{ budget int }

func (c *canonizer) append(dst, raw []byte, p position, depth int) ([]byte, error) {
	c.budget -= len(raw)
	if depth > maxDepth || c.budget < 0 {
		return nil, ErrTooDeep
	}
	switch kindOf(raw) {
	case '{':
		return c.object(dst, raw, p, depth)
	case '[':
		return c.array(dst, raw, p, depth)
	}
	return appendScalar(dst, raw)
}

func (c *canonizer) object(dst, raw []byte, p position, depth int) ([]byte, error) {
	all, err := members(raw)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b field) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, m := range all {
		if i > 0 {
			if m.key == all[i-1].key {
				return nil, ErrNotJSON
			}
			dst = append(dst, ',')
		}
		dst = appendString(dst, m.key)
		dst = append(dst, ':')
		if dst, err = c.append(dst, m.raw, p.member(m.key), depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (c *canonizer) array(dst, raw []byte, p position, depth int) ([]byte, error) {
	all, err := elements(raw)
	if err != nil {
		return nil, err
	}
	if p == unsorted {
		return c.set(dst, all, depth)
	}
	dst = append(dst, '[')
	for i, e := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = c.append(dst, e, p.element(), depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// set writes the elements sorted by their own canonical form. It is a multiset: an entry that stands twice does so for
// some parser, and stays twice.
func (c *canonizer) set(dst []byte, all [][]byte, depth int) ([]byte, error) {
	forms := make([][]byte, len(all))
	for i, e := range all {
		form, err := c.append(nil, e, data, depth+1)
		if err != nil {
			return nil, err
		}
		forms[i] = form
	}
	slices.SortFunc(forms, bytes.Compare)
	dst = append(dst, '[')
	dst = append(dst, bytes.Join(forms, []byte{','})...)
	return append(dst, ']'), nil
}
