package pin

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
)

func fileEntry(uri, content string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":"sha256:%x","size":%d}`, uri, sha256.Sum256([]byte(content)), len(content))
}

func skillEntry(front string, files ...string) string {
	return `{"uri":"skill://acme/refunds/SKILL.md","frontmatter":` + front + `,"resources":[` + strings.Join(files, ",") + `]}`
}

const plainFront = `{"name":"refunds","description":"Process refunds"}`

func TestAnEntryOfASkillBindsItsFilesOrNothing(t *testing.T) {
	main := fileEntry("skill://acme/refunds/SKILL.md", "text")
	for name, c := range map[string]struct {
		raw string
		why error
	}{
		"a plain entry":                      {skillEntry(plainFront, main), nil},
		"with an escape":                     {skillEntry(plainFront, main, fileEntry("skill://acme/refunds/Q%26A.md", "x")), nil},
		"dynamic":                            {`{"uri":"skill://a/SKILL.md","frontmatter":` + plainFront + `,"resources":"dynamic"}`, nil},
		"another scheme":                     {strings.ReplaceAll(skillEntry(plainFront, main), "skill://", "github://"), nil},
		"a file without a host":              {strings.ReplaceAll(skillEntry(plainFront, main), "skill://", "file:///"), nil},
		"no files":                           {`{"uri":"skill://a/SKILL.md","frontmatter":` + plainFront + `}`, errSkillFiles},
		"another word for dynamic":           {`{"uri":"skill://a/SKILL.md","frontmatter":` + plainFront + `,"resources":"Dynamic"}`, errSkillFiles},
		"no description":                     {skillEntry(`{"name":"refunds"}`, main), errSkillFront},
		"a name that is no text":             {skillEntry(`{"name":7,"description":"x"}`, main), errSkillFront},
		"without SKILL.md":                   {skillEntry(plainFront, fileEntry("skill://acme/refunds/a.md", "x")), errSkillMain},
		"a file twice":                       {skillEntry(plainFront, main, main), errSkillTwice},
		"a file beside its folder":           {skillEntry(plainFront, main, fileEntry("skill://acme/refunds-2/a.md", "x")), errSkillOutside},
		"a file above its folder":            {skillEntry(plainFront, main, fileEntry("skill://acme/refunds/../a.md", "x")), errSkillOutside},
		"a file above its folder in escapes": {skillEntry(plainFront, main, fileEntry("skill://acme/refunds/%2e%2e/a.md", "x")), errSkillOutside},
		"a file with a query":                {skillEntry(plainFront, main, fileEntry("skill://acme/refunds/a.md?x", "x")), errSkillOutside},
		"a digest in capitals":               {skillEntry(plainFront, strings.ToUpper(main[:len(main)-10])+main[len(main)-10:]), errSkillFiles},
		"a short digest":                     {skillEntry(plainFront, `{"uri":"skill://acme/refunds/SKILL.md","digest":"sha256:00","size":1}`), errSkillFiles},
		"no size":                            {skillEntry(plainFront, strings.Replace(main, `"size":4`, `"bytes":4`, 1)), errSkillFiles},
		"a size that is no number of bytes":  {skillEntry(plainFront, strings.Replace(main, `"size":4`, `"size":4.5`, 1)), errSkillFiles},
		"a negative size":                    {skillEntry(plainFront, strings.Replace(main, `"size":4`, `"size":-4`, 1)), errSkillFiles},
		"an address that is no SKILL.md":     {strings.Replace(skillEntry(plainFront, main), "SKILL.md", "skill.md", 1), errSkillAddress},
		"a SKILL.md in no folder":            {`{"uri":"skill:///SKILL.md","frontmatter":` + plainFront + `,"resources":"dynamic"}`, errSkillAddress},
		"two readings":                       {`{"uri":"skill://a/SKILL.md","URI":"skill://b/SKILL.md","frontmatter":` + plainFront + `,"resources":"dynamic"}`, errSkillNotEntry},
	} {
		if _, err := ReadSkill([]byte(c.raw)); err != c.why {
			t.Errorf("%s: %v, want %v", name, err, c.why)
		}
	}
}

