package settings

import (
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

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
			p := newRoom(t)
			write(t, p.home.Settings, `{"pins": {"first_use": "trust-clean", "recheck": "1s"}}`)
			eventually(t, "the item", func() bool { return p.waits() == 1 })
			it := p.item()
			if it.Kind != "settings_changed" || states(it) != "setting:pins.first_use=changed" {
				t.Fatalf("item %+v", it)
			}
			if p.setting("pins.first_use") != "review" || p.setting("pins.recheck") != "1s" {
				t.Fatal("the stricter values do not hold")
			}
			if details := Details(it); len(details) != 1 || details[0].Changes[0].After != "trust-clean" {
				t.Fatalf("details %+v", details)
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
	p := newRoom(t)
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
	p := roomAt(t, home, true)
	if p.setting("pins.first_use") != "review" || p.item().Kind != "settings_changed" {
		t.Fatal("it holds without a person")
	}
	code := p.item().Code
	q := p.again()
	if q.item().Code != code {
		t.Fatal("a restart made another item of it")
	}
	// The person undoes the edit by hand.
	write(t, home.Settings, `{}`)
	eventually(t, "the item to leave", func() bool { return q.waits() == 0 })
}

func TestAFileThatCannotBeReadIsLeftAloneAndNamed(t *testing.T) {
	p := newRoom(t)
	write(t, p.home.Settings, `{"pins.recheck": "5s"}`)
	eventually(t, "the value", func() bool { return p.setting("pins.recheck") == "5s" })
	const broken = `{"pins.recheck": "1s",`
	write(t, p.home.Settings, broken)
	problem := func() bool { return p.problem(office.ProblemSettings) != "" }
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

func TestWhatACommandLoosensWaitsWhereNobodyMayDecideHere(t *testing.T) {
	p := roomAt(t, newHome(t), false)
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
	// The watch reads the new file, which changes nothing.
	p.office.Lock()
	err := p.ReadSettings()
	p.office.Unlock()
	if again := p.item(); again.Code != item.Code || err != nil {
		t.Fatalf("item %+v, %v", again, err)
	}
	if _, err := p.decide(control.Decide{Code: item.Code, Digest: item.Digest}); err != nil || p.setting("pins.recheck") != "off" {
		t.Fatalf("the window: %v, %s", err, p.setting("pins.recheck"))
	}
}
