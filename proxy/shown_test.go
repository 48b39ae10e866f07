package proxy

import (
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
)

func TestAClientThatListsOnceIsToldOfUntilItListsAgain(t *testing.T) {
	r := newRig(t, approveNone)
	r.s.checks.Shown.Within(time.Millisecond)
	r.initialize()
	r.tools("1")
	r.eventually("the server is reported", func() bool { return r.gate.reportCount() > 0 })
	r.gate.set(func(g *gatekeeper) {
		for _, item := range g.reports[len(g.reports)-1].Items {
			g.approved[item.Key()] = []pin.Digest{item.Digest}
		}
	})
	heard := func(items int) func() bool {
		return func() bool {
			r.gate.mu.Lock()
			defer r.gate.mu.Unlock()
			n := len(r.gate.unseen)
			return n > 0 && r.gate.unseen[n-1].Items == items
		}
	}
	r.eventually("both tools are unseen", heard(2))
	r.tools("2")
	r.eventually("nothing is unseen any more", heard(0))
}
