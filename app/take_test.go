package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// again is the next hub on the same home, with the same clock.
func (p *place) again() *place {
	p.t.Helper()
	if err := p.Close(); err != nil {
		p.t.Fatal(err)
	}
	next := open(p.t, p.home, func(o *Options) { o.Now = p.at.now })
	next.at, next.n = p.at, p.n
	return next
}

// back is the same wrapper process connecting to another hub.
func (p *place) back(client, session, name string, argv ...string) *server {
	p.t.Helper()
	s := &server{Ears: &stage.Ears{}, p: p}
	state, err := p.Register(s, control.Peer{PID: 900, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: argv, Name: name}, Client: client, Session: session,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	s.Push(state) // a wrapper has it from the answer
	return s
}

var weather = []string{"npx", "-y", "weather"}

func TestAReleasedAnswerGoesToTheClientItWasHeldFor(t *testing.T) {
	for _, c := range []struct {
		name               string
		heldFor, asks      string // clients
		sameServer         bool
		method             string
		isError, sameAgain bool
		want               vocab.HeldState
	}{
		{"through the wrapper that held it", "claude-desktop", "claude-desktop", true, "tools/call", false, false, vocab.HeldTaken},
		{"through another server's wrapper of the client", "claude-desktop", "claude-desktop", false, "tools/call", false, false, vocab.HeldTaken},
		{"never to another client of the same server", "claude-desktop", "cursor", true, "tools/call", false, false, ""},
		{"never to a client that says no name", "claude-desktop", "", true, "tools/call", false, false, ""},
		{"one held for a client without a name, through the same server", "", "", true, "tools/call", false, false, vocab.HeldTaken},
		{"one held for a client without a name, through no other server", "", "", false, "tools/call", false, false, ""},
		{"a prompt, by its code", "claude-desktop", "claude-desktop", true, "prompts/get", false, false, vocab.HeldReleased},
		{"a prompt, by the same request", "claude-desktop", "claude-desktop", true, "prompts/get", false, true, vocab.HeldTaken},
		{"an error of a tool, by its code", "claude-desktop", "claude-desktop", true, "tools/call", true, false, vocab.HeldReleased},
		{"an error of a tool, by the same request", "claude-desktop", "claude-desktop", true, "tools/call", true, true, vocab.HeldTaken},
		{"the same request to another server", "claude-desktop", "claude-desktop", false, "tools/call", false, true, vocab.HeldReleased},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			holder := p.wrapFor(c.heldFor, "notes")
			asker := holder
			switch {
			case !c.sameServer:
				asker = p.wrapFor(c.asks, "mail", "npx", "mail")
			case c.asks != c.heldFor:
				asker = p.wrapFor(c.asks, "notes")
			}
			held := heldOne(t, 1)
			held.Client, held.Method, held.Error = c.heldFor, c.method, c.isError
			code := holder.hold(held)
			p.release(code, nil)
			got, err := p.Take(asker, control.Take{Code: strings.ToLower(code), Client: c.asks, Same: c.sameAgain})
			if err != nil || got.State != c.want || (got.State == vocab.HeldTaken) != (len(got.Answer) > 0) {
				t.Errorf("%+v, %v", got, err)
			}
			if c.want != vocab.HeldTaken {
				p.stands(code, vocab.HeldReleased)
			}
		})
	}
}

func TestAReleaseRunsOutAndTheAnswerWaitsAgain(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	for range 2 {
		p.release(code, nil)
		p.at.pass(quarantine.ReleaseFor)
		if got := w.take(code); got.State != vocab.HeldExpired {
			t.Fatalf("after its time: %+v", got)
		}
		p.stands(code, vocab.HeldExpired)
		if it := p.item(); it.Code != code {
			t.Fatalf("what waits is %+v", it)
		}
		if r := w.Last(t).Released; len(r) != 0 {
			t.Errorf("the wrapper still has it as released: %+v", r)
		}
	}
	// It takes no call: time alone does it, and a hub that was not running then does it when it starts.
	p.release(code, nil)
	p.at.pass(quarantine.ReleaseFor)
	p = p.again()
	eventually(t, "it waits again", func() bool { return p.shown(code).Held.State == vocab.HeldExpired })
	p.item()
	w = p.wrap("notes")
	p.release(code, nil)
	if got := w.take(code); got.State != vocab.HeldTaken {
		t.Errorf("released anew: %+v", got)
	}
}

