package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/pin"
)

func TestTheTimelineSaysAtTheEndHowOftenSomethingWasDropped(t *testing.T) {
	r := ready(t)
	for range 4 {
		r.server.write(result("99", "to nobody"))
	}
	if got := r.call("1", "echo"); refused(got) {
		t.Fatal(got)
	}
	counts := func() (said []string) {
		r.gate.recorded(func(rec control.Record) bool {
			if strings.Contains(rec.Summary, "from the server that nothing asked for") {
				said = append(said, string(rec.Detail))
			}
			return false
		})
		return said
	}
	if said := counts(); len(said) != 1 || !strings.Contains(said[0], `"count":1}`) {
		t.Errorf("while it runs: %s", said)
	}
	r.server.out.Close()
	<-r.ended
	if said := counts(); len(said) != 2 || !strings.Contains(said[1], `"count":4}`) {
		t.Errorf("at its end: %s", said)
	}
}

func TestAListingOfAClosedServerHasItLookedAt(t *testing.T) {
	r := newRig(t, func(pin.Item) bool { return false })
	r.initialize()
	r.tools("1")
	reports := func() int {
		r.gate.mu.Lock()
		defer r.gate.mu.Unlock()
		return len(r.gate.reports)
	}
	r.eventually("the hub knows what it declares", func() bool { return reports() == 1 })
	r.server.declare(func(s *server) { s.tools = s.tools[1:] })
	time.Sleep(declared.ListingAge + 100*time.Millisecond)
	r.tools("2")
	r.eventually("the hub hears what it declares now", func() bool { return reports() == 2 })
}
