package desktop

import (
	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
)

// Guards lists the guardrail providers: which are on, whether they work, how often they were asked, and how long they take.
func (p *Page) Guards() ([]control.GuardProvider, error) {
	return toldEach(p.hubLink, func(h *app.Hub) ([]control.GuardProvider, error) { return h.Guards() }, func(g control.GuardProvider) control.GuardProvider { return g })
}

// TestGuard asks one guardrail provider for its verdict, whether it is on or not. The page can't choose the text: it could send some away.
func (p *Page) TestGuard(provider string) (control.GuardVerdict, error) {
	return told(p.hubLink, func(h *app.Hub) (control.GuardVerdict, error) {
		return h.TestGuard(here, control.GuardTest{Provider: provider, Text: control.GuardTestText})
	}, func(v control.GuardVerdict) control.GuardVerdict { return v })
}