func TestATextIsForgottenAfterItsTimeAndTheRecordStays(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	first, second := w.hold(heldOne(t, 1)), w.hold(heldOne(t, 2))
	p.at.pass(24*time.Hour - time.Minute)
	p.Tend()
	p.stands(first, vocab.HeldWaiting)
	p.release(second, nil) // in its last minute: it is kept as long as the release lasts
	p.at.pass(2 * time.Minute)
	p = p.again()
	eventually(t, "the first is gone", func() bool { return p.shown(first).Held.State == vocab.HeldGone })
	d := p.shown(first)
	if d.Held.Answer != nil || d.Held.Params != nil || d.Decided != "withdrawn" || len(d.Details[0].Findings) == 0 || d.Held.Bytes == 0 {
		t.Errorf("what is left: %+v", d)
	}
	p.quiet()
	w = p.wrap("notes")
	if got := w.take(second); got.State != vocab.HeldTaken || len(got.Answer) == 0 {
		t.Errorf("what was released went too: %+v", got)
	}
	if _, err := p.Release(person, control.Release{Code: first, Digest: d.Digest}); err == nil {
		t.Error("what is gone was released")
	} else {
		wantError(t, err, control.CodeStale)
	}
	if got := w.take(first); got.State != vocab.HeldGone {
		t.Errorf("take: %+v", got)
	}
	var told []string
	for _, r := range p.records("quarantine") {
		if r.Code == first {
			told = append(told, string(r.Status))
		}
	}
	if strings.Join(told, " ") != "held blocked" {
		t.Errorf("the timeline says %v", told)
	}
}

// kept makes the hub count a response as one of that many bytes.
func (p *place) keeps(code string, bytes int64) {
	one := p.stored(code)
	one.Kept = bytes
	p.office.Lock()
	defer p.office.Unlock()
	if err := p.office.Store.Update(func(tx *store.Tx) error { return tx.PutHeld(one) }); err != nil {
		p.t.Fatal(err)
	}
	if err := p.ReadHeld(); err != nil {
		p.t.Fatal(err)
	}
}

// stored is a held response as the store has it.
func (p *place) stored(code string) (one store.Held) {
	p.t.Helper()
	if err := p.office.Store.View(func(tx *store.Tx) (err error) { one, err = tx.Held(code); return err }); err != nil {
		p.t.Fatal(err)
	}
	return one
}

func TestTheOldestOfTheLargestItemIsDiscardedForMoreThanIsKept(t *testing.T) {
	p := newPlace(t)
	w, other := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	beside := other.hold(heldOne(t, 0))
	released := w.hold(heldOne(t, 1))
	p.release(released, nil)
	oldest, second := w.hold(heldOne(t, 2)), w.hold(heldOne(t, 3))
	p.keeps(second, p.Most.Bytes-4*p.stored(oldest).Kept)
	p.keeps(oldest, 2*p.stored(beside).Kept)
	last := w.hold(heldOne(t, 4))
	p.stands(oldest, vocab.HeldGone)
	p.stands(released, vocab.HeldReleased)
	for _, code := range []string{beside, second, last} {
		p.stands(code, vocab.HeldWaiting)
	}
	for _, it := range p.inboxNow() {
		if want := map[string]int{"notes": 2, "mail": 1}[it.Server]; it.Count != want || slices.Contains(it.Codes, oldest) {
			t.Errorf("%d of %s wait, want %d", it.Count, it.Server, want)
		}
	}
	if all := p.records("quarantine"); !strings.Contains(mask.PlainJSON(all), "the oldest one of the largest item") {
		t.Errorf("the timeline says %+v", all)
	}
	if d := p.shown(oldest); d.Decided != "withdrawn" || len(d.Details[0].Findings) == 0 {
		t.Errorf("what is left of it: %+v", d)
	}
	huge := heldOne(t, 5)
	huge.Answer = []byte(`"` + strings.Repeat("x", int(p.Most.One)) + `"`)
	whole := w.hold(huge)
	if d := p.stands(whole, vocab.HeldGone); d.Bytes < p.Most.One || d.Answer != nil {
		t.Errorf("%d bytes", d.Bytes)
	}
	p.stands(second, vocab.HeldWaiting) // it pushed nothing out
	if all := p.records("quarantine"); !strings.Contains(all[len(all)-1].Summary, "too large to keep") {
		t.Errorf("the timeline says %+v", all)
	}
	p = p.again() // it is also gone for the next hub
	p.stands(oldest, vocab.HeldGone)
	p.stands(last, vocab.HeldWaiting)
}

