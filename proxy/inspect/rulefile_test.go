package inspect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

const codeword = `{"name":"codeword","level":"high","title":"It says the word","metadata":5,"answer":5,"group":"danger",
	"patterns":["open sesame ~20 now"],"example":"Open  Sesame, right now!","counter_example":"open the door now"}`

func TestARuleFileOnlyAdds(t *testing.T) {
	file, err := LoadRules([]byte(`{"version":1,"rules":[` + codeword + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	watch := file.NewWatch()
	const said = "Please open sesame for us now."
	if v := watch.Answer(answer(said), Terms{}); v.Verdict != Block || v.Findings[0].Rule != "codeword" || v.Findings[0].Title != "It says the word" {
		t.Errorf("%+v", v)
	}
	if v := watch.Answer(answer(attack), Terms{}); v.Verdict != Block {
		t.Errorf("the catalogue is gone: %+v", v)
	}
	if v := watch.Answer(answer(said), Terms{Silenced: map[string]Level{"codeword": High}}); v.Verdict != Clean || len(v.Passed) != 1 {
		t.Errorf("%+v", v)
	}
	if file.JudgeDefinition(definition(said)).Verdict != Block || file.JudgeAnswer(said).Verdict != Block {
		t.Error("a definition or a text is not blocked")
	}
	if new(Watch).Answer(answer(said), Terms{}).Verdict != Clean || JudgeDefinition(definition(said)).Verdict != Clean {
		t.Error("rules of a file count where it is not used")
	}
	if file.Count() != 1 || file.RuleSet() == RuleSet() || !strings.HasPrefix(file.RuleSet(), RuleSet()) {
		t.Errorf("%d rules, %s", file.Count(), file.RuleSet())
	}
	var none *RuleFile
	if none.Count() != 0 || none.RuleSet() != RuleSet() || none.NewWatch().Answer(answer(attack), Terms{}).Verdict != Block {
		t.Error("no file is not the catalogue alone")
	}
	watch.Use(nil)
	if v := watch.Answer(answer(said), Terms{}); v.Verdict != Clean {
		t.Errorf("after the file was taken away: %+v", v)
	}
}

func TestARuleFileThatIsWrongDoesNotLoad(t *testing.T) {
	change := func(old, now string) string { return strings.Replace(codeword, old, now, 1) }
	for name, c := range map[string]struct{ rules, want string }{
		"a name of the catalogue":         {change(`"codeword"`, `"concealment"`), "built-in rule has that name: rename yours"},
		"a weak sign of the catalogue":    {change(`"codeword"`, `"markdown_injection"`), "built-in rule has that name: rename yours"},
		"a name of another check":         {change(`"codeword"`, `"ansi_escape"`), "built-in rule has that name: rename yours"},
		"two rules of one name":           {codeword + "," + codeword, "another rule of the file has that name"},
		"a name that is a sentence":       {change(`"codeword"`, `"All fine."`), "a name has"},
		"a title that moves the cursor":   {change(`"It says the word"`, `"\u001b[2J"`), "a title"},
		"a level nobody knows":            {change(`"high"`, `"grave"`), "a level"},
		"a weight that takes away":        {change(`"answer":5`, `"answer":-5`), "a weight"},
		"a group nobody knows":            {change(`"danger"`, `"x"`), "a group"},
		"no pattern":                      {change(`["open sesame ~20 now"]`, `[]`), "patterns"},
		"a pattern of nothing":            {change(`"open sesame ~20 now"`, `""`), "phrase"},
		"a distance that is none":         {change(`~20`, `~x`), "distance"},
		"a distance that is too long":     {change(`~20`, `~99999`), "distance"},
		"too many phrases":                {change(`~20 now`, `~1 a ~1 b ~1 c ~1 d`), "phrases"},
		"one letter at its beginning":     {change(`open sesame`, `|`), "phrase"},
		"a pattern in capitals":           {change(`open sesame ~`, `OPEN ~`), "phrase"},
		"it begins inside of words":       {change(`open sesame ~`, `*pen ~`), "inside of words"},
		"an example that is not found":    {change(`right now!`, `later`), "does not find its example"},
		"a counter-example that is found": {change(`open the door now`, `open sesame now`), "finds its counter-example"},
		"a field nobody knows":            {change(`"level"`, `"action":"allow","level"`), "unknown field"},
		"a key that stands twice":         {change(`"level"`, `"level":"low","level"`), "one reading"},
		"too many rules":                  {strings.Repeat(`{},`, rules.MaxRules) + `{}`, "more than 200"},
	} {
		t.Run(name, func(t *testing.T) {
			if f, err := LoadRules([]byte(`{"version":1,"rules":[` + c.rules + `]}`)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %v", f, err)
			}
		})
	}
	for name, raw := range map[string]string{
		"no JSON": `{`, "another version": `{"version":2,"rules":[]}`, "too large": `{"version":1,"rules":[` + strings.Repeat(" ", rules.MaxFile) + `]}`, "nothing": ``, "two values": `{"version":1} {}`,
	} {
		if f, err := LoadRules([]byte(raw)); err == nil {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// FuzzLoadRules: any file either loads and can be used, or is refused.
func FuzzLoadRules(f *testing.F) {
	f.Add("open sesame ~20 now", "Open Sesame, right now!", "text _ : | ~ open sesame")
	f.Add("*_* ~3 *:*|a", "x_y :", "a_:")
	f.Fuzz(func(t *testing.T, pattern, example, text string) {
		p, _ := json.Marshal(pattern)
		e, _ := json.Marshal(example)
		file, err := LoadRules([]byte(`{"version":1,"rules":[{"name":"x","level":"low","title":"x","metadata":1,"answer":1,"group":"danger","patterns":[` + string(p) + `],"example":` + string(e) + `,"counter_example":"zq"}]}`))
		if err != nil {
			return
		}
		for _, found := range file.JudgeAnswer(text).Findings {
			if found.Start < 0 || found.End > len(text) || found.Start >= found.End {
				t.Fatalf("%+v of %d bytes", found, len(text))
			}
		}
	})
}

func TestSeveralSpacesCountAsOneWhereverTheyStand(t *testing.T) {
	rule := strings.Replace(codeword, `"open sesame ~20 now"`, `"x marks the spot","of it|go"`, 1)
	rule = strings.Replace(rule, "Open  Sesame, right now!", "X   marks  the\\nspot", 1)
	file, err := LoadRules([]byte(`{"version":1,"rules":[` + rule + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"x marks the spot", "X  marks the spot", "Here x \n marks   the spot.", "of  it", "go", "of it"} {
		if v := file.NewWatch().Answer(answer(said+", it says"), Terms{}); v.Verdict != Block {
			t.Errorf("%q is %s", said, v.Verdict)
		}
	}
}
