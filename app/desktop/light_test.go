package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/tray"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// claude writes Claude's file with these servers and puts all of them behind the wrapper.
func (d *desk) claude(names ...string) (path string) {
	d.t.Helper()
	entries := map[string]any{}
	for _, name := range names {
		entries[name] = map[string]any{"command": "npx", "args": []string{name}}
	}
	raw, _ := json.Marshal(map[string]any{"mcpServers": entries})
	path = filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.hub.Protect(control.Peer{Role: control.RoleCLI}, control.Protect{All: true}); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func lit(colour vocab.Colour, state, words, next string) control.Light {
	return control.Light{Colour: colour, State: state, Words: words, Next: next}
}

// agree looks at all of them: the icon, the footer, the rows of the list, the page of each server, and what the command line lists.
func (d *desk) agree(when string, mood tray.Mood, foot control.Light, rows map[string]control.Light) {
	d.t.Helper()
	var now struct {
		mood  tray.Mood
		foot  control.Light
		rows  map[string]control.Light
		typed map[string]control.Light // of `sallyport servers`
		err   error
	}
	look := func() bool {
		waiting, err := d.hub.Inbox()
		coverage, bad := d.hub.Coverage(control.CoverageQuery{})
		now.mood = trayState(waiting, coverage, d.hub.Light(coverage, waiting, err == nil && bad == nil)).Mood
		o, err := d.Overview()
		now.foot, now.err = o.Light, err
		list, err := d.Servers()
		now.rows = map[string]control.Light{}
		for _, row := range list {
			now.rows[row.Server] = row.Light
			if row.Identity == "" {
				continue
			}
			page, bad := d.Server(row.Identity)
			if bad != nil || page.Light != row.Light || page.Held != row.Held {
				d.t.Errorf("%s: the list says %+v of %s, its page %+v, %v", when, row.Light, row.Server, page.Light, bad)
			}
		}
		now.err = cmpErr(now.err, err)
		typed, err := d.hub.Servers()
		now.err = cmpErr(now.err, err)
		now.typed = map[string]control.Light{}
		for _, row := range typed {
			now.typed[row.Server] = *row.Light
		}
		return now.err == nil && now.mood == mood && now.foot == foot && fmt.Sprint(now.rows) == fmt.Sprint(rows) && fmt.Sprint(now.typed) == fmt.Sprint(rows)
	}
	for over := time.Now().Add(30 * time.Second); !look(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(over) {
			d.t.Fatalf("%s:\nicon %d, want %d\nfooter %+v\n  want %+v\nrows %+v\ncommand line %+v\nwant %+v\n%v", when, now.mood, mood, now.foot, foot, now.rows, now.typed, rows, now.err)
		}
	}
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func TestTrayFooterListAndPageSayTheSame(t *testing.T) {
	d := newDesk(t)
	d.agree("nothing there", tray.Starting, lit("grey", display.LightNoServers, "No settings file found yet", "Open Claude once, then try again."), map[string]control.Light{})

	d.claude("notes", "weather")
	late := lit("grey", display.LightNotStarted, "Hasn't started yet", "Restart Claude Desktop.")
	d.agree("protected, and Claude not restarted", tray.Starting, lit("grey", display.LightNotStarted, "2 servers guarded, none started yet", "Restart Claude Desktop."),
		map[string]control.Light{"notes": late, "weather": late})

	weather := d.reports("weather", "forecast=Tells the weather.")
	review := lit("amber", display.LightReview, "Needs your review", "Review it in the Inbox.")
	d.agree("one has started and waits", tray.Attention, lit("amber", display.LightReview, "1 item needs your review", "Review it in the Inbox."),
		map[string]control.Light{"notes": late, "weather": review})

	if _, err := d.Allow(of(d.look())); err != nil {
		t.Fatal(err)
	}
	guarded := lit("green", display.LightGuarded, "Guarded", "")
	some := lit("green", display.LightGuarded, "2 servers guarded, 1 not started yet", "")
	d.agree("it is allowed", tray.Guarding, some, map[string]control.Light{"notes": late, "weather": guarded})

	d.hub.Unregister(weather)
	d.agree("it has ended, and was really seen", tray.Guarding, some, map[string]control.Light{"notes": late, "weather": guarded})

	hidden := d.reports("weather", poisoned)
	d.agree("it changed into an attack", tray.Critical, lit("red", display.LightCritical, "1 critical item needs your review", "Review it in the Inbox."),
		map[string]control.Light{"notes": late, "weather": lit("red", display.LightCritical, "Critical, needs your review", "Review it in the Inbox.")})
	r := d.look()
	decision := of(r)
	if _, err := d.Keep(decision); err != nil {
		t.Fatal(err)
	}
	d.hub.Unregister(hidden)
	if _, err := d.Block("weather", nil); err != nil {
		t.Fatal(err)
	}
	waiting, err := d.Inbox()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range waiting {
		r, err := d.Review(it.Code)
		if err != nil {
			t.Fatal(err)
		}
		d.at = d.at.Add(time.Second)
		if _, err := d.Keep(of(r)); err != nil {
			t.Fatal(err)
		}
	}
	d.agree("a person blocked it", tray.Guarding, some, map[string]control.Light{"notes": late, "weather": lit("green", display.LightBlocked, "Blocked by you", "")})
}

func TestALookAtAServerIsNoStartOfIt(t *testing.T) {
	d := newDesk(t)
	path := d.claude("weather")
	_, err := d.hub.Register(&deaf{9}, control.Peer{PID: 9, Role: control.RoleProbe}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "weather"}, Name: "weather"}, Session: "look",
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := d.Servers()
	if err != nil || len(rows) != 1 || rows[0].Wrappers != 0 || rows[0].Light.State != display.LightNotStarted {
		t.Fatalf("%+v, %v", rows, err)
	}
	d.reports("weather", "forecast=Tells the weather.")
	if rows, err = d.Servers(); err != nil || rows[0].Wrappers != 1 || rows[0].Light.State != display.LightReview || !rows[0].Entries[0].Started {
		t.Fatalf("%+v, %v", rows, err)
	}
	// Written anew, it has not been started since: what runs now was started from the file as it was.
	if _, err := d.hub.Unprotect(here, control.Protect{Config: path, All: true, Decided: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.hub.Protect(control.Peer{Role: control.RoleCLI}, control.Protect{All: true}); err != nil {
		t.Fatal(err)
	}
	if rows, err = d.Servers(); err != nil || slices.ContainsFunc(rows[0].Entries, func(e Entry) bool { return e.Started }) {
		t.Fatalf("%+v, %v", rows, err)
	}
}
