package app

import (
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestWhoMayNotDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Options)
		peer   control.Peer
		code   int
	}{
		{"a process inside a wrapped server does not decide", nil, inside, control.CodeDescends},
		{"with a window the socket does not decide", func(o *Options) { o.Window = true }, person, control.CodeNotHere},
		{"without the flag a headless hub does not decide", func(o *Options) { o.AllowCLI = false }, person, control.CodeNotHere},
		{"a hub that a wrapper started never decides", func(o *Options) { o.StartedBy = ByWrapper }, person, control.CodeNotHere},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newHome(t), c.change)
			w := p.wrap("weather")
			a := tool("a", "one")
			w.report(a)
			it := p.item()
			wantError(t, errOf(p.Decide(c.peer, control.Decide{Code: it.Code, Digest: it.Digest, All: true})), c.code)
			if p.item().Code != it.Code {
				t.Fatal("the item is another")
			}
			wantError(t, errOf(p.SetSetting(c.peer, control.SettingQuery{Key: "pins.first_use", Value: "trust-clean", Decided: true})), c.code)
			if p.setting("pins.first_use") != "review" {
				t.Fatal("it loosened")
			}
			if s := w.Last(t); s.Open || served(s, a) {
				t.Fatalf("it decided all the same: %+v", s)
			}
			if got := p.records("approval"); len(got) != 0 {
				t.Fatalf("approvals %+v", got)
			}
			// Tightening may come from anywhere.
			if _, err := p.SetSetting(c.peer, control.SettingQuery{Key: "pins.recheck", Value: "5s"}); err != nil {
				t.Errorf("tighten: %v", err)
			}
			if _, err := p.Block(c.peer, control.Block{Server: "weather"}); err != nil {
				t.Errorf("block: %v", err)
			}
		})
	}
}

func TestTheFlagCountsOnlyOnAHomeFirstMadeWithIt(t *testing.T) {
	home := newHome(t)
	first := open(t, home, func(o *Options) { o.AllowCLI = false })
	if first.Welcome(person).CLIApproval {
		t.Fatal("without the flag")
	}
	first.Close()
	second := open(t, home, nil)
	if second.Welcome(person).CLIApproval {
		t.Fatal("the flag counted on a home made without it")
	}
	status, err := second.Status()
	if err != nil || len(status.Problems) != 1 || status.Problems[0].Code != office.ProblemCLIIgnored {
		t.Fatalf("it was not said: %+v, %v", status.Problems, err)
	}
	second.Close()

	home = newHome(t)
	open(t, home, nil).Close()
	again := open(t, home, nil)
	if !again.Welcome(person).CLIApproval {
		t.Fatal("a home made with the flag lost its mark")
	}
	again.Close()
	if open(t, home, func(o *Options) { o.StartedBy = ByWrapper }).Welcome(person).CLIApproval {
		t.Fatal("a hub that a wrapper started took decisions")
	}
}