// A server whose responses are all too large to keep is limited in the inbox like any other.
func TestNoMoreResponsesWaitThanMayWhateverTheirSize(t *testing.T) {
	p := newPlace(t)
	p.Most.Responses, p.Most.One = 3, 64<<10
	w, mail := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	beside := mail.hold(heldOne(t, 0))
	var codes []string
	for n := range 6 {
		large := heldOne(t, n)
		large.Why, large.Findings = vocab.HeldLimit, nil
		if n%2 == 0 {
			large.Answer, large.Bytes = nil, 65<<20 // larger than a wrapper sends
		} else {
			large.Answer = []byte(`"` + strings.Repeat("x", int(p.Most.One)) + `"`)
		}
		codes = append(codes, w.hold(large))
	}
	for _, it := range p.inboxNow() {
		if want := map[string]int{"notes": 2, "mail": 1}[it.Server]; it.Count != want {
			t.Errorf("%d of %s wait, want %d", it.Count, it.Server, want)
		}
	}
	for n, code := range codes {
		p.stands(code, vocab.HeldGone)
		if (p.shown(code).Decided == "withdrawn") != (n < 4) {
			t.Errorf("response %d of 6: %s", n+1, p.shown(code).Decided)
		}
	}
	p.stands(beside, vocab.HeldWaiting)
}

func TestAWrapperThatGoesWithoutAWordLeavesItToAPerson(t *testing.T) {
	p := newPlace(t)
	p.wrap("notes")
	w := p.back("claude-desktop", "mine", "notes", weather...)
	code := w.hold(heldOne(t, 1))
	p.release(code, nil)
	w.take(code)
	p.Unregister(w)
	p.stands(code, vocab.HeldTaken) // it may come back
	p.at.pass(quarantine.ClaimGrace + time.Second)
	p.Wake()
	eventually(t, "it waits again", func() bool { return p.shown(code).Held.State == vocab.HeldWaiting })
	if d := p.stands(code, vocab.HeldWaiting); !d.Unsure || d.Answer == nil {
		t.Errorf("%+v", d)
	}
	if it := p.item(); it.Code != code {
		t.Errorf("what waits is %+v", it)
	}
	// It had arrived; the report is late.
	w = p.back("claude-desktop", "mine", "notes", weather...)
	if got := w.take(code); got.State != vocab.HeldWaiting {
		t.Errorf("it took what waits for a person: %+v", got)
	}
	w.arrived(code, "late")
	p.stands(code, vocab.HeldDelivered)
	p.quiet()
}

