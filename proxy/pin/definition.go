package pin

import (
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// definition compares two definitions of one kind, starting with the parts a person reads first.
func (d *differ) definition(kind Kind, before, after []byte) {
	d.budget = maxWork*(len(before)+len(after)) + 1<<20
	if kind == Instructions {
		d.text("", "instructions", before, after)
		return
	}
	if kindOf(after) != '{' || before != nil && kindOf(before) != '{' {
		d.value(place{}, before, after, root(kind))
		return
	}
	all := pairs(before, after)
	slices.SortStableFunc(all, func(a, b pair) int { return priority(a.key) - priority(b.key) })
	for _, m := range all {
		if !same(m.before, m.after) {
			d.topLevel(kind, m)
		}
	}
}

func priority(key string) int {
	order := []string{"name", "uri", "uriTemplate", "title", "description", "frontmatter", "resources", "inputSchema", "arguments", "annotations", "outputSchema"}
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}

func (d *differ) topLevel(kind Kind, m pair) {
	at := place{}.at(inspect.Member("", m.key), quote(m.key))
	count := d.count()
	switch {
	case m.key == "title", m.key == "description", m.key == "name":
		d.text(at.path, m.key, m.before, m.after)
	case kind == Tool && m.key == "inputSchema":
		d.schemaOf(place{path: at.path, self: "the input", depth: 1}, m.before, m.after)
	case kind == Tool && m.key == "outputSchema":
		d.schemaOf(place{path: at.path, label: "the output", depth: 1}, m.before, m.after)
	case kind == Tool && m.key == "annotations":
		d.annotations(at, m.before, m.after)
	case kind == Prompt && m.key == "arguments":
		d.arguments(at, m.before, m.after)
	case kind == Skill && m.key == "frontmatter":
		d.frontmatter(at, m.before, m.after)
	case kind == Skill && m.key == "resources":
		d.skillFiles(at, m.before, m.after)
	}
	if d.count() == count {
		d.value(at, m.before, m.after, root(kind).member(m.key))
	}
}

// count is the number of changes, listed or not.
func (d *differ) count() int { return len(d.changes) + d.left }

// hints are the sentences for a server's claims about its tool, for true and for false.
var hints = map[string][2]string{
	"readOnlyHint":    {"it only reads (changes nothing)", "it can change things"},
	"destructiveHint": {"it can delete or overwrite things", "it deletes and overwrites nothing"},
	"idempotentHint":  {"repeating it is harmless", "repeating it can do something again"},
	"openWorldHint":   {"it reaches outside (network or other apps)", "it doesn't reach outside (no network or other apps)"},
}

func (d *differ) annotations(at place, before, after []byte) {
	if before != nil && kindOf(before) != '{' || after != nil && kindOf(after) != '{' {
		return
	}
	for _, m := range pairs(before, after) {
		if same(m.before, m.after) {
			continue
		}
		b, a := hint(m.key, m.before), hint(m.key, m.after)
		var words string
		switch {
		case m.before == nil && a != "" && d.describing:
			words = "says " + a
		case m.before == nil && a != "":
			words = "now says " + a
		case m.after == nil && b != "":
			words = "no longer says " + b
		case b != "" && a != "":
			words = "now says " + a + "; before it said " + b
		default:
			d.value(at.at(inspect.Member(at.path, m.key), quote(m.key)), m.before, m.after, data)
			continue
		}
		d.note(inspect.Member(at.path, m.key), words, m.before, m.after)
	}
}

// hint returns the sentence for a known annotation, "" for another key or a value that is not a boolean.
func hint(key string, raw []byte) string {
	says, ok := hints[key]
	switch {
	case ok && string(raw) == "true":
		return says[0]
	case ok && string(raw) == "false":
		return says[1]
	}
	return ""
}

// argument is one entry of a prompt's arguments.
type argument struct {
	name     string
	raw      []byte
	required bool
}

// argumentsOf reads a list of arguments with distinct names; other lists are compared like any JSON.
func argumentsOf(raw []byte) ([]argument, bool) {
	if raw == nil {
		return nil, true
	}
	if kindOf(raw) != '[' {
		return nil, false
	}
	var out []argument
	seen := map[string]bool{}
	for _, e := range elements(raw) {
		if kindOf(e) != '{' {
			return nil, false
		}
		fields, err := members(e)
		if err != nil {
			return nil, false
		}
		a := argument{raw: e}
		named := false
		for _, f := range fields {
			switch {
			case f.key == "name" && kindOf(f.raw) == '"':
				if a.name, err = decode(f.raw); err != nil {
					return nil, false
				}
				named = true
			case f.key == "required":
				a.required = string(f.raw) == "true"
			}
		}
		if !named || seen[a.name] {
			return nil, false
		}
		seen[a.name] = true
		out = append(out, a)
	}
	return out, true
}

// arguments compares a prompt's arguments by name. Their order counts: it is the order in which a client asks for them.
func (d *differ) arguments(at place, before, after []byte) {
	b, okB := argumentsOf(before)
	a, okA := argumentsOf(after)
	if !okB || !okA {
		return
	}
	find := func(all []argument, name string) int {
		return slices.IndexFunc(all, func(x argument) bool { return x.name == name })
	}
	for i, x := range a {
		to := place{path: inspect.Element(at.path, i), label: quote(x.name), depth: at.depth + 1}
		if j := find(b, x.name); j >= 0 {
			d.argument(to, b[j], x)
			continue
		}
		d.note(to.path, d.field(Added, x.required)+quote(x.name), nil, x.raw)
		d.argument(to, argument{}, x)
	}
	for i, x := range b {
		if find(a, x.name) < 0 {
			d.note(inspect.Element(at.path, i), d.field(Removed, x.required)+quote(x.name), x.raw, nil)
		}
	}
	order := func(all, other []argument) (names []string) {
		for _, x := range all {
			if find(other, x.name) >= 0 {
				names = append(names, x.name)
			}
		}
		return names
	}
	if was, is := order(b, a), order(a, b); !slices.Equal(was, is) {
		d.note(at.path, "the order of the arguments changed", before, after)
	}
}

// argument compares two descriptions of an argument. The name of an added one, and whether it is required, has been said.
func (d *differ) argument(at place, before, after argument) {
	for _, m := range pairs(before.raw, after.raw) {
		switch {
		case same(m.before, m.after), before.raw == nil && (m.key == "name" || m.key == "required"):
		case m.key == "required" && before.required != after.required:
			d.required(at, m.before, m.after, after.required)
		case m.key == "description", m.key == "title":
			d.text(inspect.Member(at.path, m.key), m.key+" of "+at.label, m.before, m.after)
		default:
			d.value(at.at(inspect.Member(at.path, m.key), quote(m.key)), m.before, m.after, data)
		}
	}
}

func (d *differ) required(at place, before, after []byte, now bool) {
	words := at.name() + " is no longer required"
	if now {
		words = at.name() + " is now required"
	}
	d.add(Change{Path: at.path, Op: Changed, Words: words, Before: string(before), After: string(after)})
}

// field begins the sentence about a field: "added, required: ", "required: ", "removed: ".
func (d *differ) field(op Op, required bool) string {
	need := "optional"
	if required {
		need = "required"
	}
	switch {
	case d.describing:
		return need + ": "
	case op == Removed && required:
		return "removed, was required: "
	case op == Removed:
		return "removed: "
	}
	return fmt.Sprintf("%s, %s: ", op, need)
}
