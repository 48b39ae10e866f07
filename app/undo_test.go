package app

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

func (p *place) undo(code string) control.Blocked {
	p.t.Helper()
	done, err := p.Undo(code)
	if err != nil {
		p.t.Fatalf("undo %s: %v", code, err)
	}
	return done
}

func TestUndoOfANewServerBringsTheSameItemBack(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.launch(true, nil)
	a, b := tool("a", "one"), tool("b", "two")
	w.report(a, b)
	it := p.item()
	p.approveAll(it)
	p.quiet()
	if !served(w.Last(t), a) {
		t.Fatal("it is not served")
	}
	done := p.undo(it.Code)
	if back := p.item(); back.Code != it.Code || back.Digest != it.Digest || back.Kind != "new_server" || states(back) != states(it) || done.Code != it.Code {
		t.Fatalf("%+v came back for %+v, and %+v was said", back, it, done)
	}
	if s := w.Last(t); s.Open || served(s, a) || served(s, b) || s.Code != it.Code {
		t.Fatalf("state %+v", s)
	}
	wantVerdict(t, w.Last(t).Launch, control.LaunchGo) // as before the first decision
	if shown, err := p.Item(it.Code); err != nil || shown.Decided != "" || shown.Can == nil {
		t.Errorf("%+v, %v", shown, err)
	}
	if all := p.records("rejection"); len(all) != 1 || all[0].Code != it.Code {
		t.Errorf("records %+v", all)
	}
	// As often as a person likes: the same content keeps its code.
	p.approveAll(p.item())
	p.quiet()
	p.undo(it.Code)
	if back := p.item(); back.Code != it.Code {
		t.Errorf("the second time it is %s", back.Code)
	}
}

func TestUndoAfterAnotherClientJoinedBringsTheSameItemBack(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.launch(true, nil)
	a := tool("a", "one")
	w.report(a)
	it := p.item()
	p.approveAll(it)
	other := p.wrapFor("codex", "weather")
	other.launch(true, func(f *pin.LaunchForm) { f.Client, f.Dir, f.Variables = "codex", "/elsewhere", []string{"ONE", "TWO"} })
	other.report(a)
	p.quiet()
	p.undo(it.Code)
	if back := p.item(); back.Code != it.Code || back.Digest != it.Digest {
		t.Fatalf("%+v came back for %+v", back, it)
	}
	for _, s := range []*server{w, other} {
		if served(s.Last(t), a) {
			t.Error("it is still served")
		}
	}
}

func TestUndoTakesBackWhatItsOwnItemLetInAndNoMore(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.launch(true, nil)
	a, b := tool("a", "one"), tool("b", "two")
	w.report(a, b)
	first := p.item()
	p.approve(first, "tool:a")
	second := p.item()
	p.approve(second, "tool:b")
	p.quiet()
	p.undo(second.Code)
	if back := p.item(); back.Code != second.Code || states(back) != "tool:b=new" {
		t.Fatalf("%+v", back)
	}
	if s := w.Last(t); !served(s, a) || served(s, b) || !s.Open || s.Launch.First {
		t.Fatalf("state %+v", s)
	}
	p.undo(first.Code)
	if back := p.item(); back.Code != first.Code || states(back) != "launch=new tool:a=new tool:b=new" {
		t.Fatalf("the rest did not join: %+v", back)
	}
}

func TestUndoKeepsWhatAPersonSaidNoTo(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	refused, other := tool("a", "one"), tool("a", "two")
	w.report(refused)
	p.reject(p.item())
	w.report(other)
	it := p.item()
	p.approveAll(it)
	p.undo(it.Code)
	w.report(refused)
	if s := w.Last(t); served(s, refused) || s.Items["tool:a"].State != "rejected" {
		t.Errorf("what was refused is %+v", s.Items)
	}
	p.quiet()
}

func TestUndoAfterTheProgramChangedShowsTheProgramThatRuns(t *testing.T) {
	p := newPlace(t)
	w := p.met()
	items, err := p.DecidedSince(p.at.now().Add(-time.Hour))
	if err != nil || len(items) != 1 {
		t.Fatalf("%+v, %v", items, err)
	}
	w.launch(true, newVersion)
	p.undo(items[0].Code)
	back := p.item()
	d, err := p.Item(back.Code)
	if err != nil || back.Code == items[0].Code {
		t.Fatalf("another program waits under the code %s of the one that was shown, %v", back.Code, err)
	}
	for _, part := range d.Details {
		if part.Item == review.KeyLaunch && !strings.Contains(string(part.Definition), "2.0.0") {
			t.Errorf("it shows %s", part.Definition)
		}
	}
}

func TestUndoNeverLetsAnythingIn(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a := tool("a", "one")
	w.report(a)
	it := p.item()
	refused := func(what, code string) {
		t.Helper()
		if _, err := p.Undo(code); err == nil {
			t.Errorf("%s could be undone", what)
		}
	}
	refused("what waits", it.Code)
	refused("what is not there", "ZZZZ")
	p.reject(it)
	refused("a rejection", it.Code)

	p.approve(it)
	changed := tool("a", "another")
	w.report(changed)
	drift := p.item()
	p.approve(drift)
	refused("a change", drift.Code)
	refused("what was replaced since", it.Code)
	if s := w.Last(t); !served(s, changed) || served(s, a) {
		t.Errorf("state %+v", s)
	}
}

func TestWhatIsOtherContentByTheTimeOfTheUndoGetsACodeOfItsOwn(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a, b := tool("a", "one"), tool("b", "two")
	w.report(a, b)
	it := p.item()
	p.approveAll(it)
	w.report(a)
	p.undo(it.Code)
	if back := p.item(); back.Code == it.Code || states(back) != "tool:a=new" || served(w.Last(t), a) {
		t.Fatalf("%+v", back)
	}
}

func TestAnUndoSurvivesTheHub(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	a := tool("a", "one")
	w.report(a)
	it := p.item()
	p.approveAll(it)
	p.undo(it.Code)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, p.home, nil)
	if back := again.item(); back.Code != it.Code {
		t.Errorf("%+v", back)
	}
}
