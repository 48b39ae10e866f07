package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// crashSession is the wrapper of the hubs that are killed.
const crashSession = "before-the-kill"

func crashAnswer() control.Held {
	return control.Held{
		ID: "held-before-the-kill", Client: "claude-desktop", Session: crashSession, Era: "legacy", Method: "tools/call", Item: "tool:read_note", Name: "read_note",
		Same: "same", Answer: []byte(poison), Why: vocab.HeldThreat,
	}
}

// crashHeld takes one response all the way: held, released, taken, arrived. It is killed on the way.
func crashHeld(hub *Hub) error {
	w := &stage.Ears{}
	_, err := hub.Register(w, control.Peer{PID: 1, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "notes"}, Client: "claude-desktop", Session: crashSession,
	})
	if err != nil {
		return err
	}
	kept, err := hub.Hold(w, crashAnswer())
	if err != nil {
		return err
	}
	item, err := hub.Item(kept.Code)
	if err != nil {
		return err
	}
	if _, err := hub.Release(person, control.Release{Code: kept.Code, Digest: item.Digest}); err != nil {
		return err
	}
	if _, err := hub.Take(w, control.Take{Code: kept.Code, Client: "claude-desktop"}); err != nil {
		return err
	}
	_, err = hub.Records(w, control.Records{Records: []control.Record{{ID: "arrived", Kind: "quarantine", Status: "ok", Code: kept.Code}}})
	return err
}

// TestAHubKilledAnywhereLosesNothingHeldAndGivesItOutOnce kills a hub before and after each commit about a held response. The wrapper gets no
// reply to its last call; the test checks what it does then, and what another wrapper can get.
func TestAHubKilledAnywhereLosesNothingHeldAndGivesItOutOnce(t *testing.T) {
	for _, c := range []struct {
		point string
		state vocab.HeldState // that the next hub finds, "" for nothing
	}{
		{"hold", ""}, {"held", vocab.HeldWaiting},
		{"release", vocab.HeldWaiting}, {"released", vocab.HeldReleased},
		{"take", vocab.HeldReleased}, {"taken", vocab.HeldTaken},
		{"confirm", vocab.HeldTaken}, {"confirmed", vocab.HeldDelivered},
	} {
		t.Run("killed at "+c.point, func(t *testing.T) {
			root := t.TempDir()
			home, err := control.HomeAt(filepath.Join(root, "home"))
			if err != nil {
				t.Fatal(err)
			}
			killed(t, root, "held", c.point)
			p := open(t, home, func(o *Options) { o.Now = nil })
			if v, err := p.Verify(); err != nil || v.Bad != "" {
				t.Errorf("the timeline: %+v, %v", v, err)
			}
			if found, err := p.office.Store.Tampered(); err != nil || found.Any() {
				t.Errorf("the seals: %+v, %v", found, err)
			}
			stranger := p.wrapFor("claude-desktop", "notes", weather...)
			w := p.back("claude-desktop", crashSession, "notes", weather...)
			if c.state == "" {
				p.quiet()
				if n := len(p.records("quarantine")); n != 0 {
					t.Fatalf("half of it is there: %d records", n)
				}
				// The client has heard nothing: the wrapper holds it again.
				p.stands(w.hold(crashAnswer()), vocab.HeldWaiting)
				return
			}
			code := w.hold(crashAnswer()) // repeated, because there was no reply
			if all := p.records("quarantine"); len(all) == 0 || all[0].Code != code || strings.Count(mask.PlainJSON(all), `"status":"held"`) != 1 {
				t.Fatalf("held twice: %+v", all)
			}
			p.stands(code, c.state)
			switch c.state {
			case vocab.HeldWaiting:
				if got := w.take(code); got.Answer != nil {
					t.Errorf("delivered unreleased: %+v", got)
				}
				if got := p.item().Code; got != code {
					t.Errorf("what waits is %s", got)
				}
			case vocab.HeldReleased:
				p.handedOverOnce(stranger, w, code)
			case vocab.HeldTaken:
				p.handedOverOnce(w, stranger, code)
			case vocab.HeldDelivered:
				for _, s := range []*server{w, stranger} {
					if got := s.take(code); got.State != vocab.HeldDelivered {
						t.Errorf("delivered twice: %+v", got)
					}
				}
			default:
				t.Fatalf("%q is no state that a hub is killed in", c.state)
			}
		})
	}
}

