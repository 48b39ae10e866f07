package app

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAProgramInsideAServerCannotRaiseTheWindow(t *testing.T) {
	var shown []string
	p := open(t, newHome(t), func(o *Options) {
		o.Window, o.StartedBy, o.Show = true, ByDesktop, func(route string) { shown = append(shown, route) }
	})
	var no *control.Error
	if err := p.Show(inside, "#/inbox"); !errors.As(err, &no) || no.Code != control.CodeDescends {
		t.Errorf("from inside: %v", err)
	}
	if err := p.Show(person, "#/inbox"); err != nil || len(shown) != 1 {
		t.Errorf("from a person: %v, shown %v", err, shown)
	}
	if err := newPlace(t).Show(person, ""); !errors.As(err, &no) || no.Code != control.CodeNotHere {
		t.Errorf("without a window: %v", err)
	}
}

func TestTheWindowHearsOfEveryChange(t *testing.T) {
	var changes atomic.Int64 // background work may report changes too
	p := open(t, newHome(t), func(o *Options) { o.Window, o.StartedBy, o.Changed = true, ByDesktop, func() { changes.Add(1) } })
	hears := func(what string, f func()) {
		t.Helper()
		before := changes.Load()
		if f(); changes.Load() == before {
			t.Errorf("nobody was told of %s", what)
		}
	}
	var s *server
	hears("a wrapper", func() { s = p.wrap("weather") })
	hears("what waits", func() { s.report(tool("forecast", "Tells the weather.")) })
	it := p.item()
	hears("a decision", func() {
		if _, err := p.Decide(window, control.Decide{Code: it.Code, Digest: it.Digest, All: true}); err != nil {
			t.Fatal(err)
		}
	})
	hears("a call", func() {
		if _, err := p.Records(s, control.Records{Records: []control.Record{{ID: vocab.NewRecordID(time.Now()), Time: p.at.now(), Kind: "tool_call", Status: "ok", Server: "weather", Tool: "forecast"}}}); err != nil {
			t.Fatal(err)
		}
	})
	hears("a setting", func() {
		if _, err := p.SetSetting(window, control.SettingQuery{Key: "pins.launch", Value: "block"}); err != nil {
			t.Fatal(err)
		}
	})
	hears("a block", func() {
		if _, err := p.Block(person, control.Block{Server: "weather"}); err != nil {
			t.Fatal(err)
		}
	})
	hears("a wrapper that went", func() { p.Unregister(s) })
	quiet := false
	for range 3 {
		before := changes.Load()
		for _, look := range []func() error{
			func() error { _, err := p.Status(); return err }, func() error { _, err := p.Inbox(); return err }, func() error { _, err := p.Servers(); return err },
			func() error { _, err := p.Activity(control.ActivityQuery{}); return err },
		} {
			if err := look(); err != nil {
				t.Fatal(err)
			}
		}
		quiet = quiet || changes.Load() == before
	}
	if !quiet {
		t.Error("looking is told of as a change: the window would look for ever")
	}
}
