package app

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func (p *place) setting(key string) string {
	p.t.Helper()
	rows, err := p.Settings(control.SettingQuery{Key: key})
	if err != nil || len(rows) != 1 {
		p.t.Fatalf("%s: %+v, %v", key, rows, err)
	}
	return rows[0].Value
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
	eventually(t, "the wrapper's value", func() bool { return w.Last(t).Settings["pins.recheck"] == "5s" })
	if got := p.records("config_change"); len(got) != 1 {
		t.Fatalf("records %+v", got)
	}
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
	// For one server: by its id in the file, so that it does not apply to another server of the same name.
	row, err = p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "2m", Server: "weather", Decided: true})
	if err != nil || row.Value != "2m" || row.From != "server" {
		t.Fatalf("row %+v, %v", row, err)
	}
	if w.Last(t).Settings["pins.recheck"] != "2m" || p.setting("pins.recheck") != "1m" {
		t.Fatalf("in force: %v", w.Last(t).Settings)
	}
	if p.wrap("weather", "other").Last(t).Settings["pins.recheck"] != "1m" {
		t.Fatal("another server of that name got it")
	}
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "soon"})), control.CodeBadRequest)
	wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: "no.such", Value: "1"})), control.CodeNotFound)
	if rows, err := p.Settings(control.SettingQuery{}); err != nil || len(rows) < 5 {
		t.Fatalf("rows %+v, %v", rows, err)
	}
}

func TestASettingOfOneToolReachesTheWrapperAndNoOtherServer(t *testing.T) {
	p := newPlace(t)
	w, other := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	const tool = `odd "name"/with.dots`
	query := control.SettingQuery{Key: "redact.mode", Value: "redact", Server: "notes", Tool: tool}
	row, err := p.SetSetting(person, query)
	if err != nil || row.Value != "redact" || row.From != "tool" {
		t.Fatalf("row %+v, %v", row, err)
	}
	if got := w.Last(t).Tools; len(got) != 1 || got["tool:"+tool]["redact.mode"] != "redact" || len(got["tool:"+tool]) != 1 {
		t.Fatalf("its wrapper has %v", got)
	}
	if got := w.Last(t).Settings["redact.mode"]; got != "detect" {
		t.Fatalf("the whole server has %s", got)
	}
	if got := other.Last(t).Tools; len(got) != 0 {
		t.Fatalf("another server has %v", got)
	}
	for _, c := range []struct {
		value   string
		decided bool
		loosens bool
		tools   int
	}{
		{"detect", false, true, 1},
		{"", false, true, 1},
		{"", true, true, 0},
	} {
		query.Value, query.Decided = c.value, c.decided
		if loosens, from, to, err := p.LoosensSetting(query); err != nil || loosens != c.loosens || from != "redact" || to != "detect" {
			t.Errorf("to %q: loosens %v, from %s to %s, %v", c.value, loosens, from, to, err)
		}
		_, err := p.SetSetting(person, query)
		if !c.decided {
			wantError(t, err, control.CodeLoosens)
		} else if err != nil {
			t.Fatal(err)
		}
		if got := w.Last(t).Tools; len(got) != c.tools {
			t.Errorf("to %q, decided %v: its wrapper has %v", c.value, c.decided, got)
		}
	}
	query = control.SettingQuery{Key: "pins.recheck", Value: "1s", Server: "notes", Tool: tool}
	wantError(t, errOf(p.SetSetting(person, query)), control.CodeBadRequest)
}

func TestAHandEditForOneToolAppliesOrWaits(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	servers, err := p.Servers()
	if err != nil || len(servers) != 1 {
		t.Fatalf("%d servers, %v", len(servers), err)
	}
	id := servers[0].ID
	edit := func(read, write string) string {
		return `{"servers": {"` + id + `": {"tools": {"read": {"redact.mode": "` + read + `"}, "write": {"redact": {"mode": "` + write + `"}}}}}}`
	}
	write(t, p.home.Settings, edit("off", "redact"))
	eventually(t, "the stricter one", func() bool { return w.Last(t).Tools["tool:write"]["redact.mode"] == "redact" })
	if got := w.Last(t).Tools["tool:read"]; len(got) != 0 {
		t.Fatalf("the looser one applies: %v", got)
	}
	p.approve(p.item())
	if got := w.Last(t).Tools["tool:read"]["redact.mode"]; got != "off" {
		t.Fatalf("allowed, and %q applies", got)
	}
}