// handedOverOnce checks that exactly one wrapper gets a released response.
func (p *place) handedOverOnce(one, other *server, code string) {
	p.t.Helper()
	if got := one.take(code); got.State != vocab.HeldTaken || string(got.Answer) != poison {
		p.t.Errorf("lost: %+v", got)
	}
	if got := other.take(code); got.Answer != nil {
		p.t.Errorf("delivered twice: %+v", got)
	}
	one.arrived(code, "arrived")
	p.stands(code, vocab.HeldDelivered)
	for _, s := range []*server{one, other} {
		if got := s.take(code); got.State != vocab.HeldDelivered || got.Answer != nil {
			p.t.Errorf("delivered twice: %+v", got)
		}
	}
}

// TestAHundredHeldOutOfTwoHundredCalls uses a real socket: one connection, everything at once, each held response released and taken
// while others are still being held.
func TestAHundredHeldOutOfTwoHundredCalls(t *testing.T) {
	p := open(t, newHome(t), func(o *Options) { o.Now = nil })
	listener, err := control.Listen(p.home)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- control.Serve(ctx, listener, p.Hub, control.Options{}) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	client, err := control.Dial(ctx, p.home, control.RoleWrapper)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Register(ctx, control.Register{Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "notes"}, Client: "claude-desktop", Session: "busy"}, func(control.State) {})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for n := range 200 {
		all.Go(func() {
			if n%2 == 0 {
				_, err := control.AskRecords(ctx, client, control.Records{Records: []control.Record{{ID: fmt.Sprint("call-", n), Kind: "tool_call", Status: "ok", Tool: "read_note", Time: time.Now()}}})
				if err != nil {
					t.Errorf("call %d: %v", n, err)
				}
				return
			}
			held := heldOne(t, n)
			held.Answer = []byte(fmt.Sprintf(`{"content":[{"type":"text","text":"number %d"}]}`, n))
			kept, err := control.AskHold(ctx, client, held)
			if err != nil {
				t.Errorf("call %d: %v", n, err)
				return
			}
			mu.Lock()
			codes[kept.Code] = n
			mu.Unlock()
			item, err := p.Item(kept.Code)
			if err != nil {
				t.Errorf("call %d: %v", n, err)
				return
			}
			if n%4 == 1 {
				if _, err := p.Release(window, control.Release{Code: kept.Code, Digest: item.Digest}); err != nil {
					t.Errorf("release %d: %v", n, err)
				}
			}
			got, err := control.AskTake(ctx, client, control.Take{Code: kept.Code, Client: "claude-desktop"})
			switch {
			case err != nil:
				t.Errorf("take %d: %v", n, err)
			case n%4 == 1 && string(got.Answer) != string(held.Answer):
				t.Errorf("call %d got %q (%s)", n, got.Answer, got.State)
			case n%4 == 3 && got.Answer != nil:
				t.Errorf("call %d: delivered unreleased", n)
			case n%4 == 1:
				if _, err := control.AskRecords(ctx, client, control.Records{Records: []control.Record{{ID: fmt.Sprint("arrived-", n), Kind: "quarantine", Status: "ok", Code: kept.Code}}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if len(codes) != 100 {
		t.Fatalf("%d codes for 100 held answers", len(codes))
	}
	for code, n := range codes {
		want := vocab.HeldWaiting
		if n%4 == 1 {
			want = vocab.HeldDelivered
		}
		p.stands(code, want)
	}
	if waits := p.inboxNow(); len(waits) != 1 || waits[0].Count != 50 || len(waits[0].Codes) != 50 {
		t.Errorf("what waits: %+v", waits)
	}
	if n := len(p.records("tool_call")); n != 100 {
		t.Errorf("%d calls are recorded", n)
	}
	if v, err := p.Verify(); err != nil || v.Bad != "" {
		t.Errorf("%+v, %v", v, err)
	}
}
