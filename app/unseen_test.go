package app

import (
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// unseenNow is the list in the status.
func (p *place) unseenNow() (rows []control.UnseenServer) {
	p.t.Helper()
	status, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	return status.Unseen
}

func (p *place) unseenBy() []string {
	p.t.Helper()
	servers, err := p.Servers()
	if err != nil || len(servers) != 1 {
		p.t.Fatalf("servers %+v, %v", servers, err)
	}
	return servers[0].UnseenBy
}

func TestWhatAClientHasNotSeenIsNamedUntilItsWrapperSaysOtherwise(t *testing.T) {
	p := newPlace(t)
	desktop, codex := p.wrap("weather"), p.wrapFor("codex", "weather")
	desktop.report(tool("a", "x"))
	codex.report(tool("a", "x"))
	p.approve(p.item())
	if rows := p.unseenNow(); rows == nil || len(rows) != 0 {
		t.Fatalf("%+v", rows)
	}
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, s := range []*server{desktop, codex} {
		if err := p.Unseen(s, control.Unseen{Items: 1, Since: since}); err != nil {
			t.Fatal(err)
		}
	}
	servers, err := p.Servers()
	if err != nil {
		t.Fatal(err)
	}
	id, identity := servers[0].ID, servers[0].Identity
	want := []control.UnseenServer{
		{Client: "claude-desktop", Server: "weather", ID: id, Identity: identity, Session: "session-1", Items: 1, Since: since, Next: "restart Claude Desktop", Code: "SP-220"},
		{Client: "codex", Server: "weather", ID: id, Identity: identity, Session: "session-2", Items: 1, Since: since, Next: "start a new thread in Codex", Code: "SP-220"},
	}
	if rows := p.unseenNow(); !slices.Equal(rows, want) {
		t.Fatalf("%+v", rows)
	}
	if by := p.unseenBy(); !slices.Equal(by, []string{"claude-desktop", "codex"}) {
		t.Fatalf("unseen by %v", by)
	}
	if err := p.Unseen(desktop, control.Unseen{}); err != nil { // it listed
		t.Fatal(err)
	}
	p.Unregister(codex) // it ended
	if rows, by := p.unseenNow(), p.unseenBy(); len(rows) != 0 || len(by) != 0 {
		t.Fatalf("%+v, %v", rows, by)
	}
}

// Codex starts its servers anew for each thread, and the threads before keep theirs.
func TestAStartOfTheSameClientProcessSinceThenHasSeenIt(t *testing.T) {
	p := newPlace(t)
	start := func(parent int) *server {
		p.n++
		s := &server{Ears: &stage.Ears{}, p: p}
		state, err := p.Register(s, control.Peer{PID: 100 + p.n, Role: control.RoleWrapper}, control.Register{
			Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}, Name: "weather"}, Client: "codex", Session: "s", PID: 100 + p.n, Parent: control.Parent{PID: parent},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Push(state)
		return s
	}
	first := start(7)
	start(7) // of an earlier thread
	first.report(tool("a", "x"))
	p.approve(p.item())
	p.at.pass(time.Second)
	if err := p.Unseen(first, control.Unseen{Items: 1, Since: p.at.now()}); err != nil {
		t.Fatal(err)
	}
	p.at.pass(time.Second)
	other := start(8)
	if rows := p.unseenNow(); len(rows) != 1 {
		t.Fatalf("another process of the client has not shown the first anything: %+v", rows)
	}
	if l := p.Light(control.Coverage{}, nil, true); l.State != display.LightUnseen {
		t.Fatalf("the light of all: %+v", l)
	}
	second := start(7)
	if l := p.Light(control.Coverage{}, nil, true); l.State != display.LightGuarded {
		t.Fatalf("the light of all after a new thread: %+v", l)
	}
	if rows, by := p.unseenNow(), p.unseenBy(); len(rows) != 0 || len(by) != 0 {
		t.Fatalf("a new thread: %+v, %v", rows, by)
	}
	if err := p.Unseen(second, control.Unseen{Items: 1, Since: p.at.now()}); err != nil {
		t.Fatal(err)
	}
	if rows := p.unseenNow(); len(rows) != 2 {
		t.Fatalf("the new thread is behind as well: %+v", rows)
	}
	p.Unregister(other)
}

func TestOneNotificationForARunOfAClientOnceNothingOfItWaits(t *testing.T) {
	p := newPlace(t)
	heard := &notices{}
	p.opts.Notify = heard.Notify
	told := func() (keys []string) {
		for _, n := range heard.list {
			if n.Kind == vocab.NoticeUnseen {
				keys = append(keys, n.Code+" "+n.Next)
			}
		}
		return keys
	}
	weather, notes := p.wrapFor("claude-desktop", "weather", "weather"), p.wrapFor("claude-desktop", "notes", "notes")
	gemini := p.wrapFor("gemini-cli", "weather", "weather")
	weather.report(tool("a", "x"))
	gemini.report(tool("a", "x"))
	notes.report(tool("b", "x"))
	items := p.inboxNow()
	unseen := control.Unseen{Items: 1, Since: p.at.now()}
	for _, s := range []*server{weather, gemini} {
		if err := p.Unseen(s, unseen); err != nil {
			t.Fatal(err)
		}
	}
	p.approve(items[0])
	if got := told(); len(got) != 0 {
		t.Fatalf("a restart comes too early while something waits: %v", got)
	}
	p.approve(items[1])
	if got := told(); !slices.Equal(got, []string{"unseen:claude-desktop restart Claude Desktop"}) {
		t.Fatalf("told %v", got)
	}
	if err := p.Unseen(notes, unseen); err != nil {
		t.Fatal(err)
	}
	if got := told(); len(got) != 1 {
		t.Fatalf("a second server of the same run: %v", got)
	}
	if keys := p.UnseenNotices(); !slices.Contains(keys, "unseen:claude-desktop") {
		t.Fatalf("keys %v", keys)
	}
	p.Unregister(weather)
	if err := p.Unseen(notes, unseen); err != nil {
		t.Fatal(err)
	}
	if got := told(); len(got) != 1 {
		t.Fatalf("one server of the run ended: %v", got)
	}
	p.Unregister(notes)
	again := p.wrapFor("claude-desktop", "weather", "weather")
	if err := p.Unseen(again, unseen); err != nil {
		t.Fatal(err)
	}
	if got := told(); len(got) != 2 {
		t.Fatalf("the next run of the client: %v", got)
	}
}

func TestTheNotificationComesWhenTheLastThatWaitedIsAHeldResponse(t *testing.T) {
	p := newPlace(t)
	heard := &notices{}
	p.opts.Notify = heard.Notify
	told := func() (n int) {
		for _, notice := range heard.list {
			if notice.Kind == vocab.NoticeUnseen {
				n++
			}
		}
		return n
	}
	w := p.wrap("weather")
	w.report(tool("read_note", "Reads."))
	p.approve(p.item())
	code := w.hold(heldOne(t, 1))
	if err := p.Unseen(w, control.Unseen{Items: 1, Since: p.at.now()}); err != nil {
		t.Fatal(err)
	}
	if n := told(); n != 0 {
		t.Fatalf("told %d times while a response of its client waits", n)
	}
	if _, err := p.DiscardHeld(window, control.DiscardHeld{Codes: []string{code}}); err != nil {
		t.Fatal(err)
	}
	if n := told(); n != 1 {
		t.Errorf("told %d times once nothing of its client waits", n)
	}
}
