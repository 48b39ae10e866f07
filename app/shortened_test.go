package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

func (s *server) loses(members ...string) {
	s.p.t.Helper()
	if err := s.p.Shortened(s, control.Shortened{Members: members}); err != nil {
		s.p.t.Fatal(err)
	}
}

func (p *place) cut() string {
	p.t.Helper()
	servers, err := p.Servers()
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Join(servers[0].Cut, " ")
}

func TestWhatOnlyARestartBringsIsNamedOnceItIsAllowed(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	said := raw(pin.Instructions, "", `"Be brief."`)
	w.loses("serverInfo.title", "instructions", "capabilities.experimental", "see https://evil.example", "\x1b[2J")
	w.report(tool("a", "one"), said)
	if got := p.cut(); got != "" {
		t.Errorf("nothing of it would pass now: %s", got)
	}
	decided := p.approve(p.item(), "tool:a")
	if got := p.cut(); got != "capabilities.experimental serverInfo.title" || !slices.Equal(decided.Cut, strings.Fields(got)) || !slices.Equal(decided.Restart, []string{"restart Claude Desktop"}) {
		t.Errorf("%s, and the receipt %+v", got, decided)
	}
	decided = p.approve(p.item())
	if got := p.cut(); got != "capabilities.experimental instructions serverInfo.title" || !slices.Equal(decided.Cut, strings.Fields(got)) {
		t.Errorf("%s, and the receipt %+v", got, decided)
	}
	p.Unregister(w)
	if got := p.cut(); got != "" {
		t.Errorf("no client runs it: %s", got)
	}
	again := p.wrap("weather")
	again.loses()
	again.report(tool("a", "one"), said)
	if got := p.cut(); got != "" {
		t.Errorf("the next start got all of it: %s", got)
	}
}

func TestAClientThatGreetsInOneProcessAndGoesOnInAnotherIsOneClient(t *testing.T) {
	p := newPlace(t)
	start := func() *server {
		p.n++
		s := &server{Ears: &stage.Ears{}, p: p}
		state, err := p.Register(s, control.Peer{PID: 900 + p.n, Role: control.RoleWrapper}, control.Register{
			Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}, Name: "weather"}, Client: "claude-desktop", Session: "s", Parent: control.Parent{PID: 77, Start: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Push(state)
		return s
	}
	sibling := start()
	sibling.loses("serverInfo.title")
	p.Unregister(sibling)
	goesOn := start()
	goesOn.declares("modern", tool("a", "one"))
	p.approve(p.item())
	if got := p.cut(); got != "serverInfo.title" {
		t.Errorf("cut: %q", got)
	}
}
