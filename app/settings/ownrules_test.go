package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestARuleFileThatDoesNotLoadIsRefusedAndNothingChanges(t *testing.T) {
	p := newRoom(t)
	good := ruleFileAt(t, ruleFor("open"))
	p.set(KeyRules, good)
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
			e := wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: KeyRules, Value: path, Decided: true})), control.CodeBadRequest)
			if c.path != os.DevNull && !strings.Contains(e.Message, c.want) || strings.Contains(e.Message, "\n") {
				t.Errorf("said %q, want %q", e.Message, c.want)
			}
			if p.setting(KeyRules) != good || p.ruleSet() != held || p.rulesProblem() != "" {
				t.Errorf("now %s by %s, %s", p.setting(KeyRules), p.ruleSet(), p.rulesProblem())
			}
		})
	}
	if raw, err := os.ReadFile(p.home.Settings); err != nil || !strings.Contains(string(raw), "rules.json") {
		t.Errorf("settings.json: %s, %v", raw, err)
	}
}

func TestToNameAnotherRuleFileOrNoneIsADecision(t *testing.T) {
	p := newRoom(t)
	query := control.SettingQuery{Key: KeyRules, Value: ruleFileAt(t, ruleFor("open"))}
	if _, err := p.SetSetting(inside, query); err != nil {
		t.Fatalf("the first file is asked about: %v", err)
	}
	for _, other := range []string{ruleFileAt(t, ruleFor("shut")), "off", ""} {
		wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: KeyRules, Value: other})), control.CodeLoosens)
	}
	if p.ruleSet() != nameOf(t, ruleFor("open")) {
		t.Error("it was done before it was decided")
	}
	other := ruleFileAt(t, ruleFor("shut"))
	replace(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(other)+`}`)
	eventually(t, "the item", func() bool { return p.waits() == 1 })
	if p.ruleSet() != nameOf(t, ruleFor("open")) || p.setting(KeyRules) != query.Value {
		t.Error("an edit by hand was followed before it was decided")
	}
	write(t, other, `{`)
	wantError(t, errOf(p.decide(control.Decide{Code: p.item().Code, Digest: p.item().Digest, All: true})), control.CodeBadRequest)
	write(t, other, ruleFor("shut"))
	p.approve(p.item())
	if p.ruleSet() != nameOf(t, ruleFor("shut")) || p.setting(KeyRules) != other {
		t.Errorf("approved: %s by %s", p.setting(KeyRules), p.ruleSet())
	}
}

func TestAFileNamedByHandThatDoesNotLoadIsToldOf(t *testing.T) {
	p := newRoom(t)
	path := ruleFileAt(t, `{`)
	write(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(path)+`}`)
	eventually(t, "the problem", func() bool { return strings.Contains(p.rulesProblem(), "no rules of your own apply") })
	write(t, path, ruleFor("open"))
	eventually(t, "the mended file", func() bool { return p.ruleSet() == nameOf(t, ruleFor("open")) && p.rulesProblem() == "" })
}
