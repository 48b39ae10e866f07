package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// mild is a held answer without a Critical finding.
func mild(t testing.TB, n int) control.Held {
	t.Helper()
	held := heldOne(t, n)
	held.Findings = []inspect.Finding{
		{Rule: "way_out", Level: inspect.Medium, Category: "threat", Title: "A way out", Where: "content[0].text", Start: 1, End: 9, Match: "he weath"},
		{Rule: "prerequisite", Level: inspect.Medium, Category: "threat", Title: "A step before", Where: "content[0].text", Start: 1, End: 9},
		{Rule: "prerequisite", Level: inspect.High, Category: "threat", Title: "A step before", Where: "content[0].text", Start: 1, End: 9},
	}
	return held
}

// A weak sign held nothing: it neither is in the way of an exception, although the catalogue calls its rule Critical, nor gets one, and it is no
// warning.
func TestAWeakSignIsNoMatterOfAnException(t *testing.T) {
	p := newPlace(t)
	held := mild(t, 1)
	for _, rule := range []string{"system_access", "role_hijack", "markup", "xml_injection"} {
		held.Findings = append(held.Findings, inspect.Finding{Rule: rule, Level: inspect.Low, Category: "threat", Title: "A word", Where: "content[0].text", Start: 900, End: 909})
	}
	d := p.shown(p.wrap("notes").hold(held))
	if strings.Join(d.Held.Excepts, " ") != "prerequisite way_out" || d.Warnings != 1 {
		t.Errorf("exceptable: %v, warnings: %d", d.Held.Excepts, d.Warnings)
	}
}

func TestAnExceptionIsNarrow(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	other := p.wrap("notes", "npx", "another", "server of this name")
	code := w.hold(mild(t, 1))
	d := p.shown(code)
	if strings.Join(d.Held.Excepts, " ") != "prerequisite way_out" {
		t.Fatalf("exceptable: %v", d.Held.Excepts)
	}
	made, err := p.Except(person, control.Except{Code: code, Digest: d.Digest, Rules: []string{"prerequisite"}, For: time.Hour})
	if err != nil || len(made) != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	e := made[0]
	if e.Rule != "prerequisite" || e.Level != inspect.High || e.Item != "tool:read_note" || e.Code != code || e.Until.Sub(e.Created) != time.Hour || e.ID == "" {
		t.Errorf("%+v", e)
	}
	if got := w.Last(t).Exceptions; len(got) != 1 || got[0].ID != e.ID {
		t.Errorf("its wrapper has %+v", got)
	}
	if got := other.Last(t).Exceptions; len(got) != 0 {
		t.Errorf("a server of the same name has %+v", got)
	}
	p.stands(code, vocab.HeldWaiting) // what is held stays held
	// A newer one replaces an older one.
	again, err := p.Except(person, control.Except{Code: code, Digest: d.Digest, For: 7 * 24 * time.Hour})
	if err != nil || len(again) != 2 {
		t.Fatalf("%+v, %v", again, err)
	}
	if all, err := p.Exceptions(); err != nil || len(all) != 2 {
		t.Errorf("in force: %+v, %v", all, err)
	}
	p = p.again()
	w = p.wrap("notes")
	if got := w.Last(t).Exceptions; len(got) != 2 {
		t.Errorf("after a restart its wrapper has %+v", got)
	}
	if _, err := p.EndException(inside, again[0].ID); err != nil { // it only tightens
		t.Error(err)
	}
	if ended, err := p.EndException(inside, again[0].ID); err != nil || !ended.Ended {
		t.Errorf("ended twice: %+v, %v", ended, err)
	}
	_, err = p.EndException(person, "nothing")
	wantError(t, err, control.CodeNotFound)
	if got := w.Last(t).Exceptions; len(got) != 1 || got[0].ID != again[1].ID {
		t.Errorf("after one was ended: %+v", got)
	}
	p.at.pass(8 * 24 * time.Hour)
	p.Tend()
	if all, err := p.Exceptions(); err != nil || len(all) != 0 {
		t.Errorf("after their time: %+v, %v", all, err)
	}
	p.PushAll()
	if got := w.Last(t).Exceptions; len(got) != 0 {
		t.Errorf("its wrapper still has %+v", got)
	}
	var told []string
	for _, r := range append(p.records("approval"), p.records("rejection")...) {
		told = append(told, r.Summary)
	}
	if got := strings.Join(told, "; "); !strings.Contains(got, `a person made 1 exception: responses from the tool "read_note" pass for 1h`) || !strings.Contains(got, "a person made 2 exceptions") || !strings.Contains(got, "a person ended") {
		t.Errorf("the timeline says %s", got)
	}
}

