package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// ruleFor is a rule file that finds one word.
func ruleFor(word string) string {
	return fmt.Sprintf(`{"version":1,"rules":[{"name":"own_%s","level":"high","title":"It says the word","metadata":5,"answer":5,"group":"danger","patterns":["%[1]s sesame"],"example":"%[1]s sesame","counter_example":"close it"}]}`, word)
}

// nameOf is the rule set of a file.
func nameOf(t testing.TB, raw string) string {
	t.Helper()
	file, err := inspect.LoadRules([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return file.RuleSet()
}

func (p *place) ruleSet() string {
	p.t.Helper()
	s, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	return s.RuleSet
}

// rulesProblem is what status says of the rule file, "" for nothing.
func (p *place) rulesProblem() string {
	p.t.Helper()
	s, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, problem := range s.Problems {
		if problem.Code == office.ProblemRules {
			return problem.What
		}
	}
	return ""
}

func ruleFileAt(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.json")
	write(t, path, text)
	return path
}

func TestARuleFileThatIsNamedCountsAtOnceAndWrappersGetIt(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	before := p.ruleSet()
	p.set(settings.KeyRules, ruleFileAt(t, ruleFor("open")))
	if got := p.ruleSet(); got != nameOf(t, ruleFor("open")) || got == before {
		t.Fatalf("rule set %s", got)
	}
	if string(w.last(t).Rules) != ruleFor("open") {
		t.Fatalf("the wrapper has %s", w.last(t).Rules)
	}
	if q := p.wrap("other", "npx", "other"); string(q.report(tool("a", "one")).Rules) != ruleFor("open") {
		t.Error("a wrapper that comes later has not got it")
	}
	var recorded bool
	for _, r := range p.records("config_change") {
		recorded = recorded || strings.Contains(r.Summary, "1 rule of your own") && strings.Contains(r.Summary, p.ruleSet())
	}
	if !recorded {
		t.Errorf("the timeline does not name the rule set: %+v", p.records("config_change"))
	}
	p.set(settings.KeyRules, "off")
	if p.ruleSet() != before || w.last(t).Rules != nil {
		t.Errorf("off: %s, %s", p.ruleSet(), w.last(t).Rules)
	}
}

func TestARuleFileThatDoesNotLoadIsRefusedAndNothingChanges(t *testing.T) {
	p := newPlace(t)
	good := ruleFileAt(t, ruleFor("open"))
	p.set(settings.KeyRules, good)
	held := p.ruleSet()
	folder := t.TempDir()
	for name, c := range map[string]struct{ path, text, want string }{
		"a rule that is wrong":  {"", strings.Replace(ruleFor("shut"), `"high"`, `"grave"`, 1), "rule 1 (own_shut): a level"},
		"no JSON":               {"", `{"version":1,`, "one reading"},
		"a file without an end": {"", `{"version":1}` + strings.Repeat(" ", 70<<10), "64 KiB"},
		"a file that is absent": {filepath.Join(folder, "none.json"), "", "cannot be opened"},
		"a folder":              {folder, "", "not a file"},
		"a device":              {os.DevNull, "", "not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = ruleFileAt(t, c.text)
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, "absent") // a device without a path of its own
			}
			e := wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: settings.KeyRules, Value: path, Decided: true})), control.CodeBadRequest)
			if c.path != os.DevNull && !strings.Contains(e.Message, c.want) || strings.Contains(e.Message, "\n") {
				t.Errorf("said %q, want %q", e.Message, c.want)
			}
			if p.setting(settings.KeyRules) != good || p.ruleSet() != held || p.rulesProblem() != "" {
				t.Errorf("now %s by %s, %s", p.setting(settings.KeyRules), p.ruleSet(), p.rulesProblem())
			}
		})
	}
	if raw, err := os.ReadFile(p.home.Settings); err != nil || !strings.Contains(string(raw), "rules.json") {
		t.Errorf("settings.json: %s, %v", raw, err)
	}
}

