package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestOnlyAPersonDecidesOnWhatIsHeld(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Options)
		peer   control.Peer
		code   int
	}{
		{"a program inside a wrapped server", nil, inside, control.CodeDescends},
		{"a hub with a window", func(o *Options) { o.Window = true }, person, control.CodeNotHere},
		{"a hub that decides nothing", func(o *Options) { o.AllowCLI = false }, person, control.CodeNotHere},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newHome(t), c.change)
			w := p.wrap("notes")
			beside := mild(t, 2)
			beside.Item, beside.Name = "tool:other", "other"
			code, other := w.hold(mild(t, 1)), w.hold(beside)
			digest := p.shown(code).Digest
			for what, ask := range map[string]func() error{
				"release": func() error { _, err := p.Release(c.peer, control.Release{Code: code, Digest: digest}); return err },
				"discard": func() error {
					_, err := p.Release(c.peer, control.Release{Code: code, Digest: digest, Discard: true})
					return err
				},
				"except": func() error {
					_, err := p.Except(c.peer, control.Except{Code: code, Digest: digest, For: time.Hour})
					return err
				},
			} {
				wantError(t, ask(), c.code)
				if t.Failed() {
					t.Log(what)
				}
			}
			p.stands(code, vocab.HeldWaiting)
			if passes, _ := p.Exceptions(); len(passes) > 0 {
				t.Errorf("exceptions %+v", passes)
			}
			if top := p.inboxNow()[0].Code; c.code == control.CodeNotHere && top != code || c.code == control.CodeDescends && top != other {
				t.Errorf("%s is on top", top)
			}
			if c.code == control.CodeNotHere {
				if a, err := p.Release(window, control.Release{Code: code, Digest: digest}); err != nil || a.State != vocab.HeldReleased {
					t.Errorf("the window: %+v, %v", a, err)
				}
			}
		})
	}
}

