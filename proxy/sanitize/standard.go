package sanitize

import (
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// every is the standard profile: all members of a definition stay but an outputSchema that is no object, and a tool has an inputSchema. Official
// clients refuse a whole listing for one tool that breaks either rule.
func (e *editor) every(kind pin.Kind, root frame.Span, name string) {
	added := e.missing(kind, root)
	e.object(root, func(key string, m frame.Member) bool {
		e.nodes = standardNodes
		switch {
		case e.hides(m.Key), len(added) > 0 && frame.FoldedKey(m.Key.Of(e.raw)[1:m.Key.End-m.Key.Start-1]) == schemaFolded:
			return false
		case calledByName(kind) && key == "name":
			e.rename(m.Value, name)
			return true
		case kind == pin.Tool && key == "inputSchema" && frame.Type(e.raw, m.Value) != '{':
			e.replace(m.Value, noSchema)
			return true
		case kind == pin.Tool && key == "outputSchema" && frame.Type(e.raw, m.Value) != '{':
			return false
		}
		return e.value(m.Value, 0, key, kind == pin.Tool && (key == "inputSchema" || key == "outputSchema"))
	}, added...)
}

// schemaFolded is what the key inputSchema is to the most lenient parser: beside one that we add, it reads no other.
var schemaFolded = frame.FoldedKey([]byte("inputSchema"))

// missing is the inputSchema of a tool that has none.
func (e *editor) missing(kind pin.Kind, root frame.Span) (add [][]byte) {
	if _, ok := frame.Find(e.raw, root, "inputSchema"); kind == pin.Tool && !ok {
		add = append(add, []byte(`"inputSchema":`+noSchema))
	}
	return add
}

// value cleans one value and what is in it, and reports whether it stays. key is the member that it is the value of, schema that it is in a
// schema.
//
// A member whose key has invisible characters is dropped: without them it could be another one, or one with a meaning, and nobody uses it by
// a name that nobody can see. In a schema the server chooses the names of properties; there the rest of the name stays.
func (e *editor) value(v frame.Span, level int, key string, schema bool) bool {
	if !e.take(1) {
		return false
	}
	kind := frame.Type(e.raw, v)
	switch {
	case kind == '"':
		if !address(key) {
			e.text(v, e.shapeOf(key, schema))
		}
	case kind != '{' && kind != '[':
	case level > standardLevels:
		e.empty(v)
	case kind == '[':
		e.array(v, func(v frame.Span) bool { return e.value(v, level+1, "", schema) })
	default:
		names := func(m frame.Member) bool { return !e.hides(m.Key) }
		if schema && namesItsMembers(key) {
			names = e.keys(v, shape{})
		}
		e.object(v, func(key string, m frame.Member) bool {
			return names(m) && e.value(m.Value, level+1, key, schema)
		})
	}
	return true
}

// namesItsMembers reports whether the members of this keyword's value are named by the server.
func namesItsMembers(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs", "definitions":
		return true
	}
	return false
}

// shapeOf is what a string may be by the member it is the value of. inspect reports the same as beyond bounds.
func (e *editor) shapeOf(key string, schema bool) shape {
	switch {
	case e.characters:
		return shape{}
	case key == "description" || key == "title":
		return shape{bytes: standardText}
	case key == "name" && !schema:
		return shape{chars: standardName}
	}
	return shape{}
}

// hides reports whether a key has a character that goes.
func (e *editor) hides(key frame.Span) bool { return hides(key.Of(e.raw), e.strict) }
