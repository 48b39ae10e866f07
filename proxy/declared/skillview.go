package declared

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// skillSet is what a snapshot says about skills: whose files an address may be. It is never modified.
type skillSet struct {
	entries    []skillOf
	files      map[string][]SkillFile // by address, exactly as entries list them
	mismatched map[string]bool        // pin keys of what is not what its entry binds
}

// skillOf is one skill of a snapshot, whether it may be served or not.
type skillOf struct {
	key     string
	uri     string
	root    string // its folder, folded
	dynamic bool

	name, description string
}

// SkillFile is what one skill says about a file: which content it may have. A dynamic skill says nothing.
type SkillFile struct {
	pin.SkillFile
	Skill   string // address of the skill
	Dynamic bool
}

// Main reports whether the file is the SKILL.md of its skill, whose text a person has read if the skill is approved.
func (f SkillFile) Main() bool { return f.URI == f.Skill }

func (shot *snapshot) skillSet() *skillSet {
	if !shot.skills {
		return nil
	}
	set := &skillSet{files: map[string][]SkillFile{}, mismatched: map[string]bool{}}
	for _, item := range shot.items {
		if mismatched(item) {
			set.mismatched[item.Key()] = true
		}
		root := pin.SkillRoot(item.Name)
		if item.Kind != pin.Skill || root == "" {
			continue
		}
		one := skillOf{key: item.Key(), uri: item.Name, root: pin.FoldedAddress(root)}
		if entry, err := pin.ReadSkill(item.Raw); err == nil {
			one.dynamic, one.name, one.description = entry.Dynamic, entry.Name, entry.Description
			for _, f := range entry.Files {
				set.files[f.URI] = append(set.files[f.URI], SkillFile{SkillFile: f, Skill: item.Name})
			}
		}
		set.entries = append(set.entries, one)
	}
	return set
}

// OfSkill reports whether an address may lead to a file of a skill, known or not: below the folder of one, a SKILL.md, or of the scheme that the
// specification proposes.
func (v *View) OfSkill(uri string) bool {
	if v.Seen == nil || v.Seen.skills == nil {
		return false
	}
	folded := pin.FoldedAddress(uri)
	return strings.HasPrefix(folded, "skill:") || strings.HasSuffix(folded, "/skill.md") || v.Seen.skills.above(folded) != nil
}

// above is the innermost skill whose folder an address is in, or is; nil if there is none.
func (s *skillSet) above(folded string) (found *skillOf) {
	for i := range s.entries {
		one := &s.entries[i]
		inside := folded == one.root || strings.HasPrefix(folded, one.root+"/")
		if inside && (found == nil || len(one.root) > len(found.root)) {
			found = one
		}
	}
	return found
}

// SkillFiles are what the approved skills say about the file with exactly this address; none if it may not be read.
func (v *View) SkillFiles(uri string) (files []SkillFile) {
	if v.Seen == nil || v.Seen.skills == nil {
		return nil
	}
	for _, f := range v.Seen.skills.files[uri] {
		if v.Served[pin.Key(pin.Skill, f.Skill)] {
			files = append(files, f)
		}
	}
	folded := pin.FoldedAddress(uri)
	if one := v.Seen.skills.above(folded); one != nil && one.dynamic && v.Served[one.key] && folded != one.root && strings.HasPrefix(uri, pin.SkillRoot(one.uri)+"/") {
		files = append(files, SkillFile{SkillFile: pin.SkillFile{URI: uri}, Skill: one.uri, Dynamic: true})
	}
	return files
}

// SkillFolder reports whether an address is a folder of an approved skill's files, or above one.
func (v *View) SkillFolder(uri string) bool {
	if v.Seen == nil || v.Seen.skills == nil {
		return false
	}
	uri = strings.TrimSuffix(uri, "/")
	for file, of := range v.Seen.skills.files {
		if strings.HasPrefix(file, uri+"/") {
			for _, f := range of {
				if v.Served[pin.Key(pin.Skill, f.Skill)] {
					return true
				}
			}
		}
	}
	for _, one := range v.Seen.skills.entries {
		root := pin.SkillRoot(one.uri)
		if one.dynamic && v.Served[one.key] && (root == uri || strings.HasPrefix(root, uri+"/") || strings.HasPrefix(pin.FoldedAddress(uri), one.root+"/")) {
			return true
		}
	}
	return false
}

// SkillItem is the pin key that a request for an address counts as: that of the skill whose file it is, else the resource.
func (v *View) SkillItem(uri string) string {
	if !v.OfSkill(uri) {
		return pin.Key(pin.Resource, uri)
	}
	if files := v.SkillFiles(uri); len(files) > 0 {
		return pin.Key(pin.Skill, files[0].Skill)
	}
	if one := v.Seen.skills.above(pin.FoldedAddress(uri)); one != nil {
		return one.key
	}
	return pin.Key(pin.Skill, uri)
}

// SeenSkill reports whether this is the entry of a skill as the last snapshot saw it.
func (v *View) SeenSkill(uri string, digest pin.Digest) bool {
	return v.Seen != nil && v.Seen.digests[pin.Key(pin.Skill, uri)] == digest
}

