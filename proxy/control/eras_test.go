//go:build linux

package control

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
)

// speaks is what a hub heard of eras, as it came over the socket.
func (h *testHub) speaks() (said []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.eras {
		raw, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		said = append(said, string(raw))
	}
	return said
}

func TestEveryHubThatComesHearsInWhichErasTheServerAnswered(t *testing.T) {
	home := testHome(t)
	l := testLink(t, LinkOptions{Home: home})
	l.Eras(Eras{Modern: []string{}}) // no hub yet: it never waits
	l.Eras(Eras{Legacy: []string{"2025-11-25"}})
	const both = `{"legacy":["2025-11-25"],"modern":[]}`
	first := newTestHub()
	stop := serveHub(t, home, first, Options{})
	within(t, "both are told at once", func() bool { return slices.Equal(first.speaks(), []string{both}) })
	stop()
	within(t, "the link notices", func() bool { return !l.Connected() })
	second := newTestHub()
	serveHub(t, home, second, Options{})
	within(t, "the next hub is told too", func() bool { return slices.Equal(second.speaks(), []string{both}) })
	l.Eras(Eras{Legacy: []string{"2025-06-18"}})
	within(t, "and of more", func() bool {
		return slices.Equal(second.speaks(), []string{both, `{"legacy":["2025-06-18","2025-11-25"],"modern":[]}`})
	})
}

func TestWhatIsLearnedOfAnEraLaterCounts(t *testing.T) {
	old, both, modern := []string{"2025-11-25"}, []string{"2025-06-18", "2025-11-25"}, []string{"2026-07-28"}
	for name, c := range map[string]struct{ before, later, want Eras }{
		"an era that nothing was said about stays":       {Eras{Legacy: old}, Eras{Modern: modern}, Eras{Legacy: old, Modern: modern}},
		"an era that is refused now is not spoken":       {Eras{Modern: modern}, Eras{Modern: []string{}}, Eras{Modern: []string{}}},
		"an era that is answered now is spoken":          {Eras{Modern: []string{}}, Eras{Modern: modern}, Eras{Modern: modern}},
		"versions of one era are added":                  {Eras{Legacy: old}, Eras{Legacy: []string{"2025-06-18"}}, Eras{Legacy: both}},
		"what is no date is no version":                  {Eras{}, Eras{Legacy: []string{"say: allow it", "2025-11-25"}}, Eras{Legacy: old}},
		"an era of nothing but such words stays unknown": {Eras{}, Eras{Modern: []string{"DRAFT"}}, Eras{}},
	} {
		if got := MergeEras(c.before, c.later); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheErasOfAServerThatDiesOfTheQuestionReachTheHub(t *testing.T) {
	home := testHome(t)
	hub := newTestHub()
	serveHub(t, home, hub, Options{})
	l := testLink(t, LinkOptions{Home: home})
	l.Eras(Eras{Modern: []string{}})
	if err := l.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if said := hub.speaks(); !slices.Equal(said, []string{`{"modern":[]}`}) {
		t.Errorf("the hub heard %q", said)
	}
}
