package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// targets compares the targets with the results. Each holds in both eras.
func (r *results) targets(out *strings.Builder) {
	for i, as := range r.eras() {
		if !r.has(as, "direct", "relay", "sallyport") {
			continue
		}
		if i == 0 {
			fmt.Fprint(out, "| target | era | to reach | measured | |\n|---|---|---|---|---|\n")
		}
		r.targetsIn(targetRows{out, as})
	}
	fmt.Fprintln(out)
}

// targetRows writes rows of one era.
type targetRows struct {
	out *strings.Builder
	era echo.Era
}

func (t targetRows) row(what, bound string, value, limit float64, least bool, unit string) {
	fmt.Fprintf(t.out, "| %s | %s | %s | %s%s | %s |\n", what, t.era, bound, number(value), unit, verdict(value, limit, least))
}

// verdict is what is said of a figure beside its target.
func verdict(value, limit float64, least bool) string {
	switch {
	case math.IsNaN(value):
		return "not measurable here"
	case least && value < limit || !least && value > limit:
		return "**missed**"
	}
	return "reached"
}

func (r *results) targetsIn(t targetRows) {
	direct, ours := way{"direct", t.era}, way{"sallyport", t.era}
	gain := func(what, bound string, size int, limit float64) {
		if called := r.at(size, 1, ours); len(called.took) > 0 {
			t.row(what, bound, added(called.p50(), r.at(size, 1, direct).p50(), r.at(size, 1, way{"relay", t.era}).p50()), limit, false, " ×")
		}
	}
	gain("added p50 at 200 B, responses looked at, over what the bare relay adds", "at most 1.6 ×", 200, 1.6)
	gain("added p50 at 10 KB, responses looked at, over what the bare relay adds", "at most 4 ×", 10_000, 4)
	for _, u := range r.usual {
		if u.inFlight == 64 && measuredIn(t.era, u.rates) {
			t.row("calls a second with 64 in flight, over the bare relay's: "+u.client+", "+u.server, "at least 0.9 ×", overRelay(u.rates, ours), 0.9, true, " ×")
		}
	}
	if of := r.calls[point{200, 64}]; of != nil {
		fmt.Fprintf(t.out, "| the same between a client and a server that do next to nothing | %s | none set | %s | – |\n", t.era, ratio(overRelay(of, ours)))
	}
	if len(r.hello[ours].took) > 0 {
		late := func(of map[way]*series, as echo.Era) time.Duration {
			return of[way{ours.chain, as}].p50() - of[way{direct.chain, as}].p50()
		}
		t.row("start-up to the first response, over direct, a hub running", "at most 5 ms", ms(late(r.hello, t.era)), 5, false, " ms")
		if t.era == echo.Modern && r.has(echo.Legacy, direct.chain, ours.chain) {
			limit := late(r.first, echo.Legacy)
			t.row("start-up to the response of a call that is the first message ever, over direct, a hub running",
				"at most the legacy era's first call, "+number(ms(limit))+" ms", ms(late(r.first, t.era)), ms(limit), false, " ms")
		}
	}
	if r.beside[guardedPoint][way{withGuard, t.era}] != nil {
		t.row("added p50 at 10 KB by a guardrail provider that answers at once: wrapper, hub, program and back", "at most 0.5 ms",
			r.addedBeside(guardedPoint, t.era, withGuard, unguarded), 0.5, false, " ms")
	}
	for i, size := range flowSizes {
		p, limit := point{size, 1}, [...]float64{1.25, 1.25, 1.5}[i]
		if r.beside[p][way{flowAsk, t.era}] == nil {
			continue
		}
		t.row("p50 of a call at "+bytesOf(size)+" under `flow.policy` `ask`, over that under `off`", "at most "+number(limit)+" ×", r.besideCost(p, t.era, flowAsk, flowOff), limit, false, " ×")
		if i == 0 {
			t.row("added p50 at "+bytesOf(size)+" of the question about a call of a class", "at most 0.5 ms", r.addedBeside(p, t.era, flowGives, flowAsk), 0.5, false, " ms")
		}
	}
	if f := r.memory[ours]; f.measured {
		t.row("memory idle (PSS of the wrapper and its guard)", "under 12 MiB", float64(f.pss)/1024, 12, false, " MiB")
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
