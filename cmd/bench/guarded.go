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

// guarded measures what a provider costs, in a home of its own and in every era.
func (b *bench) guarded(r *results) error {
	fmt.Fprintln(b.progress, "a guardrail provider")
	argv, err := json.Marshal([]string{b.peer, "guard"})
	if err != nil {
		return err
	}
	r.guarded = map[way]*series{}
	clients := map[way]*lean{}
	for _, name := range []string{unguarded, withGuard} {
		h, err := newHome(b.ctx, b.sallyport)
		if err != nil {
			return err
		}
		defer h.close()
		if err := h.allow(b.ctx, []string{b.peer, "echo"}); err != nil {
			return err
		}
		if name == withGuard {
			for _, set := range [][]string{{"guardrail.command.argv", string(argv)}, {"guardrail.provider", "command"}} {
				if out, code, err := h.run(b.ctx, "settings", "set", set[0], set[1], "--yes"); err != nil || code != 0 {
					return fmt.Errorf("set %s: status %d, %w\n%s", set[0], code, err, out)
				}
			}
		}
		for _, as := range b.eras {
			c := chain{way{name, as}, []string{h.binary, "wrap", "--", b.peer, "echo"}, h.env, true}
			client, err := start(c)
			if err != nil {
				return err
			}
			defer func() { _ = client.close() }()
			if err := client.shake(); err != nil {
				return fmt.Errorf("%s: handshake: %w", c.way, err)
			}
			clients[c.way], r.guarded[c.way] = client, new(series)
		}
	}
	for round := range b.rounds + 1 {
		for w, client := range clients { // in no order
			into := r.guarded[w]
			if round == 0 {
				into = new(series) // warms up
			}
			if err := client.slice(guardedPoint.size, guardedPoint.inFlight, b.slice, into); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
		}
	}
	return nil
}

// guardCost is what the provider adds to the median, in milliseconds.
func (r *results) guardCost(as echo.Era) float64 {
	return float64(r.guarded[way{withGuard, as}].p50()-r.guarded[way{unguarded, as}].p50()) / 1e6
}
