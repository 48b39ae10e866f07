package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestFromAWrapperComesNoDecision(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	var in control.Records
	for i, kind := range []vocab.RecordKind{"server_start", "tool_call", "policy_decision", "drift", "guard_problem", "server_stop",
		"approval", "rejection", "release", "config_change", "whatever", ""} {
		in.Records = append(in.Records, control.Record{ID: fmt.Sprintf("id-%02d", i), Kind: kind, Status: "ok", Server: "another", Prev: "x", Hash: "y"})
	}
	in.Records = append(in.Records, control.Record{ID: "id-99", Kind: "tool_call", Status: "fine"})
	acked, err := p.Records(w, in)
	if err != nil || acked.Stored != len(in.Records) {
		t.Fatalf("acked %+v, %v", acked, err)
	}
	// A spool delivered twice is stored once.
	if _, err := p.Records(w, in); err != nil {
		t.Fatal(err)
	}
	got := p.records("")
	if len(got) != 7 { // six, and one that says what was left out
		t.Fatalf("%d records: %+v", len(got), got)
	}
	for _, r := range got {
		if r.Server != "weather" || r.Kind == "approval" || r.Prev == "x" || r.Hash == "y" || r.Session == "" {
			t.Fatalf("record %+v", r)
		}
	}
	if v, err := p.Verify(); err != nil || v.Bad != "" || v.Records != 7 {
		t.Fatalf("chain %+v, %v", v, err)
	}
	if r, err := p.Record("id-01"); err != nil || r.Kind != "tool_call" {
		t.Fatalf("record %+v, %v", r, err)
	}
	wantError(t, errOf(p.Record("nope")), control.CodeNotFound)
}

func TestRecordsAreOnTheDiskBeforeTheyAreAcknowledged(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.wrap("weather")
	if _, err := p.Records(w, control.Records{Records: []control.Record{{ID: "one", Kind: "tool_call", Status: "ok"}}}); err != nil {
		t.Fatal(err)
	}
	q := open(t, copyHome(t, home), nil)
	if r, err := q.Record("one"); err != nil || r.ID != "one" {
		t.Fatalf("record %+v, %v", r, err)
	}
}

