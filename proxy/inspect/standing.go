package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// Redacted replaces text that a person's standing rule keeps from the client.
const Redacted = "[REDACTED]"

// Standing is a definition under a person's standing rule for what servers declare (inspect.descriptions). It goes by the level that the
// catalogue gives a rule, not by what a match means in its context: who sets the rule wants none of these words, honest ones either.
type Standing struct {
	Definition []byte   // what is left; the definition itself if nothing was found
	Withheld   bool     // the item is not listed and can't be called
	Level      Level    // of the gravest rule, "" if none was found
	Rules      []string // those found, each once, gravest first
}

// Stand applies the rule to one definition. Matches of Critical and High rules become Redacted. If block is set, a Critical one withholds
// the item instead. So does one in a place that a call or a client repeats, such as a name, a key or an enum: there it can't be replaced.
// And so do more of them than are noted: what isn't replaced would pass. silenced are rules that a person has excepted, up to a level; never
// a Critical one. raw must have passed frame.Validate or frame.Scan.
func (f *RuleFile) Stand(raw []byte, block bool, silenced map[string]Level) Standing {
	s := Standing{Definition: raw}
	var spans []frame.Span
	all, cut := f.grave(raw)
	for _, found := range all {
		level := found.Catalogue
		if level.Rank() < High.Rank() || found.Rule == ANSIEscape { // that has a setting of its own, and comes last
			continue
		}
		if up, ok := silenced[found.Rule]; ok && level != Critical && level.Rank() <= up.Rank() {
			continue
		}
		if s.Level.Rank() < level.Rank() {
			s.Level = level
		}
		if !slices.Contains(s.Rules, found.Rule) {
			s.Rules = append(s.Rules, found.Rule)
		}
		at, in := locate(raw, frame.Root(raw), found)
		if block && level == Critical || in != inText || repeated(found.Where) {
			s.Withheld = true
		}
		spans = append(spans, at)
	}
	if cut {
		s.Withheld, s.Level = true, cmp.Or(s.Level, High)
	}
	slices.SortStableFunc(s.Rules, func(a, b string) int {
		return cmp.Compare(rules.Named(b).Catalogue.Rank(), rules.Named(a).Catalogue.Rank())
	})
	if !s.Withheld && len(spans) > 0 {
		s.Definition = redacted(raw, spans)
	}
	return s
}

// grave are the findings in a definition without those of rules that the catalogue calls Medium or Low, which would take the room of the
// others. cut: there are more.
func (f *RuleFile) grave(raw []byte) (all []Finding, cut bool) {
	w := newWeigher(f.compiled(), Metadata)
	defer w.release()
	w.grave = true
	w.value.strings(raw, w)
	w.done()
	w.heard()
	all = Catalogued(Definition(raw))
	worst := Worst(all).Rank()
	return append(all, Catalogued(w.Findings)...), w.cut || len(all) >= maxFindings && worst >= High.Rank()
}

// repeatedKeys are members whose value is repeated by a call, or by a client that reads a resource or fills in a schema.
var repeatedKeys = []string{
	"name", "uri", "uriTemplate", "mimeType", "enum", "const", "default", "required", "pattern", "format", "type", "dependentRequired",
	"$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema",
}

// repeated reports whether the value at a path is one of those.
func repeated(path string) bool {
	last := ""
	for path != "" {
		segment, rest, ok := cutSegment(path)
		if !ok {
			return true
		}
		if segment[0] != '[' || strings.HasPrefix(segment, `["`) {
			last = segment
		}
		path = rest
	}
	return slices.Contains(repeatedKeys, last)
}

// redacted is a definition with these parts of its strings replaced. Parts that touch are one.
func redacted(raw []byte, spans []frame.Span) []byte {
	slices.SortFunc(spans, func(a, b frame.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	var edits []frame.Edit
	for _, at := range spans {
		if last := len(edits) - 1; last >= 0 && at.Start <= edits[last].End {
			edits[last].End = max(edits[last].End, at.End)
			continue
		}
		edits = append(edits, frame.Edit{Start: at.Start, End: at.End, With: []byte(Redacted)})
	}
	return frame.Splice(make([]byte, 0, len(raw)), raw, edits)
}
