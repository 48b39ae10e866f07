package inspect

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
)

// Limits that no honest definition exceeds.
const (
	maxName        = 128      // characters
	maxDescription = 16 << 10 // bytes
	maxLevels      = 64       // of a schema; the schema itself is level 0
	maxNodes       = 10_000   // of a schema
)

const (
	maxAllFindings = 256 // of one JSON value
	maxDepth       = frame.MaxDepth
	maxWork        = 64 // how often a byte is visited again because of nesting
)

// JSON checks every string and key of a JSON value. where is the path of the value; findings inside are at "where.key" and "where[3]",
// those of a key at the path it leads to. raw must have passed frame.Validate or frame.Scan.
func JSON(raw []byte, where string) []Finding {
	w := newWalk(raw, where)
	w.value(raw, 0)
	return w.findings
}

// Definition is JSON for one pinned definition (an element of a listing, or the instructions as a JSON string). It also reports anything
// larger than an honest server makes it, keys that only we may write, a name in several alphabets, and a schema that is not an object.
func Definition(raw []byte) []Finding {
	w := newWalk(raw, "")
	w.pinned = true
	w.value(raw, 0)
	return append(w.findings, oddSchemas(raw)...)
}

// Threats weighs all texts of one pinned definition, keys included. raw must have passed frame.Validate or frame.Scan.
func Threats(raw []byte) Judged { return (*RuleFile)(nil).Threats(raw) }

type walk struct {
	path     []segment
	where    string
	budget   int
	pinned   bool // a definition: check limits and reserved keys
	schema   *size
	stopped  bool
	findings []Finding
}

// segment is one step of a path, formatted only if something is found.
type segment struct {
	key   string
	index int // -1 for a member
}

// size is the size of the schema being walked.
type size struct{ levels, nodes int }

func newWalk(raw []byte, where string) *walk {
	return &walk{where: where, budget: maxWork*len(raw) + 1<<20}
}

func (w *walk) at() string {
	where := w.where
	for _, s := range w.path {
		if s.index >= 0 {
			where = Element(where, s.index)
		} else {
			where = Member(where, s.key)
		}
	}
	return where
}

func (w *walk) add(f Finding) { w.findings = appendBounded(w.findings, f, maxAllFindings) }

func (w *walk) text(s string) {
	if firstHidden(s) < 0 {
		return
	}
	for _, f := range Text(s, w.at()) {
		w.add(f)
	}
}

func (w *walk) value(raw []byte, depth int) {
	w.budget -= len(raw)
	if depth > maxDepth || w.budget < 0 {
		if !w.stopped { // once: the rest is no smaller
			w.stopped = true
			w.beyond("Nested too deeply to be checked")
		}
		return
	}
	root := frame.Root(raw)
	if w.schema != nil {
		w.schema.nodes++
	}
	switch frame.Type(raw, root) {
	case '"':
		text, _ := frame.StringBytes(raw, root)
		w.string(string(text))
	case '{':
		frame.Members(raw, root, func(key string, m frame.Member) bool {
			w.path = append(w.path, segment{key, -1})
			w.text(key)
			if w.pinned && frame.IsOurs(key) { // the key is also cut wherever it occurs
				w.add(Finding{
					Rule: Impersonation, Level: High, Category: "threat", Title: "It writes a member that only Sallyport writes", Where: w.at(),
					End: len(key), Match: strings.Clone(cut.Runes(key, maxMatch)),
				})
			}
			w.member(key, m.Value.Of(raw), depth+1)
			w.path = w.path[:len(w.path)-1]
			return !w.stopped
		})
	case '[':
		frame.Elements(raw, root, func(i int, v frame.Span) bool {
			w.path = append(w.path, segment{"", i})
			w.level()
			w.value(v.Of(raw), depth+1)
			w.path = w.path[:len(w.path)-1]
			return !w.stopped
		})
	}
}

// member walks into one member, and measures the schemas at the top of a definition.
func (w *walk) member(key string, raw []byte, depth int) {
	if !w.pinned || depth != 1 || key != "inputSchema" && key != "outputSchema" {
		w.level()
		w.value(raw, depth)
		return
	}
	w.schema = &size{}
	w.value(raw, depth)
	s := *w.schema
	w.schema = nil
	if s.levels > maxLevels {
		w.beyond(fmt.Sprintf("A schema of more than %d levels", maxLevels))
	}
	if s.nodes > maxNodes {
		w.beyond("A schema of more than 10,000 parts")
	}
}

// level records how deep the schema goes: the path starts at the definition, and the schema is one step of it.
func (w *walk) level() {
	if w.schema != nil {
		w.schema.levels = max(w.schema.levels, len(w.path)-1)
	}
}

func (w *walk) string(s string) {
	w.text(s)
	if !w.pinned {
		return
	}
	key := w.key()
	if len(w.path) == 1 && (key == "name" || key == "uriTemplate") {
		if f, mixed := mixedName(s); mixed {
			f.Where = w.at()
			w.add(f)
		}
	}
	switch {
	case key == "name" && w.schema == nil && len(s) > maxName && len([]rune(s)) > maxName:
		w.beyond(fmt.Sprintf("A name of more than %d characters", maxName))
	case (key == "description" || key == "title" || len(w.path) == 0) && len(s) > maxDescription:
		w.beyond("A text of more than 16 KiB")
	}
}

// key is the current member, "" for an element or the value itself.
func (w *walk) key() string {
	if len(w.path) == 0 || w.path[len(w.path)-1].index >= 0 {
		return ""
	}
	return w.path[len(w.path)-1].key
}

func (w *walk) beyond(title string) {
	w.add(Finding{Rule: BeyondBounds, Level: Medium, Category: "threat", Title: title, Where: w.at()})
}

// schemaKinds names values that are not a schema, by their first character. An object is a schema.
var schemaKinds = map[byte]string{'"': "a text", '[': "a list", 't': "true", 'f': "false", 'n': "null", '0': "a number"}

// oddSchemas finds schemas of a tool that are not objects. The protocol allows only objects, and the official clients refuse the whole
// listing for one other value: all tools of the server are lost, without an explanation. On the way to the client (sanitizer.profile) an inputSchema
// is replaced and an outputSchema dropped, so each has a rule of its own.
func oddSchemas(raw []byte) (found []Finding) {
	root := frame.Root(raw)
	if frame.Type(raw, root) != '{' {
		return nil
	}
	for _, schema := range [...]struct{ key, rule string }{{"inputSchema", NotASchema}, {"outputSchema", OddSchema}} {
		key := schema.key
		value, ok := frame.Find(raw, root, key)
		if !ok || frame.Type(raw, value) == '{' {
			continue
		}
		what := schemaKinds[frame.Type(raw, value)]
		text := value.Of(raw)
		found = append(found, Finding{
			Rule: schema.rule, Level: Medium, Category: "threat", Where: key, End: len(text), Match: cut.Runes(string(text), maxMatch),
			Title: "Its " + key + " is " + what + ", not a schema; many clients then drop every tool of this server",
		})
	}
	return found
}
