package pin

import (
	"fmt"
	"strings"
)

// maxChoices is how many choices a sentence lists before it only counts them.
const maxChoices = 12

// typeNames are JSON Schema's types as people call them.
var typeNames = map[string]string{
	"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no",
	"array": "list", "object": "group of fields", "null": "nothing",
}

// summary describes what a schema accepts in a few words: "text", "list of whole numbers", "one of `a`, `b`; default `a`".
func summary(raw []byte) string {
	switch kindOf(raw) {
	case 't':
		return "anything"
	case 'f':
		return "never accepted"
	case '{':
	default:
		return "not a schema"
	}
	parts := map[string][]byte{}
	for _, m := range pairs(nil, raw) {
		parts[m.key] = m.after
	}
	words := typeWords(parts["type"])
	if words == "" {
		switch {
		case parts["$ref"] != nil:
			words = "as defined elsewhere"
		case parts["anyOf"] != nil, parts["oneOf"] != nil:
			words = "one of several forms"
		case parts["enum"] != nil, parts["const"] != nil:
		default:
			words = "anything"
		}
	}
	if entry := entries(raw); entry != "" {
		words = "list of " + entry
	}
	said := func(s string) {
		if words != "" {
			words += ", "
		}
		words += s
	}
	if choices, ok := listOf(parts["enum"]); ok && sayable(choices) {
		said("one of " + shorts(choices))
	}
	if raw := parts["const"]; small(raw) {
		said("always " + short(raw))
	}
	if raw := parts["default"]; small(raw) {
		said("default " + short(raw))
	}
	if words == "" {
		return "anything"
	}
	return words
}

// summarized reports whether summary has already said everything about a keyword of schema.
func summarized(key string, raw, schema []byte) bool {
	switch key {
	case "items": // "list of text" says it if there is nothing but a type
		inner := pairs(nil, raw)
		return len(inner) == 1 && entries(schema) != ""
	case "type":
		return typeWords(raw) != ""
	case "enum":
		choices, ok := listOf(raw)
		return ok && sayable(choices)
	case "const", "default":
		return small(raw)
	case "required": // listed with the fields, unless it names something that is not a field
		_, ok := names(raw)
		return ok
	}
	return false
}

// typeWords describes a type keyword, "" if it is invalid. A type that JSON Schema does not know is quoted as a server's word.
func typeWords(raw []byte) string {
	switch kindOf(raw) {
	case '"':
		name, err := decode(raw)
		if err != nil || len(name) > maxMatch {
			return ""
		}
		if known, ok := typeNames[name]; ok {
			return known
		}
		return quote(name)
	case '[':
		all := elements(raw)
		if len(all) == 0 || len(all) > len(typeNames) {
			return ""
		}
		words := make([]string, len(all))
		for i, e := range all {
			if kindOf(e) != '"' {
				return ""
			}
			if words[i] = typeWords(e); words[i] == "" {
				return ""
			}
		}
		return strings.Join(words, " or ")
	}
	return ""
}

// entries describes the entries of a list, "" if the schema is not a list or no word fits.
func entries(schema []byte) string {
	var list bool
	var items []byte
	for _, m := range pairs(nil, schema) {
		switch m.key {
		case "type":
			list = string(m.after) == `"array"`
		case "items":
			items = m.after
		}
	}
	if !list {
		return ""
	}
	for _, m := range pairs(nil, items) {
		if m.key == "type" && kindOf(m.after) == '"' {
			return plural(typeWords(m.after))
		}
	}
	return ""
}

func plural(entry string) string {
	switch entry {
	case "whole number", "number":
		return entry + "s"
	case "group of fields":
		return "groups of fields"
	case "list":
		return "lists"
	}
	return entry
}

func sayable(choices [][]byte) bool {
	if len(choices) == 0 || len(choices) > maxChoices {
		return false
	}
	for _, c := range choices {
		if !small(c) {
			return false
		}
	}
	return true
}

func shorts(choices [][]byte) string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = short(c)
	}
	return strings.Join(words, ", ")
}

// typeChange reports "type of `n` changed from whole number to text".
func (d *differ) typeChange(path string, at place, m pair) {
	was, is := typeWords(m.before), typeWords(m.after)
	switch {
	case was != "" && is != "" && was != is:
		d.note(path, "type of "+at.name()+" changed from "+was+" to "+is, m.before, m.after)
	case m.before == nil && is != "":
		d.note(path, d.verb(Added, "type of "+at.name()+" ("+is+")"), m.before, m.after)
	case m.after == nil && was != "":
		d.note(path, at.name()+" may now be of any type, before "+was, m.before, m.after)
	}
}

// choices reports what was added to and removed from an enum, duplicates included.
func (d *differ) choices(path string, at place, m pair) {
	b, okB := listOf(m.before)
	a, okA := listOf(m.after)
	if !okB || !okA {
		return
	}
	missing := func(from, in [][]byte) [][]byte {
		count := map[string]int{}
		for _, e := range in {
			count[string(e)]++
		}
		var out [][]byte
		for _, e := range from {
			if count[string(e)]--; count[string(e)] < 0 {
				out = append(out, e)
			}
		}
		return out
	}
	say := func(op Op, what string, choices [][]byte) {
		if len(choices) == 0 {
			return
		}
		words := fmt.Sprintf("%s: %d choices %s", at.name(), len(choices), what)
		if sayable(choices) {
			words = at.name() + ": choices " + what + ": " + shorts(choices)
		}
		d.add(Change{Path: path, Op: op, Words: words, Before: string(m.before), After: string(m.after)})
	}
	switch {
	case m.before == nil:
		say(Added, "now limited to", a)
	case m.after == nil:
		d.note(path, at.name()+" is no longer limited to certain choices", m.before, nil)
	default:
		say(Added, "added", missing(a, b))
		say(Removed, "removed", missing(b, a))
	}
}

// extra reports whether unnamed fields are accepted, if that is a yes or no on both sides.
func (d *differ) extra(path string, at place, m pair) bool {
	yesOrNo := func(raw []byte) bool { return raw == nil || kindOf(raw) == 't' || kindOf(raw) == 'f' }
	if !yesOrNo(m.before) || !yesOrNo(m.after) {
		return false
	}
	now := "now "
	if d.describing {
		now = ""
	}
	words := "extra fields of " + at.name() + " are " + now + "accepted"
	switch {
	case m.after == nil:
		words = "whether extra fields of " + at.name() + " are accepted is no longer said"
	case kindOf(m.after) == 'f':
		words = "extra fields of " + at.name() + " are " + now + "not accepted"
	}
	d.note(path, words, m.before, m.after)
	return true
}
