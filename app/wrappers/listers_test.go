package wrappers

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
)

// under connects a wrapper of a client process. Its own process is the test's, so it counts as alive.
func (p *place) under(parent int, client, name string, lists bool) *server {
	p.t.Helper()
	p.n++
	s := &server{Ears: &stage.Ears{}, p: p}
	state, err := p.Register(s, control.Peer{PID: os.Getpid(), Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: []string{"serve", name}, Name: name}, Client: client, Session: fmt.Sprintf("session-%d", p.n),
		PID: os.Getpid(), Parent: control.Parent{PID: parent, Start: 1}, Lists: lists,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	s.Push(state)
	return s
}

// chosen waits until exactly these wrappers list our tools.
func chosen(t *testing.T, all []*server, want ...*server) {
	t.Helper()
	var here []int
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		here = here[:0]
		settled := true
		for i, s := range all {
			switch s.Last(t).OwnTools {
			case control.OwnToolsHere:
				here = append(here, i)
			case control.OwnToolsLater:
				settled = false
			}
		}
		if settled && len(here) == len(want) && !slices.ContainsFunc(want, func(s *server) bool { return s.Last(t).OwnTools != control.OwnToolsHere }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("those that list our tools: %v of %d", here, len(all))
		}
	}
}

func TestOneWrapperOfAClientProcessListsOurTools(t *testing.T) {
	p := newPlace(t)
	var all []*server
	for i := range 11 {
		all = append(all, p.under(70, "claude-desktop", fmt.Sprint("s", i), false))
	}
	chosen(t, all, all[0])
	other := p.under(71, "claude-desktop", "s5", false) // a second process of the same client waits for the server of the first
	if got := other.Last(t).OwnTools; got != control.OwnToolsLater {
		t.Errorf("the second client process: %q", got)
	}
	first := p.under(71, "claude-desktop", "s0", false)
	chosen(t, []*server{other, first}, first)
	cursor := p.under(70, "cursor", "s3", false)
	chosen(t, []*server{cursor}, cursor)
	alone := p.under(70, "", "s4", false)
	if got := alone.Last(t).OwnTools; got != "" {
		t.Errorf("without --client: %q", got)
	}
	// It ends: the oldest one takes over at once.
	p.Unregister(all[0])
	chosen(t, all[1:], all[1])
	chosen(t, []*server{other, first}, first)
	for _, s := range all[1:] {
		p.Unregister(s)
	}
	if len(p.listers.of) != 2 {
		t.Errorf("%d client processes are remembered", len(p.listers.of))
	}
}

func TestTheServerThatListedThemLastDoesItAgain(t *testing.T) {
	home := newHome(t)
	p := open(t, home)
	first := p.under(70, "claude-desktop", "a", false)
	p.Unregister(p.under(70, "claude-desktop", "b", false))
	p.Unregister(first)
	p.close()
	p = open(t, home)
	b, c := p.under(80, "claude-desktop", "b", false), p.under(80, "claude-desktop", "c", false)
	for _, s := range []*server{b, c} {
		if got := s.Last(t).OwnTools; got != control.OwnToolsLater {
			t.Errorf("before the last one has come: %q", got)
		}
	}
	a := p.under(80, "claude-desktop", "a", false)
	chosen(t, []*server{a, b, c}, a)
	p.Unregister(a)
	chosen(t, []*server{b, c}, b)

	// It does not come: after a second the first one takes its place, and keeps it.
	d := p.under(90, "claude-desktop", "d", false)
	chosen(t, []*server{d}, d)
	again := p.under(91, "claude-desktop", "d", false)
	chosen(t, []*server{again}, again)
}

func TestAWrapperThatListedThemBeforeTheHubWentGoesOn(t *testing.T) {
	p := newPlace(t)
	p.Unregister(p.under(60, "claude-desktop", "old", false)) // another server listed them last
	a, b := p.under(70, "claude-desktop", "a", false), p.under(70, "claude-desktop", "b", true)
	chosen(t, []*server{a, b}, b)
}

func TestTheSameServerTakesOverFirst(t *testing.T) {
	p := newPlace(t)
	one, other, same := p.under(70, "claude-desktop", "a", false), p.under(70, "claude-desktop", "b", false), p.under(70, "claude-desktop", "a", false)
	chosen(t, []*server{one, other, same}, one)
	p.Unregister(one)
	chosen(t, []*server{other, same}, same)
}

func TestNothingIsKeptOfClientProcessesThatEnded(t *testing.T) {
	p := newPlace(t)
	for n := range 3 {
		s := p.under(70+n, "claude-desktop", "s", false)
		p.Unregister(s)
	}
	p.Unregister(p.under(80, "claude-desktop", "other", false)) // before the choice was made
	p.office.Lock()
	defer p.office.Unlock()
	if n := len(p.listers.of); n != 0 {
		t.Errorf("%d client processes are kept", n)
	}
	for n := range maxListers {
		p.listers.last[fmt.Sprint("client", n)] = "server"
	}
	p.listers.remember("one more", "server")
	if n := len(p.listers.last); n > maxListers {
		t.Errorf("the last server of %d clients is kept", n)
	}
}

// A killed wrapper counts as gone before its connection closes.
func TestAWrapperWhoseProcessEndedListsNothingAnyMore(t *testing.T) {
	p := newPlace(t)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	_, err := p.Register(&server{Ears: &stage.Ears{}, p: p}, control.Peer{PID: ended.Process.Pid, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: []string{"serve", "s"}, Name: "s"}, Client: "claude-desktop", Session: "gone", Parent: control.Parent{PID: 70, Start: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if next := p.under(70, "claude-desktop", "s", false); next.Last(t).OwnTools != control.OwnToolsHere {
		t.Errorf("the next one is told %q", next.Last(t).OwnTools)
	}
}
