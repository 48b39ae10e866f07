package pin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// keywords maps schema keywords to the words before "of `limit`".
var keywords = map[string]string{
	"default": "default", "const": "only value", "minimum": "smallest value", "maximum": "largest value",
	"exclusiveMinimum": "lower bound", "exclusiveMaximum": "upper bound", "multipleOf": "step",
	"minLength": "shortest length", "maxLength": "longest length", "pattern": "pattern", "format": "format",
	"minItems": "fewest entries", "maxItems": "most entries", "uniqueItems": "whether entries may repeat",
	"minProperties": "fewest fields", "maxProperties": "most fields", "$ref": "reference", "examples": "examples",
}

// schemaOf compares the schema of a whole input or output.
func (d *differ) schemaOf(at place, before, after []byte) {
	if before != nil && after != nil {
		d.schema(at, before, after)
		return
	}
	one := present(before, after)
	words := d.verb(op(before, after), at.name()+" ("+summary(one)+")")
	c := Change{Path: at.path, Op: op(before, after), Words: words}
	if !d.describing {
		c.Before, c.After = string(before), string(after)
	}
	d.add(c)
	if after != nil {
		d.schema(at, nil, after)
	}
}

// subschema compares a schema inside another one that is not a named field.
func (d *differ) subschema(at place, before, after []byte) {
	if before != nil && after != nil {
		d.schema(at, before, after)
		return
	}
	d.appeared(at, d.verb(op(before, after), at.name()+" ("+summary(present(before, after))+")"), before, after)
}

// property is one field of an object.
func (d *differ) property(at place, before, after []byte, wasRequired, isRequired bool) {
	switch {
	case before == nil, after == nil:
		required := isRequired
		if after == nil {
			required = wasRequired
		}
		words := d.field(op(before, after), required) + at.label + " (" + summary(present(before, after)) + ")"
		d.appeared(at, words, before, after)
		return
	case wasRequired != isRequired:
		d.required(at, nil, nil, isRequired)
	}
	if !same(before, after) {
		d.schema(at, before, after)
	}
}

// appeared reports a schema that was added or removed, and the contents of an added one. The outermost carries the JSON.
func (d *differ) appeared(at place, words string, before, after []byte) {
	c := Change{Path: at.path, Op: op(before, after), Words: words}
	if !d.describing && !d.inside {
		c.Before, c.After = string(before), string(after)
	}
	d.add(c)
	if after != nil {
		outer := d.inside
		d.inside = true
		d.schema(at, nil, after)
		d.inside = outer
	}
}

// schema compares two schemas keyword by keyword. before is nil for an added one: then everything that summary left out is listed.
func (d *differ) schema(at place, before, after []byte) {
	if kindOf(after) != '{' || before != nil && kindOf(before) != '{' {
		if before != nil {
			d.note(at.path, fmt.Sprintf("what is accepted as %s changed from %s to %s", at.name(), summary(before), summary(after)), before, after)
		}
		return
	}
	if d.spent(before, after) {
		d.add(Change{Path: at.path, Op: Changed, Words: at.name() + " changed", Before: string(before), After: string(after)})
		return
	}
	all := pairs(before, after)
	need := requirements(all)
	for _, m := range all {
		p := schema.member(m.key)
		said := before == nil && summarized(m.key, m.after, after) && (m.key != "required" || len(need.left) == 0)
		if said || same(m.before, m.after) {
			// A field can become required, or stop being so, without any other change.
			if m.key == "properties" && before != nil {
				d.properties(at, m, need)
			}
			continue
		}
		count := d.count()
		d.keyword(at, m, need, p)
		if d.count() == count && !(m.key == "required" && need.said) {
			d.value(at.at(inspect.Member(at.path, m.key), quote(m.key)), m.before, m.after, p)
		}
	}
}

func (d *differ) keyword(at place, m pair, need *requirement, p position) {
	path := inspect.Member(at.path, m.key)
	inner := func(label string) place {
		return place{path: path, label: label, depth: at.depth + 1}
	}
	switch m.key {
	case "properties":
		d.properties(at, m, need)
	case "required":
		d.undescribed(at, need)
	case "type":
		d.typeChange(path, at, m)
	case "enum":
		d.choices(path, at, m)
	case "description", "title", "$comment":
		d.text(path, strings.TrimPrefix(m.key, "$")+" of "+at.name(), m.before, m.after)
	case "additionalProperties":
		if !d.extra(path, at, m) {
			d.subschema(inner("extra fields of "+at.name()), m.before, m.after)
		}
	case "items":
		if kindOf(present(m.before, m.after)) == '[' {
			d.forms(inner(""), at, "entry", m)
		} else {
			d.subschema(inner("each entry of "+at.name()), m.before, m.after)
		}
	case "prefixItems":
		d.forms(inner(""), at, "entry", m)
	case "allOf", "anyOf", "oneOf":
		d.forms(inner(""), at, "`"+m.key+"` form", m)
	case "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		d.named(path, at, m)
	default:
		if what, ok := keywords[m.key]; ok {
			d.value(inner(what+" of "+at.name()), m.before, m.after, p)
		} else if p == schema {
			d.subschema(inner(quote(m.key)+" of "+at.name()), m.before, m.after)
		}
	}
}

