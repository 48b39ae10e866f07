package sanitize

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// The profiles of sanitizer.profile, besides Off. Any other word means Standard: an unknown profile must not let anything through.
const (
	Standard = "standard" // every field, without what nobody can see and what no honest server needs
	Strict   = "strict"   // the few fields a model needs, in few words
)

// What standard holds a definition to.
const (
	standardText   = 16 << 10 // bytes of a description or title
	standardLevels = 64       // of a member; the member itself is level 0
	standardNodes  = 10_000   // values of a member
)

// noSchema replaces a schema that is no object.
const noSchema = `{"type":"object","properties":{}}`

// noSchemaNodes is how many values it has.
const noSchemaNodes = 3

// Definition is one element of a listing as the client gets it under a profile. name is the name by which the client knows a tool or a
// prompt (Name, Apart); other kinds are known by their address, which no profile changes.
//
// An element that the profile has nothing against comes back as the same slice. What comes back is JSON with one reading, at most as long
// as raw plus a suffix of the name and a schema, and the profile has nothing against it.
func Definition(kind pin.Kind, raw []byte, name, profile string) []byte {
	root := frame.Root(raw)
	if profile == Off || profile != Strict && spotless(kind, raw) {
		return renamed(kind, raw, root, name)
	}
	e := editor{raw: raw, strict: profile == Strict}
	switch {
	case frame.Type(raw, root) != '{':
		e.nodes = standardNodes
		e.value(root, 0, "", false)
	case e.strict && kind != pin.Skill: // few members would not be a skill any more
		e.few(kind, root, name)
	default:
		e.every(kind, root, name)
	}
	return e.done()
}

// Characters cleans the characters of a text that is no element of a listing: instructions and serverInfo.
func Characters(raw []byte, profile string) []byte {
	if profile == Off || !hides(raw, profile == Strict) {
		return raw
	}
	e := editor{raw: raw, strict: profile == Strict, characters: true, nodes: len(raw)}
	e.value(frame.Root(raw), 0, "", false)
	return e.done()
}

// spotless reports whether standard has nothing against an element but, perhaps, its name: its schemas are objects, it is short, in ASCII and
// without escapes that could spell anything else. Most are. Each of its values has at least two bytes.
func spotless(kind pin.Kind, raw []byte) bool {
	if len(raw) > min(standardText, 2*standardNodes) || bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) > standardLevels || bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	for _, c := range raw {
		if c >= 0x80 {
			return false
		}
	}
	return kind == pin.Tool && typeOf(raw, "inputSchema") == '{' && strings.IndexByte("{\x00", typeOf(raw, "outputSchema")) >= 0 || kind == pin.Prompt && len(raw) <= standardName
}

// typeOf is the type of a member's value, 0 if it is absent.
func typeOf(raw []byte, member string) byte {
	value, ok := frame.Find(raw, frame.Root(raw), member)
	if !ok {
		return 0
	}
	return frame.Type(raw, value)
}

// renamed changes nothing but the name.
func renamed(kind pin.Kind, raw []byte, root frame.Span, name string) []byte {
	if !calledByName(kind) {
		return raw
	}
	e := editor{raw: raw}
	if value, ok := frame.Find(raw, root, "name"); ok {
		e.rename(value, name)
	}
	return e.done()
}

// calledByName reports whether items of a kind are called by their names.
func calledByName(kind pin.Kind) bool { return kind == pin.Tool || kind == pin.Prompt }

// address reports whether a member holds an address. It stays as it is: what is pinned and read is known by it.
func address(key string) bool {
	switch key {
	case "uri", "uriTemplate", "resourceUri", "ui/resourceUri", "openai/outputTemplate":
		return true
	}
	return false
}

// editor collects the changes to one JSON value.
type editor struct {
	raw        []byte
	strict     bool
	characters bool // only characters change: nothing is shortened
	nodes      int  // how many more values may stay
	edits      []frame.Edit
}

func (e *editor) done() []byte {
	if len(e.edits) == 0 {
		return e.raw
	}
	out := frame.Splice(make([]byte, 0, len(e.raw)), e.raw, e.edits)
	if e.strict && len(out) > strictBytes { // mostly white space between values
		var short bytes.Buffer
		if json.Compact(&short, out) == nil {
			return short.Bytes()
		}
	}
	return out
}

// attempt makes the changes of try, or none if try says that the value goes.
func (e *editor) attempt(try func() bool) bool {
	edits, nodes := len(e.edits), e.nodes
	if try() {
		return true
	}
	e.edits, e.nodes = e.edits[:edits], nodes
	return false
}

