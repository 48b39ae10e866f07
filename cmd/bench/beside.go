package main

import (
	"encoding/json"
	"fmt"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// The cases of the guardrail: Sallyport with a provider, a program that answers at once, beside Sallyport without one.
const (
	onlyGuarded = "guarded"
	unguarded   = "without a provider"
	withGuard   = "with one"
)

// guardedPoint is the response of that case: a page of text, one call at a time.
var guardedPoint = point{10_000, 1}

// The cases of flow: Sallyport with and without a look at where values came from, and with a tool whose every call the hub is asked about.
const (
	onlyFlow  = "flow"
	flowOff   = "flow off"
	flowAsk   = "flow ask"
	flowGives = "flow ask, of a class"
)

var flowSizes = []int{200, 10_000, 1_000_000}

// setup is Sallyport with some settings.
type setup struct {
	name     string
	settings [][]string
}

// guarded measures what a provider costs.
func (b *bench) guarded(r *results) error {
	fmt.Fprintln(b.progress, "a guardrail provider")
	argv, err := json.Marshal([]string{b.peer, "guard"})
	if err != nil {
		return err
	}
	return b.beside(r, guardedPoint, []setup{
		{unguarded, nil},
		{withGuard, [][]string{{"guardrail.command.argv", string(argv)}, {"guardrail.provider", "command"}}},
	})
}

// flow measures what flow.policy costs.
func (b *bench) flow(r *results) error {
	fmt.Fprintln(b.progress, "where values came from")
	for _, size := range flowSizes {
		if err := b.beside(r, point{size, 1}, []setup{
			{flowOff, [][]string{{"flow.policy", "off"}}}, {flowAsk, nil}, {flowGives, [][]string{{"tools.class", "gives", "--server", "peer", "--tool", "echo"}}},
		}); err != nil {
			return err
		}
	}
	return nil
}

// beside measures set-ups in turns, each in a home of its own and in every era.
func (b *bench) beside(r *results, p point, setups []setup) error {
	of := r.beside[p]
	if of == nil {
		of = map[way]*series{}
		r.beside[p] = of
	}
	clients := map[way]*lean{}
	for _, setup := range setups {
		h, err := newHome(b.ctx, b.sallyport)
		if err != nil {
			return err
		}
		defer h.close()
		if err := h.allow(b.ctx, []string{b.peer, "echo"}); err != nil {
			return err
		}
		for _, set := range setup.settings {
			if out, code, err := h.run(b.ctx, append([]string{"settings", "set", "--yes"}, set...)...); err != nil || code != 0 {
				return fmt.Errorf("set %s: status %d, %w\n%s", set[0], code, err, out)
			}
		}
		for _, as := range b.eras {
			c := chain{way{setup.name, as}, []string{h.binary, "wrap", "--", b.peer, "echo"}, h.env, true}
			client, err := start(c)
			if err != nil {
				return err
			}
			defer func() { _ = client.close() }()
			if err := client.shake(); err != nil {
				return fmt.Errorf("%s: handshake: %w", c.way, err)
			}
			clients[c.way], of[c.way] = client, new(series)
		}
	}
	for round := range b.rounds + 1 {
		for w, client := range clients { // in no order
			into := of[w]
			if round == 0 {
				into = new(series) // warms up
			}
			if err := client.slice(p.size, p.inFlight, b.slice, into); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
		}
	}
	return nil
}

// addedBeside is what one set-up adds to the median of another, in milliseconds.
func (r *results) addedBeside(p point, as echo.Era, more, than string) float64 {
	of := r.beside[p]
	return float64(of[way{more, as}].p50()-of[way{than, as}].p50()) / 1e6
}

// besideCost is the median of a set-up in medians of another.
func (r *results) besideCost(p point, as echo.Era, more, than string) float64 {
	of := r.beside[p]
	return float64(of[way{more, as}].p50()) / float64(of[way{than, as}].p50())
}
