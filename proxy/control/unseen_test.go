//go:build linux

package control

import (
	"slices"
	"testing"
	"time"
)

// told is what a hub heard of a client's unseen items, the counts alone.
func (h *testHub) told() (counts []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.unseen {
		counts = append(counts, u.Items)
	}
	return counts
}

func TestEveryHubThatComesHearsWhatAClientHasNotSeen(t *testing.T) {
	home := testHome(t)
	l := testLink(t, LinkOptions{Home: home})
	since := time.Now().UTC()
	l.Unseen(Unseen{Items: 1, Since: since}) // no hub yet: it never waits
	l.Unseen(Unseen{Items: 3, Since: since})
	first := newTestHub()
	stop := serveHub(t, home, first, Options{})
	within(t, "the newest alone is told", func() bool { return slices.Equal(first.told(), []int{3}) })
	stop()
	within(t, "the link notices", func() bool { return !l.Connected() })
	second := newTestHub()
	stop = serveHub(t, home, second, Options{})
	within(t, "the next hub is told too", func() bool { return slices.Equal(second.told(), []int{3}) })
	l.Unseen(Unseen{})
	within(t, "and of the end", func() bool { return slices.Equal(second.told(), []int{3, 0}) })
	stop()
	within(t, "the link notices", func() bool { return !l.Connected() })
	third := newTestHub()
	serveHub(t, home, third, Options{})
	within(t, "the link is back", l.Connected)
	if counts := third.told(); len(counts) != 0 {
		t.Errorf("a hub was told of nothing: %v", counts)
	}
}
