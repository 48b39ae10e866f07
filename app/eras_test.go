package app

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

func (s *server) speaks(e control.Eras) {
	s.p.t.Helper()
	if err := s.p.Eras(s, e); err != nil {
		s.p.t.Fatal(err)
	}
}

// knows checks the eras in a wrapper's last state, as JSON.
func (s *server) knows(want string) {
	s.p.t.Helper()
	got, err := json.Marshal(s.Last(s.p.t).Eras)
	if err != nil || string(got) != want {
		s.p.t.Fatalf("the wrapper knows %s, not %s (%v)", got, want, err)
	}
}

var older, newer = []string{"2025-11-25"}, []string{"2026-07-28"}

const olderAlone = `{"legacy":["2025-11-25"],"modern":[]}`

func TestWhatOneWrapperLearnsOfAServersErasTheNextKnows(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	first := p.wrap("weather")
	first.knows(`{}`)
	first.speaks(control.Eras{Modern: []string{}})
	first.speaks(control.Eras{Legacy: older})
	first.knows(olderAlone)
	p.wrap("weather").knows(olderAlone)
	p.wrap("notes", "notes").knows(`{}`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	q := open(t, home, nil)
	again := q.wrap("weather")
	again.knows(olderAlone)
	again.speaks(control.Eras{Modern: newer})
	again.knows(`{"legacy":["2025-11-25"],"modern":["2026-07-28"]}`)
}

func TestErasAreForgottenADayAfterTheLastConnection(t *testing.T) {
	p := newPlace(t)
	first := p.wrap("weather")
	first.speaks(control.Eras{Legacy: older, Modern: []string{}})
	p.at.pass(30 * time.Hour)
	second := p.wrap("weather") // the first is still connected
	second.knows(olderAlone)
	for _, w := range []*server{first, second} {
		p.Unregister(w)
	}
	p.at.pass(23 * time.Hour)
	last := p.wrap("weather")
	last.knows(olderAlone)
	p.Unregister(last)
	p.at.pass(25 * time.Hour)
	p.wrap("weather").knows(`{}`)
}

func TestErasAreOfOneProgram(t *testing.T) {
	p := newPlace(t)
	w := p.met()
	w.speaks(control.Eras{Legacy: older, Modern: []string{}})
	p.wrap("weather").knows(olderAlone) // before its launch is seen, the wrapper compares it itself
	same := p.wrapFor("cursor", "weather")
	same.reportLaunch(control.LaunchReport{Form: ran(func(f *pin.LaunchForm) { f.Dir = "/elsewhere" }), Final: true})
	same.knows(olderAlone)

	other := p.wrap("weather")
	other.launch(false, otherScript)
	other.knows(`{}`)
	other.launch(true, otherScript)
	other.knows(`{}`)
	w.knows(olderAlone)
	other.speaks(control.Eras{Modern: newer})
	other.knows(`{"modern":["2026-07-28"]}`)
	w.knows(`{}`)
}

func TestErasLearnedBeforeTheLaunchIsSeenAreOfThatLaunch(t *testing.T) {
	p := newPlace(t)
	p.met().speaks(control.Eras{Legacy: older, Modern: []string{}})
	w := p.wrap("weather")
	w.speaks(control.Eras{Modern: newer})
	w.launch(true, otherScript)
	w.knows(`{"modern":["2026-07-28"]}`)
}
