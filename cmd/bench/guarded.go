package main

import (
	"encoding/json"
	"fmt"
)

// The cases of the guardrail: Sallyport with a provider, a program that answers at once, beside Sallyport without one.
const (
	onlyGuarded = "guarded"
	unguarded   = "without a provider"
	withGuard   = "with one"
)

// guardedPoint is the response of that case: a page of text, one call at a time.
var guardedPoint = point{10_000, 1}

// guarded measures what a provider costs, in a home of its own.
func (b *bench) guarded(r *results) error {
	fmt.Fprintln(b.progress, "a guardrail provider")
	argv, err := json.Marshal([]string{b.peer, "guard"})
	if err != nil {
		return err
	}
	r.guarded = map[string]*series{}
	clients := map[string]*lean{}
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
		client, err := start([]string{h.binary, "wrap", "--", b.peer, "echo"}, h.env)
		if err != nil {
			return err
		}
		defer func() { _ = client.close() }()
		if _, err := client.shake(); err != nil {
			return fmt.Errorf("%s: handshake: %w", name, err)
		}
		clients[name], r.guarded[name] = client, new(series)
	}
	for round := range b.rounds + 1 {
		for name, client := range clients { // in no order
			into := r.guarded[name]
			if round == 0 {
				into = new(series) // warms up
			}
			if err := client.slice(guardedPoint.size, guardedPoint.inFlight, b.slice, true, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// guardCost is what the provider adds to the median, in milliseconds.
func (r *results) guardCost() float64 {
	return float64(r.guarded[withGuard].p50()-r.guarded[unguarded].p50()) / 1e6
}
