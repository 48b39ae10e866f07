package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

var (
	window, person, inside = stage.Window, stage.Person, stage.Inside
	newHome, put, write    = stage.Home, stage.Put, stage.Write
	wantError, eventually  = stage.WantError, stage.Eventually
)

const claudeFile = stage.ClaudeFile

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(time.Millisecond) // no two moments are one
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// place is a hub on a home of its own, on a real store.
type place struct {
	*Hub
	t    testing.TB
	home control.Home
	at   *clock
	n    int
}

func open(t testing.TB, home control.Home, change func(*Options)) *place {
	t.Helper()
	at := &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	opts := Options{Home: home, StartedBy: ByPerson, AllowCLI: true, Version: "test", Now: at.now, Settle: time.Millisecond, System: stage.Machine("linux", t.TempDir())}
	if change != nil {
		change(&opts)
	}
	hub, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := hub.Close(); err != nil {
			t.Errorf("close hub: %v", err)
		}
	})
	return &place{Hub: hub, t: t, home: home, at: at}
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return open(t, newHome(t), nil)
}

// server is a wrapper of one server, as a test drives it.
type server struct {
	*stage.Ears
	p *place
}

func (p *place) wrap(name string, argv ...string) *server {
	p.t.Helper()
	return p.wrapFor("claude-desktop", name, argv...)
}

func (p *place) wrapFor(client, name string, argv ...string) *server {
	p.t.Helper()
	if len(argv) == 0 {
		argv = []string{"npx", "-y", "weather"}
	}
	return p.wrapAs(client, control.ServerRef{Transport: "stdio", Argv: argv, Name: name})
}

func (p *place) wrapAs(client string, ref control.ServerRef) *server {
	p.t.Helper()
	p.n++
	s := &server{Ears: &stage.Ears{}, p: p}
	state, err := p.Register(s, control.Peer{PID: 100 + p.n, Role: control.RoleWrapper}, control.Register{
		Server: ref, Client: client, Session: fmt.Sprintf("session-%d", p.n), PID: 100 + p.n,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	s.Push(state) // a wrapper has it from the answer
	return s
}

func tool(name, description string) pin.Item {
	return raw(pin.Tool, name, mask.PlainJSON(map[string]any{"name": name, "description": description, "inputSchema": map[string]any{"type": "object"}}))
}

func raw(kind pin.Kind, name, definition string) pin.Item {
	return pin.Item{Kind: kind, Name: name, Raw: json.RawMessage(definition), Digest: "what a wrapper says counts for nothing"}
}

// hidden is a description with a Critical finding or at least one that is not clean.
const hidden = "reads a note\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b"

func (s *server) report(items ...pin.Item) control.State {
	s.p.t.Helper()
	state, err := s.p.Report(s, control.Report{Era: "legacy", Protocol: "2025-06-18", ServerInfo: json.RawMessage(`{"name":"w","version":"1"}`), Items: items})
	if err != nil {
		s.p.t.Fatal(err)
	}
	return state
}

// item is the only pending item.
func (p *place) item() control.InboxItem {
	p.t.Helper()
	items := p.inboxNow()
	if len(items) != 1 {
		p.t.Fatalf("%d items wait, not one: %+v", len(items), items)
	}
	return items[0]
}

func (p *place) inboxNow() []control.InboxItem {
	p.t.Helper()
	items, err := p.Inbox()
	if err != nil {
		p.t.Fatal(err)
	}
	return items
}

func (p *place) quiet() {
	p.t.Helper()
	if items := p.inboxNow(); len(items) != 0 {
		p.t.Fatalf("something waits: %+v", items)
	}
}

func (p *place) approve(it control.InboxItem, items ...string) control.Decided {
	p.t.Helper()
	d, err := p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, Items: items})
	if err != nil {
		p.t.Fatalf("approve %s: %v", it.Code, err)
	}
	return d
}

func (p *place) approveAll(it control.InboxItem) control.Decided {
	p.t.Helper()
	d, err := p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, All: true})
	if err != nil {
		p.t.Fatalf("approve %s: %v", it.Code, err)
	}
	return d
}

func (p *place) reject(it control.InboxItem, items ...string) control.Decided {
	p.t.Helper()
	d, err := p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, Reject: true, Items: items})
	if err != nil {
		p.t.Fatalf("reject %s: %v", it.Code, err)
	}
	return d
}

func (p *place) records(kind string) []control.Record {
	p.t.Helper()
	a, err := p.Activity(control.ActivityQuery{Kind: kind, Limit: 1000})
	if err != nil {
		p.t.Fatal(err)
	}
	return a.Items
}

func wantState(t testing.TB, s control.State, item string, state vocab.PartState) {
	t.Helper()
	if got := s.Items[item].State; got != state {
		t.Fatalf("%s is %q, want %q (state %+v)", item, got, state, s)
	}
}

// served says whether a wrapper would let the declared definition pass.
func served(s control.State, it pin.Item) bool {
	digest, err := pin.DigestOf(it.Kind, it.Name, it.Raw)
	return err == nil && s.Open && !s.Blocked && slices.Contains(s.Items[it.Key()].Approved, digest)
}

func states(it control.InboxItem) string {
	var parts []string
	for _, p := range it.Parts {
		parts = append(parts, p.Item+"="+string(p.State))
	}
	return strings.Join(parts, " ")
}