func TestAStoreThatCannotBeReadBlocksEverything(t *testing.T) {
	for _, c := range []struct {
		name   string
		break_ func(t *testing.T, home control.Home)
		code   string
	}{
		{"a damaged store", func(t *testing.T, home control.Home) { write(t, home.Store, strings.Repeat("no store ", 4000)) }, office.ProblemStoreDamaged},
		{"a store that is gone while its key is there", func(t *testing.T, home control.Home) { must(t, os.Remove(home.Store)) }, office.ProblemStoreMissing},
		{"a store without its key", func(t *testing.T, home control.Home) { must(t, os.Remove(filepath.Join(home.Dir, "seal.key"))) }, office.ProblemStoreSeal},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := newHome(t)
			p := open(t, home, nil)
			a := tool("a", "one")
			p.wrap("weather").report(a)
			p.approve(p.item())
			p.Close()
			c.break_(t, home)
			before := filesOf(t, home.Dir)

			q := open(t, home, nil)
			w := q.wrap("weather")
			_, err := q.Report(w, control.Report{Era: "legacy"})
			wantError(t, err, control.CodeUnavailable)
			wantError(t, errOf(q.Records(w, control.Records{Records: []control.Record{{ID: "x", Kind: "tool_call", Status: "ok"}}})), control.CodeUnavailable)
			wantError(t, errOf(q.Decide(person, control.Decide{Code: "AAAA", Digest: "x"})), control.CodeUnavailable)
			if items, err := q.Inbox(); err != nil || len(items) != 1 || items[0].Kind != vocab.ItemProblem {
				t.Fatalf("inbox %+v, %v", items, err)
			}
			wantError(t, errOf(q.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "1s"})), control.CodeUnavailable)
			s, err := q.Status()
			if err != nil || len(s.Problems) == 0 || s.Problems[0].Code != c.code || s.Problems[0].Next == "" {
				t.Fatalf("status %+v, %v", s.Problems, err)
			}
			if len(s.Wrappers) != 1 || s.Hub.CLIApproval != (c.code != office.ProblemStoreSeal) {
				t.Fatalf("status %+v", s)
			}
			q.Unregister(w)
			q.Close()
			// Nothing was overwritten: every byte is still there, under some name.
			after := filesOf(t, home.Dir)
			for name, raw := range before {
				found := false
				for _, now := range after {
					found = found || now == raw
				}
				if !found {
					t.Errorf("%s is lost", name)
				}
			}
			// The next hub does not treat it as empty either.
			again := open(t, home, nil)
			state, err := again.Register(&stage.Ears{}, control.Peer{Role: control.RoleWrapper}, control.Register{Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}}})
			if err != nil || state.Open || !state.Blocked || len(state.Items) != 0 {
				t.Fatalf("state %+v, %v", state, err)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestASecondHubDoesNotGetTheStore(t *testing.T) {
	p := newPlace(t)
	_, err := Open(Options{Home: p.home, StartedBy: ByPerson})
	if err == nil || !strings.Contains(err.Error(), store.ErrLocked.Error()) {
		t.Fatalf("error %v", err)
	}
}

// Of two desktop apps that start at once, one owns the home; the other gets an error, and can start when the first has gone.
func TestOfTwoDesktopHubsAtOnceOneOwnsTheHome(t *testing.T) {
	home := newHome(t)
	desktop := Options{Home: home, StartedBy: ByDesktop, Window: true, System: stage.Machine("linux", t.TempDir())}
	for round := range 3 {
		hubs, errs := make([]*Hub, 4), make([]error, 4)
		var all sync.WaitGroup
		for i := range hubs {
			all.Go(func() { hubs[i], errs[i] = Open(desktop) })
		}
		all.Wait()
		owners := 0
		for i, h := range hubs {
			switch {
			case errs[i] == nil:
				owners++
				if status, err := h.Status(); err != nil || !status.Hub.Window {
					t.Errorf("round %d: the owner says %+v, %v", round, status, err)
				}
				defer h.Close()
			case !errors.Is(errs[i], store.ErrLocked):
				t.Errorf("round %d: a second one says %v", round, errs[i])
			}
		}
		if owners != 1 {
			t.Fatalf("round %d: %d hubs own one home", round, owners)
		}
		for _, h := range hubs {
			if h != nil {
				must(t, h.Close())
			}
		}
	}
}

func done(h *Hub) bool {
	select {
	case <-h.Done():
		return true
	default:
		return false
	}
}

func TestAHubThatAWrapperStartedEndsAfterItsLastWrapper(t *testing.T) {
	p := open(t, newHome(t), func(o *Options) { o.StartedBy, o.Linger = ByWrapper, time.Hour })
	p.office.Lock()
	idle := p.idle != nil
	p.opts.Linger = time.Millisecond
	p.office.Unlock()
	if !idle {
		t.Fatal("a hub that no wrapper ever reaches stays for ever")
	}
	a, b := p.wrap("weather"), p.wrap("weather")
	p.Unregister(a)
	p.office.Lock()
	idle = p.idle != nil
	p.office.Unlock()
	if idle || done(p.Hub) {
		t.Fatal("it ends while a wrapper is there")
	}
	p.Unregister(b)
	eventually(t, "the end", func() bool { return done(p.Hub) })
	_, err := p.Register(&stage.Ears{}, control.Peer{}, control.Register{Server: control.ServerRef{Transport: "stdio", Argv: []string{"x"}}})
	wantError(t, err, control.CodeUnavailable)
}

func TestAHubThatAPersonStartedStays(t *testing.T) {
	p := open(t, newHome(t), func(o *Options) { o.Linger = time.Nanosecond })
	w := p.wrap("weather")
	p.Unregister(w)
	p.office.Lock()
	defer p.office.Unlock()
	if p.idle != nil || done(p.Hub) {
		t.Fatal("it ends")
	}
}

func TestAHomeThatVanishesEndsItsHub(t *testing.T) {
	for _, c := range []struct {
		name   string
		vanish func(control.Home) error
	}{
		{"the folder is removed", func(h control.Home) error { return os.RemoveAll(h.Dir) }},
		{"the folder is moved", func(h control.Home) error { return os.Rename(h.Dir, h.Dir+".old") }},
		{"the store is replaced", func(h control.Home) error { return os.Remove(h.Store) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newHome(t), func(o *Options) { o.HomeCheck = time.Millisecond })
			must(t, c.vanish(p.home))
			eventually(t, "the end", func() bool { return done(p.Hub) })
		})
	}
}

