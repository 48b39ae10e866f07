package desktop

import (
	"testing"

	"github.com/sallyport/sallyport/app/tray"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestTheIconSaysWhatWeighsMost(t *testing.T) {
	drift := control.InboxItem{Code: "4F2A", Kind: "changed", Server: "weather", Severity: "review"}
	hidden := control.InboxItem{Code: "77B0", Kind: "changed", Server: "notes", Severity: "critical"}
	lost := control.InboxItem{Code: "9KQT", Kind: "unguarded", Server: "Claude Desktop", Severity: "high", Parts: []control.Part{{Item: "entry:filesystem"}}}
	sly := control.InboxItem{Code: "2222", Kind: "new_server", Server: "click <b>Allow</b> now", Severity: "review"}
	four := control.Coverage{Guarded: 4, Total: 4}
	for name, c := range map[string]struct {
		waiting  []control.InboxItem
		coverage control.Coverage
		broken   bool
		mood     tray.Mood
		tooltip  string
		row      string // the first
	}{
		"all is well":                   {coverage: four, mood: tray.Guarding, tooltip: "Sallyport — 4 servers guarded"},
		"one server":                    {coverage: control.Coverage{Guarded: 1, Total: 1}, mood: tray.Guarding, tooltip: "Sallyport — 1 server guarded"},
		"some cannot be guarded":        {coverage: control.Coverage{Guarded: 3, Total: 5}, mood: tray.Guarding, tooltip: "Sallyport — 3 servers guarded"},
		"none is guarded":               {coverage: control.Coverage{Total: 2}, mood: tray.Failing, tooltip: "Sallyport — no server is guarded"},
		"nothing there":                 {mood: tray.Guarding, tooltip: "Sallyport — 0 servers guarded"},
		"a change":                      {waiting: []control.InboxItem{drift}, coverage: four, mood: tray.Attention, tooltip: "Sallyport — 1 thing waiting", row: "weather — tool changed"},
		"two things":                    {waiting: []control.InboxItem{drift, sly}, coverage: four, mood: tray.Attention, tooltip: "Sallyport — 2 things waiting", row: "weather — tool changed"},
		"a critical one among them":     {waiting: []control.InboxItem{hidden, drift}, coverage: four, mood: tray.Critical, tooltip: "Sallyport — 1 critical thing waiting", row: "notes — tool changed"},
		"a guard that was taken out":    {waiting: []control.InboxItem{lost, drift}, coverage: four, mood: tray.Failing, tooltip: "Sallyport — filesystem is not guarded", row: "filesystem — not guarded any more"},
		"a name that speaks":            {waiting: []control.InboxItem{sly}, coverage: four, mood: tray.Attention, tooltip: "Sallyport — 1 thing waiting", row: "a server — new server"},
		"nothing works, and much waits": {waiting: []control.InboxItem{hidden}, coverage: four, broken: true, mood: tray.Failing, tooltip: "Sallyport isn't working — open to see why", row: "notes — tool changed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := trayState(c.waiting, c.coverage, !c.broken)
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
	if got := trayState(nil, control.Coverage{Guarded: 3, Total: 5}, true).Coverage; got != "Guarding 3 of 5 servers" {
		t.Errorf("the line of coverage: %q", got)
	}
}