func TestTheWrapperHearsWhenAnExceptionRunsOut(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	code := w.hold(mild(t, 1))
	if _, err := p.Except(person, control.Except{Code: code, Digest: p.shown(code).Digest, For: time.Hour}); err != nil {
		t.Fatal(err)
	}
	p.at.pass(time.Hour)
	p.Tend()
	if got := w.Last(t).Exceptions; len(got) != 0 {
		t.Errorf("its wrapper still has %+v", got)
	}
}

func TestWhatNoExceptionIsMadeFor(t *testing.T) {
	for name, c := range map[string]struct {
		held   func(*control.Held)
		except func(*control.Except)
	}{
		"a Critical finding":                       {func(h *control.Held) { h.Findings[0].Level = inspect.Critical }, nil},
		"a rule that is Critical by its nature":    {func(h *control.Held) { h.Findings[0].Rule = "instruction_override" }, nil},
		"the other rule beside a Critical finding": {func(h *control.Held) { h.Findings[0].Level = inspect.Critical }, func(e *control.Except) { e.Rules = []string{"prerequisite"} }},
		"an answer that nobody looked at":          {func(h *control.Held) { h.Why, h.Findings = vocab.HeldLimit, nil }, nil},
		"a rule that did not match":                {nil, func(e *control.Except) { e.Rules = []string{"concealment"} }},
		"a secret, which held nothing back": {func(h *control.Held) {
			h.Findings = append(h.Findings, inspect.Finding{Rule: "assigned_password", Level: inspect.Medium, Category: inspect.CategorySecret, Title: "It holds a password"})
		}, func(e *control.Except) { e.Rules = []string{"assigned_password"} }},
		"eight days":                     {nil, func(e *control.Except) { e.For = 8 * 24 * time.Hour }},
		"no time":                        {nil, func(e *control.Except) { e.For = 0 }},
		"less than no time":              {nil, func(e *control.Except) { e.For = -time.Hour }},
		"another digest":                 {nil, func(e *control.Except) { e.Digest = "0" }},
		"an item that is no held answer": {nil, func(e *control.Except) { e.Code = "ZZZZ" }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			w := p.wrap("notes")
			held := mild(t, 1)
			if c.held != nil {
				c.held(&held)
			}
			code := w.hold(held)
			ask := control.Except{Code: code, Digest: p.shown(code).Digest, For: time.Hour}
			if c.except != nil {
				c.except(&ask)
			}
			if made, err := p.Except(person, ask); err == nil {
				t.Errorf("made: %+v", made)
			}
			if all, _ := p.Exceptions(); len(all) > 0 || len(w.Last(t).Exceptions) > 0 {
				t.Errorf("in force: %+v", all)
			}
		})
	}
}

func TestHowOftenAnExceptionWasUsedIsCounted(t *testing.T) {
	p := newPlace(t)
	w, other := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	code := w.hold(mild(t, 1))
	made, err := p.Except(person, control.Except{Code: code, Digest: p.shown(code).Digest, For: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	uses := func(s *server, id string, status vocab.Status, passes ...string) {
		detail, _ := json.Marshal(map[string]any{"check": "inspect", "exceptions": passes})
		if _, err := p.Records(s, control.Records{Records: []control.Record{{ID: id, Kind: "tool_call", Status: status, Detail: detail}}}); err != nil {
			t.Fatal(err)
		}
	}
	pushed := w.Pushes()
	uses(w, "a", "warned", made[0].ID, made[1].ID)
	uses(w, "a", "warned", made[0].ID) // the same record sent again
	uses(w, "b", "warned", made[0].ID, made[0].ID)
	uses(w, "c", "ok", made[0].ID)
	uses(other, "d", "warned", made[0].ID) // another server's wrapper can't use it
	uses(w, "e", "warned", "no such")
	all, err := p.Exceptions()
	if err != nil || len(all) != 2 || all[0].Used+all[1].Used != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	if w.Pushes() != pushed {
		t.Error("every use is news for the wrappers")
	}
	p = p.again()
	if all, err := p.Exceptions(); err != nil || all[0].Used+all[1].Used != 3 {
		t.Errorf("after a restart: %+v, %v", all, err)
	}
}