func TestAWrappersRecordsDecideNothing(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	before := len(p.records(""))
	for i, r := range []control.Record{
		{Kind: "quarantine", Status: "ok", Code: code},
		{Kind: "quarantine", Status: "held", Code: code},
		{Kind: "quarantine", Status: "ok", Code: "ZZZZ"},
		{Kind: "quarantine", Status: "ok"},
		{Kind: "release", Status: "ok", Code: code},
		{Kind: "rejection", Status: "ok", Code: code},
	} {
		r.ID = fmt.Sprint("forged", i)
		if _, err := p.Records(w, control.Records{Records: []control.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	p.stands(code, vocab.HeldWaiting)
	after := p.records("")
	if len(after) != before+1 || after[before].Kind != "guard_problem" {
		t.Errorf("the timeline has %d more: %+v", len(after)-before, after[before:])
	}
	p.release(code, nil)
	w.arrived(code, "early") // released, but it has nothing
	p.stands(code, vocab.HeldReleased)
}

func TestADecisionIsOverWhatWasShown(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	digest := p.shown(code).Digest
	for name, c := range map[string]struct {
		r    control.Release
		code int
	}{
		"no digest":               {control.Release{Code: code}, control.CodeBadRequest},
		"another digest":          {control.Release{Code: code, Digest: strings.Repeat("0", 64)}, control.CodeStale},
		"an unknown code":         {control.Release{Code: "ZZZZ", Digest: digest}, control.CodeNotFound},
		"discard, another digest": {control.Release{Code: code, Digest: "d", Discard: true}, control.CodeStale},
	} {
		_, err := p.Release(person, c.r)
		if e := wantError(t, err, c.code); strings.Contains(e.Message, "\n") {
			t.Errorf("%s: %q", name, e.Message)
		}
	}
	for _, d := range []control.Decide{{Code: code, Digest: digest, All: true}, {Code: code, Digest: digest, Reject: true}} {
		_, err := p.Decide(person, d)
		if e := wantError(t, err, control.CodeBadRequest); !strings.Contains(e.Message, "sallyport release "+code) || !strings.Contains(e.Message, "sallyport discard "+code) {
			t.Errorf("%q", e.Message)
		}
	}
	_, err := p.Block(person, control.Block{Server: code})
	if e := wantError(t, err, control.CodeBadRequest); !strings.Contains(e.Message, "discard") {
		t.Errorf("%q", e.Message)
	}
	p.stands(code, vocab.HeldWaiting)
	// The same bytes held under another rule set, or for another call, are other content.
	one, two := heldOne(t, 2), heldOne(t, 2)
	two.ID, two.Params = "held-other", []byte(`{"name":"read_note","arguments":{"n":3}}`)
	if a, b := p.shown(w.hold(one)).Digest, p.shown(w.hold(two)).Digest; a == b || a == digest {
		t.Error("two contents, one digest")
	}
}

func TestADiscardedAnswerIsNeverHandedOver(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	p.release(code, nil)
	if a := p.release(code, func(r *control.Release) { r.Discard = true }); a.State != vocab.HeldDiscarded || a.Already {
		t.Errorf("%+v", a)
	}
	if a := p.release(code, func(r *control.Release) { r.Discard = true }); !a.Already {
		t.Errorf("twice: %+v", a)
	}
	if got := w.take(code); got.State != vocab.HeldDiscarded {
		t.Errorf("%+v", got)
	}
	_, err := p.Release(person, control.Release{Code: code, Digest: p.shown(code).Digest})
	wantError(t, err, control.CodeStale)
	if d := p.shown(code); d.Held.Answer != nil || d.Decided != "rejected" {
		t.Errorf("%+v", d)
	}
	taken := w.hold(heldOne(t, 2))
	p.release(taken, nil)
	w.take(taken)
	_, err = p.Release(person, control.Release{Code: taken, Digest: p.shown(taken).Digest, Discard: true})
	wantError(t, err, control.CodeStale)
}

func TestWithoutWhatIsMarked(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	p.release(code, nil)
	if a := p.release(code, func(r *control.Release) { r.WithoutMarked = true }); a.Already || a.State != vocab.HeldReleased {
		t.Errorf("another decision: %+v", a)
	}
	if d := p.shown(code).Held; !d.Without {
		t.Errorf("%+v", d)
	}
	got := w.take(code)
	text := string(got.Answer)
	if strings.Contains(text, "attacker") || !strings.Contains(text, inspect.Removed) || !strings.Contains(text, "Bring a hat.") {
		t.Errorf("handed over: %s", text)
	}
	unplaced := heldOne(t, 2)
	unplaced.Findings = []inspect.Finding{{Rule: "sink", Level: inspect.High, Category: "threat", Where: "content[9].text", Start: 1, End: 4}}
	other := w.hold(unplaced)
	_, err := p.Release(person, control.Release{Code: other, Digest: p.shown(other).Digest, WithoutMarked: true})
	if e := wantError(t, err, control.CodeBadRequest); !strings.Contains(e.Message, "release all of it, or discard it") {
		t.Errorf("%q", e.Message)
	}
	p.stands(other, vocab.HeldWaiting)
}

func TestWhatNoWrapperSaysIsNotHeld(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	for name, change := range map[string]func(*control.Held){
		"no id":                           func(h *control.Held) { h.ID = "" },
		"an id that is a path":            func(h *control.Held) { h.ID = "../x" },
		"an id that is long":              func(h *control.Held) { h.ID = strings.Repeat("a", 65) },
		"no method":                       func(h *control.Held) { h.Method = "" },
		"a method that is long":           func(h *control.Held) { h.Method = strings.Repeat("m", 300) },
		"no answer":                       func(h *control.Held) { h.Answer = nil },
		"an answer that is cut":           func(h *control.Held) { h.Answer = h.Answer[:20] },
		"an answer that is no UTF-8":      func(h *control.Held) { h.Answer = []byte("\"\xff\"") },
		"two answers":                     func(h *control.Held) { h.Answer = []byte("{}{}") },
		"params that are none":            func(h *control.Held) { h.Params = []byte("{") },
		"a reason of its own":             func(h *control.Held) { h.Why = "approved" },
		"a finding without a level":       func(h *control.Held) { h.Findings = []inspect.Finding{{Rule: "sink"}} },
		"a level of its own":              func(h *control.Held) { h.Findings = []inspect.Finding{{Rule: "sink", Level: "harmless"}} },
		"more findings than there can be": func(h *control.Held) { h.Findings = make([]inspect.Finding, quarantine.MaxHeldFindings+1) },
		"an item without an end":          func(h *control.Held) { h.Item = strings.Repeat("i", quarantine.MaxHeldItem+1) },
	} {
		held := heldOne(t, 1)
		change(&held)
		if _, err := p.Hold(w, held); err == nil {
			t.Errorf("%s: it was held", name)
		} else {
			wantError(t, err, control.CodeBadRequest)
		}
	}
	p.quiet()
	odd := heldOne(t, 1)
	odd.Name, odd.Item = "read. Please approve this", "tool:read. Please approve this"
	code := w.hold(odd)
	if it := p.item(); it.Title != "Response from a tool held for review" {
		t.Errorf("a server's words in our title: %q", it.Title)
	}
	if got := p.shown(code).Held.Name; got != odd.Name {
		t.Errorf("name %q", got)
	}
	if _, err := p.Hold(&stage.Ears{}, odd); err == nil {
		t.Error("one that never registered holds")
	}
}

func TestAnAnswerOfADeadWrapperIsTakenFromTheSpoolOnce(t *testing.T) {
	p := newPlace(t)
	from := control.Register{Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "notes"}, Client: "claude-desktop", Session: "dead"}
	for range 2 { // its wrapper never met a hub, and it is read twice
		if err := p.HoldOrphan(from, heldOne(t, 1)); err != nil {
			t.Fatal(err)
		}
	}
	it := p.item()
	if it.Server != "notes" || it.Kind != vocab.ItemResponseHeld {
		t.Fatalf("%+v", it)
	}
	w := p.wrap("notes")
	if code := w.hold(heldOne(t, 1)); code != it.Code {
		t.Errorf("held again as %s", code)
	}
	// The id of one server's response means nothing for another server.
	other := p.wrap("mail", "npx", "mail")
	if code := other.hold(heldOne(t, 1)); code == it.Code {
		t.Error("two servers' answers are one")
	}
	p.release(it.Code, nil)
	if got := w.take(it.Code); got.State != vocab.HeldTaken {
		t.Errorf("%+v", got)
	}
	if err := p.HoldOrphan(from, control.Held{ID: "x"}); err == nil {
		t.Error("garbage was taken from the spool")
	}
}

func TestATextThatSomethingElseChangedIsNeverHandedOver(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	p.release(code, nil)
	home, at := p.home, p.at
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(home.Store, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("held-text"))
		return b.Put([]byte(code), []byte(strings.Replace(string(b.Get([]byte(code))), "attacker", "somebody", 1)))
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	p = open(t, home, func(o *Options) { o.Now = at.now })
	w = p.wrap("notes")
	if d := p.shown(code).Held; d.Answer != nil {
		t.Errorf("it is shown: %s", d.Answer)
	}
	if got := w.take(code); got.State != vocab.HeldGone {
		t.Errorf("it was handed over: %+v", got)
	}
}

// An older record of a release, put back into the store after the response was delivered, must not deliver it again.
func TestAReleaseThatIsBroughtBackDoesNotCount(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	w.report(tool("read_note", "Reads."))
	p.approveAll(p.item())
	code := w.hold(mild(t, 1))
	if _, err := p.Except(person, control.Except{Code: code, Digest: p.shown(code).Digest, For: time.Hour}); err != nil {
		t.Fatal(err)
	}
	p.release(code, nil)
	copyOf := func(from, to string) {
		raw, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, string(raw))
	}
	// A copy of the file has the older record.
	aside := filepath.Join(t.TempDir(), "older.db")
	copyOf(p.home.Store, aside)
	w.take(code)
	w.arrived(code, "r")
	home, at := p.home, p.at
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	older, err := bolt.Open(aside, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	db, err := bolt.Open(home.Store, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		return older.View(func(was *bolt.Tx) error {
			for _, bucket := range []string{"held", "held-text"} {
				if err := tx.Bucket([]byte(bucket)).Put([]byte(code), was.Bucket([]byte(bucket)).Get([]byte(code))); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	p = open(t, home, func(o *Options) { o.Now = at.now })
	w = p.wrap("notes")
	if got := w.take(code); got.Answer != nil {
		t.Errorf("handed over twice: %+v", got)
	}
	p.stands(code, vocab.HeldWaiting)
	if passes, err := p.Exceptions(); err != nil || len(passes) > 0 {
		t.Errorf("exceptions of a store that something else wrote: %+v, %v", passes, err)
	}
	if status, err := p.Status(); err != nil || !slices.ContainsFunc(status.Problems, func(q control.Problem) bool { return q.Code == office.ProblemTampered }) {
		t.Errorf("status names %+v, %v", status.Problems, err)
	}
}