// take counts one value and reports whether it may stay.
func (e *editor) take(nodes int) bool {
	if e.nodes < nodes {
		return false
	}
	e.nodes -= nodes
	return true
}

func (e *editor) replace(v frame.Span, with string) {
	if string(v.Of(e.raw)) != with {
		e.edits = append(e.edits, frame.Edit{Start: v.Start, End: v.End, With: []byte(with)})
	}
}

// rename gives an item the name by which the client knows it.
func (e *editor) rename(value frame.Span, name string) {
	if own, _ := frame.StringBytes(e.raw, value); string(own) != name {
		e.replace(value, string(frame.AppendString(nil, name)))
	}
}

// object keeps the members that keep accepts, in order; keep may change them.
func (e *editor) object(v frame.Span, keep func(key string, m frame.Member) bool, add ...[]byte) {
	made := frame.EditObject(e.raw, v, func(key string, m frame.Member) bool {
		return e.attempt(func() bool { return keep(key, m) })
	}, add...)
	e.edits = append(e.edits, made...)
}

// array is object for an array.
func (e *editor) array(v frame.Span, keep func(v frame.Span) bool) {
	made := frame.EditArray(e.raw, v, func(_ int, v frame.Span) bool {
		return e.attempt(func() bool { return keep(v) })
	})
	e.edits = append(e.edits, made...)
}

// empty makes an object or array empty.
func (e *editor) empty(v frame.Span) {
	e.edits = append(e.edits, frame.EditObject(e.raw, v, func(string, frame.Member) bool { return false })...)
	e.edits = append(e.edits, frame.EditArray(e.raw, v, func(int, frame.Span) bool { return false })...)
}

// shaped returns what stays of the string at v, which may be a key, and whether that is less than it has.
func (e *editor) shaped(v frame.Span, s shape) (kept []glyph, less bool) {
	content := v.Of(e.raw)
	content = content[1 : len(content)-1]
	if s.fits(content, e.strict) {
		return nil, false
	}
	text := glyphsIn(content, s.reads())
	kept = s.of(text, e.strict)
	return kept, len(kept) < len(text) || text[len(text)-1].end < len(content)
}

// text makes a string what its shape says.
func (e *editor) text(v frame.Span, s shape) {
	if content := e.raw[v.Start+1 : v.End-1]; len(content) > longText && s == (shape{}) {
		if hides(content, e.strict) {
			e.edits = append(e.edits, frame.Edit{Start: v.Start + 1, End: v.End - 1, With: scrub(content, e.strict)})
		}
		return
	}
	if kept, less := e.shaped(v, s); less {
		e.only(v, kept)
	}
}

// only leaves these characters of the string at v.
func (e *editor) only(v frame.Span, kept []glyph) {
	content := e.raw[v.Start+1 : v.End-1]
	e.edits = append(e.edits, frame.Edit{Start: v.Start + 1, End: v.End - 1, With: rest(content, kept)})
}

// rest is the content of a JSON string with these characters alone, spelled as they are.
func rest(content []byte, kept []glyph) []byte {
	var out []byte
	for _, g := range kept {
		out = append(out, content[g.start:g.end]...)
	}
	return out
}

// keys prepares to clean the keys of an object whose keys are names of a server's own, such as those of its properties: a name that stays
// in part becomes that part. A key is dropped if nothing stays of it, if its object has the rest already (or nearly, see "One reading" in
// docs/relay.md), or if only we may write the rest.
func (e *editor) keys(object frame.Span, s shape) (keep func(m frame.Member) bool) {
	var taken map[string]bool
	frame.Members(e.raw, object, func(_ string, m frame.Member) bool {
		if _, less := e.shaped(m.Key, s); less {
			taken = map[string]bool{}
		}
		return taken == nil
	})
	if taken == nil {
		return func(frame.Member) bool { return true }
	}
	frame.Members(e.raw, object, func(_ string, m frame.Member) bool {
		if _, less := e.shaped(m.Key, s); !less {
			taken[frame.FoldedKey(e.raw[m.Key.Start+1:m.Key.End-1])] = true
		}
		return true
	})
	return func(m frame.Member) bool {
		kept, less := e.shaped(m.Key, s)
		if !less {
			return true
		}
		folded := frame.FoldedKey(rest(e.raw[m.Key.Start+1:m.Key.End-1], kept))
		if len(kept) == 0 || taken[folded] || frame.IsOurs(textOf(kept)) {
			return false
		}
		taken[folded] = true
		e.only(m.Key, kept)
		return true
	}
}
