package proxy

import (
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// skillReads compares what clients read of skills with the entries that are approved.
type skillReads struct{ checks *declared.Checker }

// reads reports whether a request is a resources/read.
func (r *request) reads() bool { return r.method == methodResource && r.spelled == "resources/read" }

// arrived looks at the response to a resources/read. A file that is not the one that its skill lists becomes an item, and the refusal waits for
// the check that makes it one.
func (s *skillReads) arrived(r *request, line []byte) {
	if !r.reads() {
		return
	}
	v := s.checks.View()
	if !v.Skilled() {
		return
	}
	content, skill := v.Misread(r.name, line)
	if skill != "" && s.checks.Skills.Stray(v, skill, r.name, content) {
		r.need = s.checks.Demand(true)
	}
}

// refusesFile reports why the response to a resources/read may not pass: it holds a file of a skill that is not the one that an approved entry lists.
func refusesFile(v *declared.View, r *request, line []byte) refusal.Reason {
	if !r.reads() || !v.Skilled() || v.ReadsSkills(r.name, line) {
		return refusal.None
	}
	if file := pin.Key(pin.Skill, r.name); v.State.Items[file].Code != "" { // the file is an item of its own
		r.item = file
	}
	return refusal.SkillMismatch
}

// reviewed takes the text of a SKILL.md that a person has read and allowed out of what is inspected: it is orders to the model by its nature. With
// a standing rule (inspect.descriptions) it stays.
func reviewed(v *declared.View, r *request, text []byte) []byte {
	if !r.reads() || !v.Skilled() || !v.ShownText(r.name) {
		return text
	}
	root := frame.Root(text)
	contents, ok := frame.Find(text, root, "contents")
	if !ok {
		contents, _ = frame.Find(text, root, "result", "contents")
	}
	var edits []frame.Edit
	frame.Elements(text, contents, func(_ int, one frame.Span) bool {
		for _, member := range []string{"text", "blob"} {
			if span, ok := frame.Find(text, one, member); ok {
				edits = append(edits, frame.Edit{Start: span.Start, End: span.End, With: []byte(`""`)})
			}
		}
		return false // it is alone: see View.ReadsSkills
	})
	if len(edits) == 0 {
		return text
	}
	return frame.Splice(nil, text, edits)
}

// concernsSkill finds the skill that a request for a file or a folder is about. Before the first snapshot nobody knows.
func concernsSkill(v *declared.View, r *request) {
	if v.Skilled() && (r.method == methodResource || r.method == methodReadFolder) {
		r.item = v.SkillItem(r.name)
	}
}

// named has a skill that no listing named become an item, if a client asked for it and is refused. It returns the number of the check that asks
// the server for it, 0 for none.
func (s *skillReads) named(v *declared.View, r *request, why refusal.Reason) (check uint64) {
	if why == refusal.Unknown && v.Skilled() && (r.method == methodGetSkill || r.reads()) && s.checks.Skills.Named(r.name) {
		return s.checks.Demand(true)
	}
	return 0
}

// announcedSkills notes that a server offers skills, if this member of its capabilities says so.
func announcedSkills(line []byte, member string, value frame.Span, into map[string]bool) {
	if member != "extensions" && member != "experimental" {
		return
	}
	if skills, ok := frame.Find(line, value, pin.SkillsExtension); ok && frame.Type(line, skills) == '{' {
		into[pin.SkillsExtension] = true
	}
}

// whyNotSkill is the reason why a file or a folder of skills can't be read. item is its skill, if one is known.
func whyNotSkill(v *declared.View, item string) refusal.Reason {
	if v.Allows(item) {
		return refusal.SkillFile // the skill is approved, and this is none of its files
	}
	return v.WhyNot(item)
}