func TestWhoMayTakeOver(t *testing.T) {
	hub := control.Peer{Role: control.RoleHub}
	for _, c := range []struct {
		name string
		by   string
		peer control.Peer
		code int
	}{
		{"another hub takes over from one that a wrapper started", ByWrapper, hub, 0},
		{"not from one that a person started", ByPerson, hub, control.CodeNotHere},
		{"not from the desktop", ByDesktop, hub, control.CodeNotHere},
		{"a process inside a wrapped server ends no hub", ByWrapper, control.Peer{Role: control.RoleHub, Descends: true}, control.CodeDescends},
		{"the command line ends no hub", ByWrapper, person, control.CodeBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newHome(t), func(o *Options) { o.StartedBy = c.by })
			err := p.StepDown(c.peer)
			if c.code != 0 {
				wantError(t, err, c.code)
				if done(p.Hub) {
					t.Fatal("it ends")
				}
				return
			}
			if err != nil || !done(p.Hub) {
				t.Fatalf("%v, done %v", err, done(p.Hub))
			}
			wantError(t, errOf(p.Inbox()), control.CodeUnavailable)
		})
	}
}

func TestLogsAreARingThatOutlivesTheServer(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.wrap("weather")
	p.Stderr(w, control.Stderr{Chunk: []byte("first\nred \x1b[31mtext\npassword=hunter2 in a ")})
	p.Stderr(w, control.Stderr{Chunk: []byte("line\nunfinished")})
	p.Unregister(w)
	p.Close()
	p = open(t, home, nil)
	log, err := p.Log(control.LogQuery{Server: "weather"})
	if err != nil || log.Text != "first\nred \\x1b[31mtext\npassword=*** in a line\nunfinished\n" {
		t.Fatalf("log %q, %v", log.Text, err)
	}
	if log, err := p.Log(control.LogQuery{Server: "weather", Lines: 2}); err != nil || !strings.HasPrefix(log.Text, "password") {
		t.Fatalf("log %q, %v", log.Text, err)
	}
	// Follow resumes where it stopped.
	w = p.wrap("weather")
	p.Stderr(w, control.Stderr{Chunk: []byte("more\n")})
	next, err := p.Log(control.LogQuery{Server: "weather", Follow: true, Offset: log.Next})
	if err != nil || next.Text != "more\n" {
		t.Fatalf("log %q, %v", next.Text, err)
	}
	wantError(t, errOf(p.Log(control.LogQuery{Server: "nobody"})), control.CodeNotFound)
}

func TestAForeignMessageIsInTheTimeline(t *testing.T) {
	p := newPlace(t)
	p.Foreign(control.Foreign{PID: 7, Why: "process 8 wrote on the connection of process 7", Count: 2})
	got := p.records("guard_problem")
	if len(got) != 1 || got[0].Status != "blocked" || string(got[0].Detail) != `{"check":"sender","count":2,"why":"process 8 wrote on the connection of process 7"}` {
		t.Errorf("the timeline has %+v", got)
	}
}

func TestASocketThatWasTakenIsInTheTimeline(t *testing.T) {
	p := newPlace(t)
	p.Displaced(control.Displaced{Count: 3})
	p.Displaced(control.Displaced{Count: 1, Why: "a file is in the way of the socket: move it away"})
	got := p.records("guard_problem")
	if len(got) != 2 || got[0].Status != "blocked" || got[0].Summary == got[1].Summary {
		t.Fatalf("the timeline has %+v", got)
	}
	details := []string{string(got[0].Detail), string(got[1].Detail)}
	slices.Sort(details) // the newest first, or not
	if details[0] != `{"check":"socket","count":1,"why":"a file is in the way of the socket: move it away"}` || details[1] != `{"check":"socket","count":3,"why":""}` {
		t.Errorf("the timeline has %q", details)
	}
}

func TestWhatAServerLeftBehindIsInTheTimeline(t *testing.T) {
	p := newPlace(t)
	p.wrap("weather").report(tool("a", "one"))
	p.Ended(control.Register{Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}, Name: "weather"}, Client: "claude-desktop", Session: "session-1"}, 3)
	p.Ended(control.Register{Mark: 7}, 1) // a wrapper that this hub doesn't know
	var got []string
	for _, r := range p.records("guard_problem") {
		got = append(got, fmt.Sprintf("%s %s %s: %s %s", r.Server, r.Session, r.Status, r.Summary, r.Detail))
	}
	want := []string{
		`a server  blocked: its guard was killed while it ran; the hub stopped what was left of it {"check":"leftover","count":1}`,
		`weather session-1 blocked: its guard was killed while it ran; the hub stopped what was left of it {"check":"leftover","count":3}`,
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the timeline has %q", got)
	}
}
