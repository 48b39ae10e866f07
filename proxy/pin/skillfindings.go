package pin

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Rules of findings about skills. A skill with SkillMismatch can't be approved.
const (
	SkillMismatch = "skill_mismatch" // what is read is not what the entry binds, or the entry binds nothing
	UnpinnedSkill = "unpinned_skill" // the skill's files change at every read
	SkillGrants   = "skill_grants"   // the skill asks for rights on this computer
	SkillName     = "skill_name"     // another skill has its name
)

// MaxSkillText is the longest SKILL.md that is shown to a person; a longer one stays blocked.
const MaxSkillText = 1 << 20

// skillText is the place of findings in a skill's text.
const skillText = "SKILL.md"

// ofSkill are the findings in the entry of a skill.
func ofSkill(raw []byte) []inspect.Finding {
	s, err := ReadSkill(raw)
	if _, stray := frame.Find(raw, frame.Root(raw), "read"); err != nil && stray {
		return []inspect.Finding{Mismatched("A read of this file delivered another one than its skill lists")}
	}
	if err != nil {
		return []inspect.Finding{Mismatched("The entry of this skill binds nothing: " + err.Error())}
	}
	var found []inspect.Finding
	if s.Dynamic {
		found = append(found, inspect.Finding{
			Rule: UnpinnedSkill, Level: inspect.Medium, Category: "threat", Where: "resources",
			Title: "Its files are made anew at every read, so what you read here is not what Claude will read",
		})
	}
	for _, g := range s.grants {
		found = append(found, g.said())
	}
	if last := s.Root()[strings.LastIndexByte(s.Root(), '/')+1:]; last != s.Name {
		found = append(found, inspect.Finding{Rule: SkillName, Level: inspect.Medium, Category: "threat", Title: "Its name is not the one of its folder", Where: "frontmatter.name", Match: quoted(s.Name)})
	}
	return found
}

// Mismatched is the finding about a skill that serves something else than its entry binds. title is in our words.
func Mismatched(title string) inspect.Finding {
	return inspect.Finding{Rule: SkillMismatch, Level: inspect.High, Category: "threat", Title: title, Where: skillText}
}

// Told is the skill with the text of its SKILL.md, and with what is found in it. The text is not part of the digest: the entry binds it, and a
// text that the entry does not bind makes the skill one that can't be approved.
func (i Item) Told(text []byte) Item {
	s, err := ReadSkill(i.Raw)
	if i.Kind != Skill || err != nil {
		return i
	}
	var found []inspect.Finding
	f, bound := s.Main()
	switch {
	case bound && !f.Holds(text):
		found = append(found, Mismatched("Its SKILL.md is not the one that the skill's entry lists"))
	case len(text) > MaxSkillText:
		found = append(found, Mismatched("Its SKILL.md is longer than 1 MiB, which is too long to be reviewed"))
	case !utf8.Valid(text):
		found = append(found, Mismatched("Its SKILL.md is not a text"))
	default:
		if says := s.contradicts(string(text)); says != "" {
			found = append(found, Mismatched(says))
		}
	}
	i.Text = strings.ToValidUTF8(cut.Bytes(string(text), MaxSkillText), "\ufffd")
	found = append(found, inspect.JSON(frame.AppendString(nil, i.Text), skillText)...)
	i.Findings = append(i.Findings[:len(i.Findings):len(i.Findings)], found...)
	return i
}

// ThreatsIn are orders that rules find in the text of a skill. own are rules in addition to the catalogue, nil for none.
func ThreatsIn(text string, own *inspect.RuleFile) []inspect.Finding {
	found := own.Threats(frame.AppendString(nil, text)).Findings
	for i := range found {
		if found[i].Where == "" {
			found[i].Where = skillText
		}
	}
	return found
}

func quoted(s string) string { return cut.Runes(s, maxMatch) }

// SameSkillName is the finding about a skill whose name another skill of the server has.
func SameSkillName() inspect.Finding {
	return inspect.Finding{Rule: SkillName, Level: inspect.Medium, Category: "threat", Title: "Another skill of this server has the same name", Where: "frontmatter.name"}
}

// OthersSkillName is the same for a skill of another server.
func OthersSkillName() inspect.Finding {
	return inspect.Finding{Rule: SkillName, Level: inspect.Medium, Category: "threat", Title: "A skill of another server has the same name", Where: "frontmatter.name"}
}

// IsOthersSkillName reports whether a finding came from comparing a skill with other servers.
func IsOthersSkillName(f inspect.Finding) bool {
	return f.Rule == SkillName && f.Title == OthersSkillName().Title
}

// StrayFile is the definition of a file that a read delivered in place of the one that a skill lists. It is ours, and binds nothing: the item
// can't be approved.
func StrayFile(skill, uri string, content []byte) []byte {
	raw := frame.AppendString([]byte(`{"uri":`), uri)
	raw = frame.AppendString(append(raw, `,"skill":`...), skill)
	return fmt.Appendf(raw, `,"read":{"digest":"sha256:%x","size":%d}}`, sha256.Sum256(content), len(content))
}

// WithText is a definition together with what a skill tells the model, for those who judge both at once.
func WithText(definition []byte, text string) []byte {
	if text == "" || len(definition) == 0 {
		return definition
	}
	whole := append(append([]byte{'['}, definition...), ',')
	return append(frame.AppendString(whole, text), ']')
}