// rulesFound are the rules of a skill's findings, each once.
func rulesFound(findings []inspect.Finding) (rules []string) {
	for _, f := range findings {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return rules
}

func TestWhatASkillIsFoundToBe(t *testing.T) {
	text := "---\nname: refunds\ndescription: Process refunds\n---\nPay back what was paid.\n"
	uri := "skill://acme/refunds/SKILL.md"
	for name, c := range map[string]struct {
		front, text, listed string
		rules               []string
	}{
		"a plain skill":                        {plainFront, text, text, nil},
		"another text than listed":             {plainFront, text + "x", text, []string{SkillMismatch}},
		"a text of the listed size":            {plainFront, strings.Replace(text, "Pay", "pay", 1), text, []string{SkillMismatch}},
		"a grant":                              {`{"name":"refunds","description":"Process refunds","allowed-tools":"Bash(*)"}`, text, text, []string{SkillGrants}},
		"a grant in another spelling":          {`{"name":"refunds","description":"Process refunds","allowedTools":["Bash"]}`, text, text, []string{SkillGrants}},
		"hooks":                                {`{"name":"refunds","description":"Process refunds","hooks":{"Stop":[]}}`, text, text, []string{SkillGrants}},
		"a grant that only the text has":       {plainFront, strings.Replace(text, "name:", "allowed-tools: Bash(*)\nname:", 1), "", []string{SkillMismatch}},
		"the same behind Windows line ends":    {plainFront, strings.ReplaceAll(strings.Replace(text, "name:", "\"hooks\": {}\nname:", 1), "\n", "\r\n"), "", []string{SkillMismatch}},
		"another name in the text":             {plainFront, strings.Replace(text, "refunds", "payments", 1), "", []string{SkillMismatch}},
		"a description in quotes is not read":  {plainFront, strings.Replace(text, "Process refunds", `"Process refunds"`, 1), "", nil},
		"another name than its folder":         {`{"name":"git","description":"Process refunds"}`, strings.Replace(text, "refunds", "git", 1), "", []string{SkillName}},
		"a text that is none":                  {plainFront, "\xff\xfe", "", []string{SkillMismatch}},
		"invisible characters":                 {plainFront, text + "\u200b\u200b\u200b", "", []string{"invisible_characters"}},
		"a text too long to be read":           {plainFront, text + strings.Repeat("x", MaxSkillText), "", []string{SkillMismatch}},
		"a field that only looks like a grant": {plainFront, text + "\nallowed-tools: Bash\n", "", nil},
	} {
		if c.listed == "" {
			c.listed = c.text
		}
		item, err := ItemOf(Skill, []byte(skillEntry(c.front, fileEntry(uri, c.listed))))
		if err != nil || item.Name != uri || item.Key() != "skill:"+uri {
			t.Fatalf("%s: %v, %+v", name, err, item)
		}
		told := item.Told([]byte(c.text))
		if told.Digest != item.Digest {
			t.Errorf("%s: the text is part of the digest", name)
		}
		if got := rulesFound(told.Findings); !slices.Equal(got, c.rules) {
			t.Errorf("%s: found %q, want %q: %+v", name, got, c.rules, told.Findings)
		}
	}
	if item, _ := ItemOf(Skill, []byte(`{"uri":"skill://a/refunds/SKILL.md","frontmatter":`+plainFront+`,"resources":"dynamic"}`)); !slices.Equal(rulesFound(item.Findings), []string{UnpinnedSkill}) {
		t.Errorf("dynamic: %+v", item.Findings)
	}
}

func TestAFileInThePlaceOfAListedOneCanNeverBeAllowed(t *testing.T) {
	one, err := ItemOf(Skill, StrayFile("skill://a/SKILL.md", "skill://a/b.md", []byte("x")))
	if err != nil || !slices.Equal(rulesFound(one.Findings), []string{SkillMismatch}) || one.Key() != "skill:skill://a/b.md" {
		t.Fatalf("%v: %+v", err, one)
	}
	if other, _ := ItemOf(Skill, StrayFile("skill://a/SKILL.md", "skill://a/b.md", []byte("y"))); other.Digest == one.Digest {
		t.Error("another content is the same item")
	}
}

func TestWhatChangedInASkillIsSaidInWords(t *testing.T) {
	uri := "skill://acme/refunds/SKILL.md"
	before := skillEntry(plainFront, fileEntry(uri, "old"), fileEntry("skill://acme/refunds/a.md", "a"), fileEntry("skill://acme/refunds/gone.md", "g"))
	after := skillEntry(`{"name":"refunds","description":"Pay","allowed-tools":"Bash"}`, fileEntry("skill://acme/refunds/new.md", "n"), fileEntry("skill://acme/refunds/a.md", "a"), fileEntry(uri, "new"))
	var words []string
	for _, c := range Compare([]byte(before), []byte(after), Skill) {
		words = append(words, c.Words)
	}
	want := []string{
		"now asks that Claude may use tools without asking you: `Bash`", "description changed", "added: file `skill://acme/refunds/new.md`, 1 byte",
		"file `skill://acme/refunds/SKILL.md` has other content", "removed: file `skill://acme/refunds/gone.md`",
	}
	if !slices.Equal(words, want) {
		t.Errorf("said\n%q, want\n%q", words, want)
	}
	loose := `{"uri":"` + uri + `","frontmatter":` + plainFront + `,"resources":"dynamic"}`
	changes := Compare([]byte(skillEntry(plainFront, fileEntry(uri, "old"))), []byte(loose), Skill)
	if len(changes) != 1 || !strings.Contains(changes[0].Words, "made anew at every read") {
		t.Errorf("dynamic is said as %+v", changes)
	}
	if c := CompareTexts("Pay back.", "Pay back all."); len(c) != 1 || c[0].Path != "SKILL.md" || len(c[0].Text) == 0 {
		t.Errorf("another text is said as %+v", c)
	}
}

func TestAnAddressHasOneFoldedForm(t *testing.T) {
	for _, other := range []string{
		"SKILL://ACME/refunds/a.md", "skill://acme/x/../refunds/a.md", "skill://acme//refunds/./a.md", "skill://acme/refunds/%61.md", "skill://acme/refunds/%2561.md",
		"skill://acme/refunds/a.md?x=1", "skill://acme/refunds/a.md#top", `skill://acme\refunds\a.md`, "skill:acme/refunds/a.md", " skill://acme/refunds/a.md",
	} {
		if got := FoldedAddress(other); got != "skill://acme/refunds/a.md" {
			t.Errorf("%q is folded to %q", other, got)
		}
	}
}

func FuzzReadSkill(f *testing.F) {
	f.Add([]byte(skillEntry(plainFront, fileEntry("skill://acme/refunds/SKILL.md", "x"))), "---\nname: refunds\n---\n")
	f.Add([]byte(`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}`), "")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		s, err := ReadSkill(raw)
		if err != nil {
			return
		}
		for _, file := range s.Files {
			if !strings.HasPrefix(FoldedAddress(file.URI), FoldedAddress(s.Root())+"/") {
				t.Errorf("%q is outside of %q", file.URI, s.Root())
			}
		}
		if item, err := ItemOf(Skill, raw); err == nil {
			item.Told([]byte(text))
		}
	})
}