// named compares the schemas of an object whose keys are names.
func (d *differ) named(path string, at place, m pair) {
	if !objects(m.before, m.after) {
		return
	}
	for _, s := range pairs(m.before, m.after) {
		if same(s.before, s.after) {
			continue
		}
		label := quote(s.key) + " in " + quote(m.key) + " of " + at.name()
		to := place{path: inspect.Member(path, s.key), label: label, depth: at.depth + 2}
		if one := kindOf(present(s.before, s.after)); one == '{' || one == 't' || one == 'f' {
			d.subschema(to, s.before, s.after)
		} else {
			d.value(to, s.before, s.after, schema)
		}
	}
}

// forms compares lists of schemas, entry by entry.
func (d *differ) forms(to, at place, what string, m pair) {
	b, okB := listOf(m.before)
	a, okA := listOf(m.after)
	if !okB || !okA {
		return
	}
	for i := range max(len(b), len(a)) {
		before, after := index(b, i), index(a, i)
		if same(before, after) {
			continue
		}
		label := fmt.Sprintf("%s %d of %s", what, i+1, at.name())
		d.subschema(place{path: inspect.Element(to.path, i), label: label, depth: to.depth + 1}, before, after)
	}
}

func listOf(raw []byte) ([][]byte, bool) {
	if raw == nil {
		return nil, true
	}
	if kindOf(raw) != '[' {
		return nil, false
	}
	return elements(raw), true
}

// objects reports whether each value is an object or absent.
func objects(before, after []byte) bool {
	return (before == nil || kindOf(before) == '{') && (after == nil || kindOf(after) == '{')
}

func (d *differ) properties(at place, m pair, need *requirement) {
	if !objects(m.before, m.after) {
		return
	}
	path := inspect.Member(at.path, m.key)
	all := pairs(m.before, m.after)
	if len(all) == 0 {
		d.add(Change{Path: path, Op: op(m.before, m.after), Words: d.verb(op(m.before, m.after), "no fields in "+at.name())})
		return
	}
	for _, f := range all {
		was, is := need.before[f.key], need.after[f.key]
		if was == is && same(f.before, f.after) {
			continue
		}
		to := at.at(inspect.Member(path, f.key), quote(f.key))
		d.property(to, f.before, f.after, was, is)
	}
}

// requirement says which fields of an object are required, before and after. Malformed lists (no array, no strings, a name twice) are
// compared like any JSON and require nothing here. said is set once everything about them has been said.
type requirement struct {
	before, after map[string]bool
	plain, said   bool
	left          []string // names that became or stopped being required without being a field on that side
}

func requirements(all []pair) *requirement {
	n := &requirement{}
	var props pair
	for _, m := range all {
		switch m.key {
		case "required":
			b, okB := names(m.before)
			a, okA := names(m.after)
			n.before, n.after, n.plain = b, a, okB && okA
		case "properties":
			props = m
		}
	}
	if !n.plain {
		if n.before == nil || n.after == nil { // one side is no list: report nothing about single fields
			n.before, n.after = nil, nil
		}
		return n
	}
	described := func(raw []byte) map[string]bool {
		out := map[string]bool{}
		if !objects(props.before, props.after) {
			return out // fields are then not compared one by one
		}
		for _, p := range pairs(nil, raw) {
			out[p.key] = true
		}
		return out
	}
	was, is := described(props.before), described(props.after)
	add := func(names, other, fields map[string]bool) {
		for name := range names {
			if !other[name] && !fields[name] {
				n.left = append(n.left, name)
			}
		}
	}
	add(n.after, n.before, is)
	add(n.before, n.after, was)
	slices.Sort(n.left)
	n.said = !maps.Equal(n.before, n.after)
	return n
}

// names returns a list of distinct strings as a set. An absent list is the empty set.
func names(raw []byte) (map[string]bool, bool) {
	out := map[string]bool{}
	if raw == nil {
		return out, true
	}
	if kindOf(raw) != '[' {
		return nil, false
	}
	for _, e := range elements(raw) {
		if kindOf(e) != '"' {
			return nil, false
		}
		name, err := decode(e)
		if err != nil || out[name] {
			return nil, false
		}
		out[name] = true
	}
	return out, true
}

// undescribed reports names that became or stopped being required without being a field of the object.
func (d *differ) undescribed(at place, need *requirement) {
	path := inspect.Member(at.path, "required")
	for _, name := range need.left {
		words := quote(name) + " in " + at.name()
		switch {
		case d.describing:
			d.add(Change{Path: path, Op: Added, Words: words + " is required, and is not described there"})
		case need.after[name]:
			d.add(Change{Path: path, Op: Changed, Words: words + " is now required, and is not described there"})
		default:
			d.add(Change{Path: path, Op: Changed, Words: words + " is no longer required"})
		}
	}
}
