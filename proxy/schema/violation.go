package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Violation is how a value does not conform.
type Violation struct {
	Keyword  string // one of JSON Schema's, or "size", "depth", "cost"
	Schema   string // JSON pointer to the keyword in the schema; "" if it is in a metaschema, or none of JSON Schema's
	Instance string // JSON pointer into the value
	Message  string // ours, at most 500 characters, without a byte of the value
	More     int    // further violations, as far as they were looked for
}

// Place is the pointer into the schema, if a client may be told: "" if it could carry a message, or there is none.
func (v *Violation) Place() string {
	if len(v.Schema) > maxPlace {
		return ""
	}
	for _, segment := range strings.Split(v.Schema, "/")[1:] {
		if !plain(segment) {
			return ""
		}
	}
	return v.Schema
}

const maxPlace = 200

// maxPointer keeps the pointer to a key of a megabyte short. People see less of it.
const maxPointer = 4 << 10

// plain reports whether a name of the schema is too short and too poor in characters to say anything to a model.
func plain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '$', c == '-':
		default:
			return false
		}
	}
	return len(name) >= 1 && len(name) <= 64
}

// violation is what is told of the failures.
func (e *evaluation) violation() *Violation {
	if e.stopped || len(e.failures) == 0 {
		return tooCostly("takes too much work to validate")
	}
	f := &e.failures[0]
	v := &Violation{Keyword: f.keyword, Instance: short(e.pointer(f.value)), Message: e.message(f), More: len(e.failures) - 1}
	if !f.rule.foreign {
		v.Schema = f.rule.pointer + f.below
		if f.index > 0 {
			v.Schema += "/" + strconv.Itoa(f.index-1)
		}
		v.Schema = short(v.Schema)
	}
	return v
}

func tooCostly(message string) *Violation {
	return &Violation{Keyword: "cost", Message: message}
}

// short cuts a pointer after a whole segment.
func short(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return pointer[:strings.LastIndexByte(pointer[:maxPointer], '/')] + "/…"
}

var kindNames = [kinds]string{null: "null", boolean: "a boolean", number: "a number", text: "a string", array: "an array", object: "an object"}

// message says what is wrong in our own words. Of the schema it names plain words only, of the value nothing but types and counts.
func (e *evaluation) message(f *failure) string {
	switch f.keyword {
	case "type":
		return fmt.Sprintf("must be %s, but is %s", f.rule.types, e.kindName(f.value))
	case "const":
		return "is not the one value that is allowed"
	case "enum":
		return "is not one of the values that are allowed"
	case "minLength", "maxLength":
		return bounds(f, "character")
	case "minItems", "maxItems":
		return bounds(f, "element")
	case "minProperties", "maxProperties":
		return bounds(f, "property")
	case "minContains", "maxContains":
		return bounds(f, "matching element")
	case "contains":
		return "has no element that matches"
	case "uniqueItems":
		return "has two elements that are equal"
	case "pattern":
		return "does not match the pattern"
	case "minimum":
		return compared(f, "must be at least", "is too small")
	case "exclusiveMinimum":
		return compared(f, "must be more than", "is too small")
	case "maximum":
		return compared(f, "must be at most", "is too large")
	case "exclusiveMaximum":
		return compared(f, "must be less than", "is too large")
	case "multipleOf":
		return compared(f, "must be a multiple of", "is not a multiple of what it must be a multiple of")
	case "required", "dependentRequired", "dependencies":
		if f.name != "" && plain(f.name) {
			return fmt.Sprintf("lacks the property %q", f.name)
		}
		return "lacks a property that it must have"
	case "not":
		return "is what it must not be"
	case "anyOf":
		return fmt.Sprintf("matches none of %d alternatives", f.want)
	case "oneOf":
		if f.got > 1 {
			return "matches more than one alternative, but must match exactly one"
		}
		return fmt.Sprintf("matches none of %d alternatives", f.want)
	default:
		return "is not allowed here"
	}
}

func (e *evaluation) kindName(v uint32) string {
	if n := &e.nodes[v]; n.kind == number {
		if d, _ := decimalOf(e.token(v)); !d.integer() {
			return "a number that is not whole"
		}
	}
	return kindNames[e.nodes[v].kind]
}

// compared names the number of the schema, if it is short.
func compared(f *failure, must, otherwise string) string {
	if len(f.name) > 40 {
		return otherwise
	}
	return must + " " + f.name
}

// bounds says how many of something there are and should be.
func bounds(f *failure, what string) string {
	word, least := "at most", strings.HasPrefix(f.keyword, "min")
	if least {
		word = "at least"
	}
	return fmt.Sprintf("must have %s %s, but has %d", word, plural(f.want, what), f.got)
}

func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}

func (t types) String() string {
	var words []string
	for k, name := range kindNames {
		if t.of(kind(k)) {
			words = append(words, name)
		}
	}
	if t&wholeNumbers != 0 {
		words = append(words, "a whole number")
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
