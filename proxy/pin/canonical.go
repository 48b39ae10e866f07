package pin

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// Why a definition has no canonical form. Such an item can never be approved.
var (
	ErrLoneSurrogate = errors.New("a string holds half of a surrogate pair, which parsers read differently")
	ErrNotJSON       = errors.New("not a JSON value that every parser reads the same")
	ErrTooDeep       = errors.New("nested too deeply to be compared")
)

// maxDepth is the deepest definition that can be compared; forwarding has the same limit. maxWork limits how often a byte is visited again
// because of nesting: without it brackets around a large string would cost depth times size.
const (
	maxDepth = 1_000
	maxWork  = 64
)

// position is the place of a value in a definition, as far as it decides whether order counts.
type position uint8

const (
	data     position = iota // the order of arrays counts
	tool                     // a tool's definition: inputSchema and outputSchema are schemas
	schema                   // a JSON Schema: its keywords mean what the specification says
	schemas                  // an object whose values are schemas: its keys are names, not keywords
	list                     // an array whose elements are schemas
	either                   // items: a schema, or in older dialects a list of them
	unsorted                 // required, enum, type: a set written as an array
)

func root(kind Kind) position {
	if kind == Tool {
		return tool
	}
	return data
}

// member returns the position of the value of key in an object at p. Whatever is not a schema is data: a property named "required", an
// "enum" inside "default", anything under a keyword that JSON Schema does not know.
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

func (p position) element() position {
	if p == list || p == either {
		return schema
	}
	return data
}

// canonical returns one form for all spellings that mean the same: members sorted by key, escapes resolved, no white space, numbers as
// written, sets sorted (duplicates stay).
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
		dst = frame.AppendString(dst, m.key)
		dst = append(dst, ':')
		if dst, err = c.append(dst, m.raw, p.member(m.key), depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (c *canonizer) array(dst, raw []byte, p position, depth int) ([]byte, error) {
	all, err := elements(raw), error(nil)
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

// set writes the elements sorted by their canonical form. It is a multiset: some parsers see duplicates, so they stay.
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