func TestAClaimOutlivesTheHub(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(t *testing.T, p *place, code string)
	}{
		{"the wrapper comes back and asks again", func(t *testing.T, p *place, code string) {
			w := p.back("claude-desktop", "mine", "notes", weather...)
			if other := p.wrap("notes").take(code); other.State != vocab.HeldTaken || other.Answer != nil {
				t.Errorf("another one got %+v", other)
			}
			if got := w.take(code); got.State != vocab.HeldTaken || string(got.Answer) != poison {
				t.Errorf("%+v", got)
			}
			w.arrived(code, "r")
			p.stands(code, vocab.HeldDelivered)
		}},
		{"the wrapper comes back and says that it arrived", func(t *testing.T, p *place, code string) {
			p.back("claude-desktop", "mine", "notes", weather...).arrived(code, "r")
			p.stands(code, vocab.HeldDelivered)
		}},
		{"a process of another server does not pass for it", func(t *testing.T, p *place, code string) {
			w := p.back("claude-desktop", "mine", "mail", "npx", "mail")
			w.arrived(code, "r")
			p.stands(code, vocab.HeldTaken)
			if got := w.take(code); got.Answer != nil {
				t.Errorf("%+v", got)
			}
		}},
		{"the wrapper never comes back", func(t *testing.T, p *place, code string) {
			p.Wake()
			eventually(t, "it is known to be away", func() bool {
				p.office.Lock()
				defer p.office.Unlock()
				_, known := p.AwaySince(code)
				return known
			})
			p.at.pass(quarantine.ClaimGrace)
			p.Wake()
			eventually(t, "it waits again", func() bool { return p.shown(code).Held.State == vocab.HeldWaiting })
			if d := p.shown(code).Held; !d.Unsure {
				t.Errorf("%+v", d)
			}
		}},
		{"the wrapper died, and its word lies in the spool", func(t *testing.T, p *place, code string) {
			err := p.TakeOrphans(control.Register{Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "notes"}, Client: "claude-desktop", Session: "mine"},
				[]control.Record{{ID: "r", Kind: "quarantine", Status: "ok", Code: code}, {ID: "r2", Kind: "tool_call", Status: "ok"}})
			if err != nil {
				t.Fatal(err)
			}
			p.stands(code, vocab.HeldDelivered)
			if _, err := p.Record("r2"); err != nil {
				t.Error(err)
			}
		}},
		{"the wrapper is there and says nothing until long after", func(t *testing.T, p *place, code string) {
			p.back("claude-desktop", "mine", "notes", weather...)
			p.at.pass(quarantine.ReleaseFor + 2*quarantine.ClaimGrace)
			p.Tend()
			if d := p.stands(code, vocab.HeldWaiting); !d.Unsure {
				t.Errorf("%+v", d)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			w := p.back("claude-desktop", "mine", "notes", weather...)
			code := w.hold(heldOne(t, 1))
			p.release(code, nil)
			w.take(code)
			p = p.again()
			p.stands(code, vocab.HeldTaken)
			c.then(t, p, code)
		})
	}
}

// After a claim expired, a person releases the response again; then the first claimant reports late that it arrived.
func TestTheWordOfAnEarlierTakerEndsALaterRelease(t *testing.T) {
	p := newPlace(t)
	w := p.back("claude-desktop", "mine", "notes", weather...)
	code := w.hold(heldOne(t, 1))
	p.release(code, nil)
	w.take(code)
	p.at.pass(quarantine.ReleaseFor + 2*quarantine.ClaimGrace)
	p.Tend()
	p.release(code, nil)
	w.arrived(code, "late")
	p.stands(code, vocab.HeldDelivered)
	if got := p.wrap("notes").take(code); got.State != vocab.HeldDelivered {
		t.Errorf("handed over twice: %+v", got)
	}
}

func TestAReleasedAnswerHasTheSettingsOfItsTool(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	if _, err := p.SetSetting(person, control.SettingQuery{Key: "redact.mode", Value: "redact", Server: "notes", Tool: "read_note"}); err != nil {
		t.Fatal(err)
	}
	for n, item := range map[int]string{1: "tool:read_note", 2: "tool:other"} {
		held := heldOne(t, n)
		held.Item = item
		code := w.hold(held)
		p.release(code, nil)
		want := map[string]string{"tool:read_note": "redact", "tool:other": "detect"}[item]
		if got := w.take(code); got.State != vocab.HeldTaken || got.Settings["redact.mode"] != want {
			t.Errorf("%s: %s, redact.mode %s and not %s", item, got.State, got.Settings["redact.mode"], want)
		}
	}
}
