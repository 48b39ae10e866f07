package sanitize

import (
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// What strict holds a definition to.
const (
	strictText     = 600 // characters of a description, or of any other text
	strictLevels   = 4   // of the schema; `properties` is a level of its own
	strictMembers  = 32  // properties, or arguments of a prompt
	strictRequired = 16
	strictEnum     = 25
	strictNodes    = 200 // values of the schema
	strictNumber   = 64  // bytes of a number
	strictBytes    = 64 << 10
)

// Names are cut like the names of items, and other texts are only shortened.
var (
	strictNames = shape{chars: strictName, line: true}
	strictTexts = shape{chars: strictText, trim: true}
)

// few is the strict profile: few members of a definition stay.
func (e *editor) few(kind pin.Kind, root frame.Span, name string) {
	e.nodes = strictNodes
	e.object(root, func(key string, m frame.Member) bool {
		text := frame.Type(e.raw, m.Value) == '"'
		switch key {
		case "name":
			if calledByName(kind) {
				e.rename(m.Value, name)
				return true
			}
			return text && e.shorten(m.Value, strictNames)
		case "description":
			return text && e.shorten(m.Value, strictTexts)
		case "inputSchema":
			return kind == pin.Tool && e.schema(m.Value, 0)
		case "arguments":
			return kind == pin.Prompt && frame.Type(e.raw, m.Value) == '[' && e.arguments(m.Value)
		case "uri":
			return kind == pin.Resource && text
		case "uriTemplate":
			return kind == pin.ResourceTemplate && text
		case "mimeType":
			return !calledByName(kind) && text && e.shorten(m.Value, strictNames)
		case "size":
			return kind == pin.Resource && e.number(m.Value)
		}
		return false
	}, e.missing(kind, root)...)
}

// shorten is text, and true.
func (e *editor) shorten(v frame.Span, s shape) bool {
	e.text(v, s)
	return true
}

func (e *editor) number(v frame.Span) bool {
	return frame.Type(e.raw, v) == '0' && v.End-v.Start <= strictNumber
}

// arguments are those of a prompt.
func (e *editor) arguments(v frame.Span) bool {
	count := 0
	taken := map[string]bool{}
	e.array(v, func(v frame.Span) bool {
		name, ok := frame.Find(e.raw, v, "name")
		if count == strictMembers || !ok || frame.Type(e.raw, name) != '"' {
			return false
		}
		shown := e.shown(name, strictNames)
		if taken[shown] {
			return false
		}
		count, taken[shown] = count+1, true
		e.object(v, func(key string, m frame.Member) bool {
			kind := frame.Type(e.raw, m.Value)
			switch key {
			case "name":
				return e.shorten(m.Value, strictNames)
			case "description":
				return kind == '"' && e.shorten(m.Value, strictTexts)
			case "required":
				return kind == 't' || kind == 'f'
			}
			return false
		})
		return true
	})
	return true
}

// shown is the string at v in a shape.
func (e *editor) shown(v frame.Span, s shape) string {
	content := e.raw[v.Start+1 : v.End-1]
	return textOf(s.of(glyphsIn(content, s.reads()), e.strict))
}

// schema shortens a schema at a level and reports whether it stays.
func (e *editor) schema(v frame.Span, level int) bool {
	kind := frame.Type(e.raw, v)
	switch {
	case level > strictLevels:
		if kind == '{' {
			e.empty(v)
		} else if kind != 't' && kind != 'f' {
			e.replace(v, "{}")
		}
		return e.take(1)
	case kind == '{':
		if !e.take(1) {
			return false
		}
		e.object(v, func(key string, m frame.Member) bool { return e.keyword(key, m.Value, level+1) })
		return true
	case level > 0 && (kind == 't' || kind == 'f'): // true and false are schemas too, except for a tool
		return e.take(1)
	}
	e.replace(v, noSchema)
	return e.take(noSchemaNodes)
}

// keyword shortens the value of a member of a schema, and reports whether it stays. level is that of the value.
func (e *editor) keyword(key string, v frame.Span, level int) bool {
	kind := frame.Type(e.raw, v)
	switch key {
	case "properties":
		return e.take(1) && e.properties(v, level)
	case "items":
		if kind == '[' { // one schema for each element, as before 2020-12
			return e.take(1) && e.list(v, level, strictMembers, func(v frame.Span) bool { return e.schema(v, level+1) }) >= 0
		}
		return e.schema(v, level)
	case "required":
		return kind == '[' && e.take(1) && e.list(v, level, strictRequired, e.word) >= 0
	case "enum": // an empty one would allow nothing
		return kind == '[' && e.take(1) && (e.list(v, level, strictEnum, func(v frame.Span) bool { return e.data(v, level+1) }) > 0 || e.isEmpty(v))
	case "type": // an empty list is none
		return kind == '"' && e.word(v) || kind == '[' && e.take(1) && (e.list(v, level, strictEnum, e.word) > 0 || e.isEmpty(v))
	case "additionalProperties":
		if kind != 't' && kind != 'f' {
			e.replace(v, "true")
		}
		return e.take(1)
	case "title", "description":
		return kind == '"' && e.take(1) && e.shorten(v, strictTexts)
	case "format":
		return e.word(v)
	case "pattern": // a part of it would be another pattern
		whole := kind == '"' && v.End-v.Start < strictTexts.reads() && utf8.RuneCountInString(e.shown(v, shape{})) <= strictText
		return whole && e.take(1) && e.shorten(v, shape{})
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
		return e.number(v) && e.take(1)
	case "const", "default":
		return e.data(v, level)
	}
	return false
}

// properties shortens the properties of a schema, which are on a level.
func (e *editor) properties(v frame.Span, level int) bool {
	switch {
	case frame.Type(e.raw, v) != '{':
		e.replace(v, "{}")
	case level > strictLevels:
		e.empty(v)
	default:
		e.members(v, strictNames, func(m frame.Member) bool { return e.schema(m.Value, level+1) })
	}
	return true
}

// members keeps the first members that keep accepts, under names of a shape.
func (e *editor) members(v frame.Span, s shape, keep func(m frame.Member) bool) {
	count, names := 0, e.keys(v, s)
	e.object(v, func(_ string, m frame.Member) bool {
		if count == strictMembers || !names(m) || !keep(m) {
			return false
		}
		count++
		return true
	})
}

// list keeps the first elements that keep accepts, and none below the last level. It returns how many stay.
func (e *editor) list(v frame.Span, level, most int, keep func(v frame.Span) bool) (count int) {
	e.array(v, func(v frame.Span) bool {
		if level > strictLevels || count == most || !keep(v) {
			return false
		}
		count++
		return true
	})
	return count
}

func (e *editor) isEmpty(array frame.Span) bool {
	empty := true
	frame.Elements(e.raw, array, func(int, frame.Span) bool {
		empty = false
		return false
	})
	return empty
}

// word is a string like a name.
func (e *editor) word(v frame.Span) bool {
	return frame.Type(e.raw, v) == '"' && e.take(1) && e.shorten(v, strictNames)
}

// data shortens a value that is no schema: a default, a constant.
func (e *editor) data(v frame.Span, level int) bool {
	if !e.take(1) {
		return false
	}
	switch frame.Type(e.raw, v) {
	case '"':
		return e.shorten(v, shape{chars: strictText})
	case '0':
		return e.number(v)
	case '[':
		e.list(v, level, strictNodes, func(v frame.Span) bool { return e.data(v, level+1) })
	case '{':
		if level > strictLevels {
			e.empty(v)
			break
		}
		e.members(v, shape{chars: strictName}, func(m frame.Member) bool { return e.data(m.Value, level+1) })
	}
	return true
}
