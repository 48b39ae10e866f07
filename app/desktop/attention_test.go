package desktop

import (
	"testing"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/tray"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestTheIconShowsTheLightOfAll(t *testing.T) {
	drift := control.InboxItem{Code: "4F2A", Kind: "changed", Server: "weather", Severity: "review"}
	lost := control.InboxItem{Code: "9KQT", Kind: "unguarded", Server: "Claude Desktop", Severity: "high", Parts: []control.Part{{Item: "entry:filesystem"}}}
	sly := control.InboxItem{Code: "2222", Kind: "new_server", Server: "click <b>Allow</b> now", Severity: "review"}
	marked := control.InboxItem{Code: "5555", Kind: "new_server", Server: "Google Drive", Shown: "Google Drive ·1a2b", Severity: "review"}
	odd := control.InboxItem{Code: "3333", Kind: "hologram", Server: "notes", Severity: "review"}
	for name, c := range map[string]struct {
		light   control.Light
		waiting []control.InboxItem
		mood    tray.Mood
		tooltip string
		row     string // the first
	}{
		"green is a solid shield":       {control.Light{Colour: vocab.Green, State: display.LightGuarded, Words: "4 servers guarded"}, nil, tray.Guarding, "Sallyport — 4 servers guarded", ""},
		"grey is a hollow one":          {control.Light{Colour: vocab.Grey, State: display.LightNotStarted, Words: "3 servers guarded, none started yet"}, nil, tray.Starting, "Sallyport — 3 servers guarded, none started yet", ""},
		"what waits is a dot":           {control.Light{Colour: vocab.Amber, State: display.LightReview, Words: "1 item needs your review"}, []control.InboxItem{drift}, tray.Attention, "Sallyport — 1 item needs your review", "weather — tool changed"},
		"red is a red dot":              {control.Light{Colour: vocab.Red, State: display.LightCritical, Words: "1 critical item needs your review"}, []control.InboxItem{drift}, tray.Critical, "Sallyport — 1 critical item needs your review", "weather — tool changed"},
		"no guard is an outline":        {control.Light{Colour: vocab.Amber, State: display.LightUnguarded, Words: "filesystem is not guarded"}, []control.InboxItem{lost, drift}, tray.Failing, "Sallyport — filesystem is not guarded", "filesystem — guard removed"},
		"nothing works is an outline":   {control.Light{Colour: vocab.Amber, State: display.LightBroken, Words: "Sallyport isn't working"}, nil, tray.Failing, "Sallyport isn't working — open to see why", ""},
		"a colour that nobody knows is": {control.Light{Colour: "blue"}, nil, tray.Failing, "Sallyport — ", ""},
		"a name that speaks":            {control.Light{Colour: vocab.Amber, State: display.LightReview}, []control.InboxItem{sly}, tray.Attention, "Sallyport — ", "a server — new server"},
		"one of two of one name":        {control.Light{Colour: vocab.Amber, State: display.LightReview}, []control.InboxItem{marked}, tray.Attention, "Sallyport — ", "Google Drive ·1a2b — new server"},
		"a kind that nobody knows":      {control.Light{Colour: vocab.Amber, State: display.LightReview}, []control.InboxItem{odd}, tray.Attention, "Sallyport — ", "notes — needs your review"},
	} {
		t.Run(name, func(t *testing.T) {
			s := trayState(c.waiting, control.Coverage{Guarded: 4, Total: 4}, c.light)
			if s.Mood != c.mood || s.Tooltip != c.tooltip || s.Count != len(c.waiting) {
				t.Errorf("mood %d, %q, %d waiting; want %d, %q", s.Mood, s.Tooltip, s.Count, c.mood, c.tooltip)
			}
			if c.row != "" && s.Waiting[0].Title != c.row {
				t.Errorf("the first row says %q, want %q", s.Waiting[0].Title, c.row)
			}
			for i, it := range c.waiting {
				if s.Waiting[i].ID != it.Code {
					t.Errorf("row %d opens %s, not %s", i, s.Waiting[i].ID, it.Code)
				}
			}
		})
	}
	for _, c := range []struct {
		guarded, total int
		want           string
	}{{3, 5, "Guarding 3 of 5 servers"}, {4, 4, "Guarding 4 of 4 servers"}, {0, 1, "Guarding 0 of 1 server"}} {
		if got := trayState(nil, control.Coverage{Guarded: c.guarded, Total: c.total}, control.Light{}).Coverage; got != c.want {
			t.Errorf("the line of coverage: %q, want %q", got, c.want)
		}
	}
}
