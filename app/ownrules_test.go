package app

import (
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/inspect"
)

var ruleFor, nameOf, ruleFileAt = stage.RuleFor, stage.RuleSet, stage.RuleFile

func (p *place) ruleSet() string {
	p.t.Helper()
	s, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	return s.RuleSet
}

// rulesProblem is the problem with the rule file in the status, "" for none.
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

func TestARuleFileThatIsNamedCountsAtOnceAndWrappersGetIt(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	before := p.ruleSet()
	p.set(settings.KeyRules, ruleFileAt(t, ruleFor("open")))
	if got := p.ruleSet(); got != nameOf(t, ruleFor("open")) || got == before {
		t.Fatalf("rule set %s", got)
	}
	if string(w.Last(t).Rules) != ruleFor("open") {
		t.Fatalf("the wrapper has %s", w.Last(t).Rules)
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
	if p.ruleSet() != before || w.Last(t).Rules != nil {
		t.Errorf("off: %s, %s", p.ruleSet(), w.Last(t).Rules)
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
	if string(w.Last(t).Rules) != ruleFor("shut") {
		t.Errorf("the wrapper has %s", w.Last(t).Rules)
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
		if p.ruleSet() != nameOf(t, ruleFor("shut")) || string(w.Last(t).Rules) != ruleFor("shut") {
			t.Errorf("the old rules went: %s, %s", p.ruleSet(), w.Last(t).Rules)
		}
	}
	// As editors write: a new file replaces it.
	write(t, path+".new", ruleFor("open"))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
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
		if w := p.wrap("weather"); string(w.Last(t).Rules) != ruleFor("open") {
			t.Errorf("the wrapper has %s", w.Last(t).Rules)
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
