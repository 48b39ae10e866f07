package app

import (
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func (p *place) setting(key string) string {
	p.t.Helper()
	rows, err := p.Settings(control.SettingQuery{Key: key})
	if err != nil || len(rows) != 1 {
		p.t.Fatalf("%s: %+v, %v", key, rows, err)
	}
	return rows[0].Value
}

func (p *place) waits() int {
	items, err := p.Inbox()
	if err != nil {
		return -1
	}
	return len(items)
}

func TestAHandEditThatTightensAppliesAtOnce(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	write(t, p.home.Settings, `{"pins.recheck": "5s", "pins.resources": true}`)
	eventually(t, "the new value", func() bool { return p.setting("pins.recheck") == "5s" })
	if p.setting("pins.resources") != "on" {
		t.Fatal("the second value does not hold")
	}
	p.quiet()
	eventually(t, "the wrapper's value", func() bool { return w.last(t).Settings["pins.recheck"] == "5s" })
	if got := p.records("config_change"); len(got) != 1 {
		t.Fatalf("records %+v", got)
	}
}

func TestAHandEditThatLoosensWaitsAndTheStricterValueHolds(t *testing.T) {
	for _, c := range []struct {
		name   string
		reject bool
		value  string
		file   string
	}{
		{"approved it applies", false, "trust-clean", `"pins.first_use": "trust-clean"`},
		{"rejected the old value goes back into the file", true, "review", `"pins.first_use": "review"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			write(t, p.home.Settings, `{"pins": {"first_use": "trust-clean", "recheck": "1s"}}`)
			eventually(t, "the item", func() bool { return p.waits() == 1 })
			it := p.item()
			if it.Kind != "settings_changed" || states(it) != "setting:pins.first_use=changed" {
				t.Fatalf("item %+v", it)
			}
			if p.setting("pins.first_use") != "review" || p.setting("pins.recheck") != "1s" {
				t.Fatal("the stricter values do not hold")
			}
			if detail, err := p.Item(it.Code); err != nil || len(detail.Details) != 1 || detail.Details[0].Changes[0].After != "trust-clean" {
				t.Fatalf("detail %+v, %v", detail, err)
			}
			if c.reject {
				p.reject(it)
			} else {
				p.approve(it)
			}
			p.quiet()
			if got := p.setting("pins.first_use"); got != c.value {
				t.Fatalf("value %s", got)
			}
			if raw, err := os.ReadFile(p.home.Settings); err != nil || c.reject && !strings.Contains(string(raw), c.file) {
				t.Fatalf("file %s, %v", raw, err)
			}
			if p.setting("pins.recheck") != "1s" {
				t.Fatal("the tightened value was lost")
			}
		})
	}
}

func TestOneOfTwoLoosenedSettingsCanBeAllowed(t *testing.T) {
	p := newPlace(t)
	write(t, p.home.Settings, `{"pins.first_use": "trust-clean", "pins.recheck": "off"}`)
	eventually(t, "the item", func() bool { return p.waits() == 1 })
	it := p.item()
	d := p.approve(it, "setting:pins.recheck")
	if p.setting("pins.recheck") != "off" || p.setting("pins.first_use") != "review" {
		t.Fatal("not exactly the named one applies")
	}
	if rest := p.item(); rest.Code != d.Next || states(rest) != "setting:pins.first_use=changed" {
		t.Fatalf("rest %+v", rest)
	}
}

func TestALoosenedFileThatWasThereBeforeTheHubWaitsToo(t *testing.T) {
	home := newHome(t)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	write(t, home.Settings, `{"pins.first_use": "trust-clean"}`)
	p := open(t, home, nil)
	if p.setting("pins.first_use") != "review" || p.item().Kind != "settings_changed" {
		t.Fatal("it holds without a person")
	}
	code := p.item().Code
	p.Close()
	q := open(t, home, nil)
	if q.item().Code != code {
		t.Fatal("a restart made another item of it")
	}
	// The person takes the edit back by hand.
	write(t, home.Settings, `{}`)
	eventually(t, "the item to leave", func() bool { return q.waits() == 0 })
}

func TestAFileThatCannotBeReadIsLeftAloneAndNamed(t *testing.T) {
	p := newPlace(t)
	write(t, p.home.Settings, `{"pins.recheck": "5s"}`)
	eventually(t, "the value", func() bool { return p.setting("pins.recheck") == "5s" })
	const broken = `{"pins.recheck": "1s",`
	write(t, p.home.Settings, broken)
	problem := func() bool {
		s, err := p.Status()
		return err == nil && len(s.Problems) == 1 && s.Problems[0].Code == office.ProblemSettings
	}
	eventually(t, "the problem", problem)
	if p.setting("pins.recheck") != "5s" {
		t.Fatal("the last good value does not hold")
	}
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "2s"})), control.CodeUnavailable)
	if raw, err := os.ReadFile(p.home.Settings); err != nil || string(raw) != broken {
		t.Fatalf("the file was touched: %s, %v", raw, err)
	}
	write(t, p.home.Settings, `{"pins.recheck": "2s"}`)
	eventually(t, "the mended value", func() bool { return p.setting("pins.recheck") == "2s" && !problem() })
}

func TestApprovalsCLIIsNeverSetFromOutsideOfTheWindow(t *testing.T) {
	home := newHome(t)
	p := open(t, home, func(o *Options) { o.AllowCLI = false })
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "approvals.cli", Value: "on", Decided: true})), control.CodeNotHere)
	write(t, home.Settings, `{"approvals.cli": "on"}`)
	eventually(t, "the problem", func() bool { s, err := p.Status(); return err == nil && len(s.Problems) == 1 })
	p.quiet()
	if p.setting("approvals.cli") != "off" {
		t.Fatal("a file switched it on")
	}
	p.Close()
	if open(t, home, nil).Welcome(person).CLIApproval {
		t.Fatal("a file made the hub take decisions")
	}
}

func TestASettingThatLoosensAsksFirst(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	query := control.SettingQuery{Key: "pins.recheck", Value: "60"}
	wantError(t, errOf(p.SetSetting(person, query)), control.CodeLoosens)
	if p.setting("pins.recheck") != "30s" {
		t.Fatal("it applied")
	}
	query.Decided = true
	row, err := p.SetSetting(person, query)
	if err != nil || row.Value != "1m" || row.From != "settings" {
		t.Fatalf("row %+v, %v", row, err)
	}
	p.quiet()
	// For one server: by its id in the file, so that another server of the name gets nothing of it.
	row, err = p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "2m", Server: "weather", Decided: true})
	if err != nil || row.Value != "2m" || row.From != "server" {
		t.Fatalf("row %+v, %v", row, err)
	}
	if w.last(t).Settings["pins.recheck"] != "2m" || p.setting("pins.recheck") != "1m" {
		t.Fatalf("in force: %v", w.last(t).Settings)
	}
	if p.wrap("weather", "other").last(t).Settings["pins.recheck"] != "1m" {
		t.Fatal("another server of that name got it")
	}
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "soon"})), control.CodeBadRequest)
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "no.such", Value: "1"})), control.CodeNotFound)
	if rows, err := p.Settings(control.SettingQuery{}); err != nil || len(rows) < 5 {
		t.Fatalf("rows %+v, %v", rows, err)
	}
}

func TestWhatACommandLoosensWaitsWhereNobodyMayDecideHere(t *testing.T) {
	p := open(t, newHome(t), func(o *Options) { o.AllowCLI = false })
	query := control.SettingQuery{Key: "pins.recheck", Value: "off", Decided: true}
	wantError(t, errOf(p.SetSetting(inside, query)), control.CodeDescends)
	if _, err := os.Stat(p.home.Settings); err == nil {
		t.Fatal("a program inside a wrapped server wrote the settings")
	}
	p.quiet()
	refused := wantError(t, errOf(p.SetSetting(person, query)), control.CodeNotHere)
	item := p.item()
	if item.Kind != vocab.ItemSettingsChanged || refused.See != item.Code || p.setting("pins.recheck") != "30s" {
		t.Fatalf("item %+v, answer %+v", item, refused)
	}
	// The watch reads what was just written, and nothing comes of it a second time.
	p.office.Lock()
	must(t, p.ReadSettings())
	p.office.Unlock()
	if again := p.item(); again.Code != item.Code {
		t.Fatalf("item %+v", again)
	}
	if _, err := p.DecideHere(control.Decide{Code: item.Code, Digest: item.Digest}); err != nil || p.setting("pins.recheck") != "off" {
		t.Fatalf("the window: %v, %s", err, p.setting("pins.recheck"))
	}
}