func TestToNameAnotherRuleFileOrNoneIsADecision(t *testing.T) {
	p := newPlace(t)
	query := control.SettingQuery{Key: settings.KeyRules, Value: ruleFileAt(t, ruleFor("open"))}
	if _, err := p.SetSetting(inside, query); err != nil {
		t.Fatalf("the first file is asked about: %v", err)
	}
	for _, other := range []string{ruleFileAt(t, ruleFor("shut")), "off", ""} {
		wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: settings.KeyRules, Value: other})), control.CodeLoosens)
	}
	if p.ruleSet() != nameOf(t, ruleFor("open")) {
		t.Error("it was done before it was decided")
	}
	other := ruleFileAt(t, ruleFor("shut"))
	replace(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(other)+`}`)
	eventually(t, "the item", func() bool { return p.waits() == 1 })
	if p.ruleSet() != nameOf(t, ruleFor("open")) || p.setting(settings.KeyRules) != query.Value {
		t.Error("an edit by hand was followed before it was decided")
	}
	write(t, other, `{`)
	wantError(t, errOf(p.Decide(person, control.Decide{Code: p.item().Code, Digest: p.item().Digest, All: true})), control.CodeBadRequest)
	write(t, other, ruleFor("shut"))
	p.approve(p.item())
	if p.ruleSet() != nameOf(t, ruleFor("shut")) || p.setting(settings.KeyRules) != other {
		t.Errorf("approved: %s by %s", p.setting(settings.KeyRules), p.ruleSet())
	}
}

func TestARuleFileIsFollowedAndOneThatBreaksLeavesTheOldRules(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	path := ruleFileAt(t, ruleFor("open"))
	write(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(path)+`}`)
	eventually(t, "the file", func() bool { return p.ruleSet() == nameOf(t, ruleFor("open")) })
	write(t, path, ruleFor("shut"))
	eventually(t, "the change", func() bool { return p.ruleSet() == nameOf(t, ruleFor("shut")) })
	if string(w.last(t).Rules) != ruleFor("shut") {
		t.Errorf("the wrapper has %s", w.last(t).Rules)
	}
	for _, broken := range []string{`{"version":1,"rules":[{}]}`, ""} {
		if broken == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else {
			write(t, path, broken)
		}
		eventually(t, "the problem", func() bool { return strings.Contains(p.rulesProblem(), "its earlier version still applies: 1 rule") })
		if p.ruleSet() != nameOf(t, ruleFor("shut")) || string(w.last(t).Rules) != ruleFor("shut") {
			t.Errorf("the old rules went: %s, %s", p.ruleSet(), w.last(t).Rules)
		}
	}
	// As an editor writes: another file takes its place.
	write(t, path+".new", ruleFor("open"))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the mended file", func() bool { return p.ruleSet() == nameOf(t, ruleFor("open")) && p.rulesProblem() == "" })
}

func TestAFileNamedByHandThatDoesNotLoadIsToldOf(t *testing.T) {
	p := newPlace(t)
	path := ruleFileAt(t, `{`)
	write(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(path)+`}`)
	eventually(t, "the problem", func() bool { return strings.Contains(p.rulesProblem(), "no rules of your own apply") })
	write(t, path, ruleFor("open"))
	eventually(t, "the mended file", func() bool { return p.ruleSet() == nameOf(t, ruleFor("open")) && p.rulesProblem() == "" })
}

func TestARestartDoesNotDropRulesWhoseFileIsBroken(t *testing.T) {
	p := newPlace(t)
	path := ruleFileAt(t, ruleFor("open"))
	p.set(settings.KeyRules, path)
	for _, broken := range []string{`{"version":1,`, ""} {
		if broken != "" {
			write(t, path, broken)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		p = p.again()
		if p.ruleSet() != nameOf(t, ruleFor("open")) || !strings.Contains(p.rulesProblem(), "still applies: 1 rule") {
			t.Fatalf("after a restart: %s, %q", p.ruleSet(), p.rulesProblem())
		}
		if w := p.wrap("weather"); string(w.last(t).Rules) != ruleFor("open") {
			t.Errorf("the wrapper has %s", w.last(t).Rules)
		}
	}
	write(t, path, ruleFor("shut"))
	p = p.again()
	if p.ruleSet() != nameOf(t, ruleFor("shut")) || p.rulesProblem() != "" {
		t.Errorf("mended: %s, %q", p.ruleSet(), p.rulesProblem())
	}
	p.set(settings.KeyRules, "off")
	if p = p.again(); p.ruleSet() != inspect.RuleSet() {
		t.Errorf("off: %s", p.ruleSet())
	}
}

func TestWhatWaitsIsLookedAtAgainByRulesThatCome(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.report(tool("a", "Say open sesame to it."))
	found := func() string {
		detail, err := p.Item(p.item().Code)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, part := range detail.Details {
			for _, f := range part.Findings {
				rules = append(rules, f.Rule)
			}
		}
		return strings.Join(rules, " ")
	}
	if found() != "" {
		t.Fatalf("found %s", found())
	}
	p.set(settings.KeyRules, ruleFileAt(t, ruleFor("open")))
	if found() != "own_open" {
		t.Errorf("after the rules came: %s", found())
	}
	p.set(settings.KeyRules, "off")
	w.report(tool("a", "Say open sesame to it."))
	if found() != "" {
		t.Errorf("declared again without the rules: %s", found())
	}
}
