package pin

import (
	"bytes"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// grant is a field of a skill's front matter by which it asks for more than to be read. A client that follows it gives a server's text
// rights on this computer, so a person is told in words.
type grant struct {
	key   string // as the skill spells it
	words string
	raw   []byte // its value
}

// grantWords are the fields, spelled without marks and in lower case, and what each asks for. Sources: the Agent Skills specification
// (allowed-tools), and the fields that Claude Code reads in a SKILL.md.
var grantWords = map[string]string{
	"allowedtools":          "asks that Claude may use tools without asking you",
	"tools":                 "asks that Claude may use tools without asking you",
	"permissions":           "asks for permissions of its own",
	"permissionmode":        "asks that Claude asks you less often",
	"hooks":                 "asks to run commands of its own at certain moments",
	"scripts":               "asks to run scripts of its own",
	"shell":                 "asks to run commands in a shell",
	"mcpservers":            "asks to start servers of its own",
	"additionaldirectories": "asks for more folders",
	"env":                   "asks to set variables",
}

// grantKey is how grantWords spells a field.
func grantKey(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(key))
}

// grantsIn are the grants that a front matter, as JSON, asks for.
func grantsIn(front []byte) []grant {
	all, err := members(front)
	if err != nil {
		return nil
	}
	var grants []grant
	for _, m := range all {
		if words := grantWords[grantKey(m.key)]; words != "" {
			grants = append(grants, grant{strings.Clone(m.key), words, bytes.Clone(m.raw)})
		}
	}
	return grants
}

// fieldsOf are the fields at the top of a SKILL.md's front matter, each with what is written behind it on its line. Only what is plain to read
// counts: the entry is what is pinned, and a client compares the two with a parser of its own.
func fieldsOf(text string) map[string]string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	inner, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil
	}
	fields := map[string]string{}
	for line := range strings.SplitSeq(inner, "\n") {
		if line == "---" || line == "..." {
			break
		}
		key, value, ok := strings.Cut(line, ":")
		if key = strings.Trim(strings.TrimSpace(key), `"'`); !ok || key == "" || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || line[0] == '-' {
			continue
		}
		fields[key] = strings.TrimSpace(value)
	}
	return fields
}

// contradicts reports what a SKILL.md claims of itself otherwise than the entry by which it is reviewed, "" for nothing.
func (s *SkillEntry) contradicts(text string) string {
	entry := map[string]bool{}
	for _, g := range s.grants {
		entry[grantKey(g.key)] = true
	}
	for key, value := range fieldsOf(text) {
		switch {
		case grantWords[grantKey(key)] != "" && !entry[grantKey(key)]:
			return "Its SKILL.md asks for more than the skill's entry says"
		case key == "name" && plainScalar(value) && value != s.Name, key == "description" && plainScalar(value) && value != s.Description:
			return "Its SKILL.md has another name or description than the skill's entry says"
		}
	}
	return ""
}

// plainScalar reports whether a value of YAML is a text that is written as it reads.
func plainScalar(value string) bool {
	return value != "" && !strings.ContainsAny(value[:1], `"'|>&*!%@[{#`+"`") && !strings.Contains(value, " #")
}

// said is the finding for a grant.
func (g grant) said() inspect.Finding {
	words := "It " + g.words
	value := string(g.raw)
	if kindOf(g.raw) == '"' {
		if s, err := decode(g.raw); err == nil {
			value = s
		}
	}
	return inspect.Finding{Rule: SkillGrants, Level: inspect.Medium, Category: "threat", Title: words, Where: inspect.Member("frontmatter", g.key), Match: quoted(value)}
}