// mismatches reports whether an item is not what its entry binds.
func (o *Observation) mismatches(key string) bool { return o.skills != nil && o.skills.mismatched[key] }

// Skilled reports whether the server may offer skills.
func (v *View) Skilled() bool { return v.Seen != nil && v.Seen.skills != nil }

// ReadsSkills reports whether the response to a resources/read holds no file of a skill except those that approved entries list, with digest and
// size. A server can give its answer another address than the one asked for, so both count.
func (v *View) ReadsSkills(asked string, line []byte) bool {
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok {
		return true
	}
	if v.OfSkill(asked) {
		content, alone := FileIn(line, result, asked)
		return alone && v.holds(asked, content)
	}
	clean := true
	contents, _ := frame.Find(line, result, "contents")
	frame.Elements(line, contents, func(_ int, one frame.Span) bool {
		at, _ := frame.Find(line, one, "uri")
		if uri, _ := frame.String(line, at); v.OfSkill(uri) {
			content, ok := fileOf(line, one, uri)
			clean = ok && v.holds(uri, content)
		}
		return clean
	})
	return clean
}

// holds reports whether a file may have this content by the entry of an approved skill.
func (v *View) holds(uri string, content []byte) bool {
	return slices.ContainsFunc(v.SkillFiles(uri), func(f SkillFile) bool { return f.Dynamic || f.Holds(content) })
}

// Misread is what the response to a read of an approved skill's file holds in place of the listed one; nil if it holds that. skill is "" if the
// file is none of an approved skill.
func (v *View) Misread(uri string, line []byte) (content []byte, skill string) {
	files := v.SkillFiles(uri)
	if len(files) == 0 || v.ReadsSkills(uri, line) {
		if len(files) > 0 {
			skill = files[0].Skill
		}
		return nil, skill
	}
	result, _ := frame.Find(line, frame.Root(line), "result")
	content, alone := FileIn(line, result, uri)
	if !alone || content == nil {
		content = []byte{} // something, but no file
	}
	return content, files[0].Skill
}

// ShownText reports whether a file is the SKILL.md of an approved skill, bound by its entry: a person has read it.
func (v *View) ShownText(uri string) bool {
	return v.Policy.Descriptions == descriptionsReview && slices.ContainsFunc(v.SkillFiles(uri), func(f SkillFile) bool { return f.Main() && !f.Dynamic })
}

// BindsFile reports whether an approved entry lists the file, so that a client compares its bytes.
func (v *View) BindsFile(uri string) bool {
	return slices.ContainsFunc(v.SkillFiles(uri), func(f SkillFile) bool { return !f.Dynamic })
}

// ListsSkillFile reports whether a resource may be listed: one that is no file of a skill, or a file or folder of an approved one. The
// description of a SKILL.md is then the one that was approved with its entry.
func (v *View) ListsSkillFile(line []byte, value frame.Span) bool {
	uri, ok := NameOf(pin.Resource, line, value)
	if !ok || !v.OfSkill(uri) {
		return true
	}
	files := v.SkillFiles(uri)
	if len(files) == 0 {
		return v.SkillFolder(uri)
	}
	i := slices.IndexFunc(v.Seen.skills.entries, func(one skillOf) bool { return one.uri == uri })
	if i < 0 {
		return true
	}
	entry := &v.Seen.skills.entries[i]
	for _, member := range []string{"description", "title"} {
		at, has := frame.Find(line, value, member)
		if text, _ := frame.String(line, at); has && text != entry.description && text != entry.name {
			return false
		}
	}
	return true
}

// FileIn is the one file that the result of a resources/read holds, as raw bytes; not ok if there is another number of them, or another one.
func FileIn(line []byte, result frame.Span, uri string) (content []byte, ok bool) {
	contents, found := frame.Find(line, result, "contents")
	if !found || frame.Type(line, contents) != '[' {
		return nil, false
	}
	n := 0
	frame.Elements(line, contents, func(_ int, one frame.Span) bool {
		n++
		content, ok = fileOf(line, one, uri)
		return n == 1
	})
	return content, ok && n == 1
}

func fileOf(line []byte, one frame.Span, uri string) ([]byte, bool) {
	at, _ := frame.Find(line, one, "uri")
	if own, wellFormed := frame.String(line, at); !wellFormed || own != uri {
		return nil, false
	}
	text, isText := frame.Find(line, one, "text")
	blob, isBlob := frame.Find(line, one, "blob")
	switch {
	case isText == isBlob:
		return nil, false // none, or two to choose from
	case isText:
		s, wellFormed := frame.String(line, text)
		return []byte(s), wellFormed
	}
	s, wellFormed := frame.String(line, blob)
	if !wellFormed {
		return nil, false
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	return raw, err == nil
}

// mismatched reports whether a skill can't be approved as it is.
func mismatched(item pin.Item) bool {
	return slices.ContainsFunc(item.Findings, func(f inspect.Finding) bool { return f.Rule == pin.SkillMismatch })
}
