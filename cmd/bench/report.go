package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// The figures are between these lines of the page.
const (
	beginMark = "<!-- bench:begin -->\n"
	endMark   = "<!-- bench:end -->\n"
)

// titles are the chains as the page calls them.
var titles = map[string]string{
	"direct": "direct", "relay": "bare relay", "sallyport": "Sallyport", "before": "Sallyport before", "typed": "typed proxy (mcp-go)",
}

// markdown prints all results, the targets first.
func (r *results) markdown() string {
	var out strings.Builder
	command := "make bench"
	switch {
	case r.only != "":
		command = "go run ./cmd/bench -only " + r.only
	case r.short:
		command = "go run ./cmd/bench -short"
	}
	fmt.Fprintf(&out, "Measured with `%s` on %s, in %s.\n\n", command, r.machine, r.took.Round(time.Second))
	r.targets(&out)
	r.latencies(&out)
	r.throughput(&out)
	r.usualThroughput(&out)
	r.startUps(&out)
	r.memories(&out)
	return out.String()
}

func (r *results) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.chains, name) })
}

func (r *results) at(size, inFlight int, chain string) *series {
	if s := r.calls[point{size, inFlight}][chain]; s != nil {
		return s
	}
	return new(series)
}

// targets compares the targets with the results.
func (r *results) targets(out *strings.Builder) {
	if !r.has("direct", "relay", "sallyport") {
		return
	}
	fmt.Fprint(out, "| target | to reach | measured | |\n|---|---|---|---|\n")
	row := func(what, bound string, value, limit float64, least bool, unit string) {
		verdict := "reached"
		switch {
		case math.IsNaN(value):
			verdict = "not measurable here"
		case least && value < limit || !least && value > limit:
			verdict = "**missed**"
		}
		fmt.Fprintf(out, "| %s | %s | %s%s | %s |\n", what, bound, number(value), unit, verdict)
	}
	gain := func(what, bound string, size int, limit float64) {
		if ours := r.at(size, 1, "sallyport"); len(ours.took) > 0 {
			row(what, bound, added(ours.p50(), r.at(size, 1, "direct").p50(), r.at(size, 1, "relay").p50()), limit, false, " ×")
		}
	}
	gain("added p50 at 200 B, responses looked at, over what the bare relay adds", "at most 1.6 ×", 200, 1.6)
	gain("added p50 at 10 KB, responses looked at, over what the bare relay adds", "at most 4 ×", 10_000, 4)
	for _, u := range r.usual {
		if u.inFlight == 64 {
			row("calls a second with 64 in flight, over the bare relay's: "+u.client+", "+u.server, "at least 0.9 ×", overRelay(u.rates, "sallyport"), 0.9, true, " ×")
		}
	}
	if of := r.calls[point{200, 64}]; of != nil {
		fmt.Fprintf(out, "| the same between a client and a server that do next to nothing | none set | %s | – |\n", ratio(overRelay(of, "sallyport")))
	}
	if started := r.hello["sallyport"]; len(started.took) > 0 {
		late := started.p50() - r.hello["direct"].p50()
		row("start-up to the first response, over direct, a hub running", "at most 5 ms", float64(late)/1e6, 5, false, " ms")
	}
	if r.guarded != nil {
		row("added p50 at 10 KB by a guardrail provider that answers at once: wrapper, hub, program and back", "at most 0.5 ms", r.guardCost(), 0.5, false, " ms")
	}
	if f := r.memory["sallyport"]; f.measured {
		row("memory idle (PSS of the wrapper and its guard)", "under 12 MiB", float64(f.pss)/1024, 12, false, " MiB")
	}
	fmt.Fprintln(out)
}

// latencies prints medians and 99th percentiles, also as ratios to direct, and the added time as a ratio to the relay's.
func (r *results) latencies(out *strings.Builder) {
	if len(r.points) == 0 {
		return
	}
	fmt.Fprint(out, "One call, from its first byte written to the last of its response read. “× direct” is the ratio of the chain to direct; "+
		"“added” is what the chain adds to direct as a multiple of what the bare relay adds. With more than one in flight a call also waits for the others.\n\n")
	fmt.Fprint(out, "| response | in flight | chain | p50 | × direct | added | p99 | × direct |\n|---|---|---|---|---|---|---|---|\n")
	for _, p := range r.points {
		for _, name := range r.chains {
			s := r.at(p.size, p.inFlight, name)
			if len(s.took) == 0 {
				continue
			}
			direct, floor := r.at(p.size, p.inFlight, "direct"), r.at(p.size, p.inFlight, "relay")
			extra := "–"
			if name != "direct" && name != "relay" && len(direct.took) > 0 && len(floor.took) > 0 {
				extra = ratio(added(s.p50(), direct.p50(), floor.p50()))
			}
			fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", bytesOf(p.size), p.inFlight, titles[name],
				span(s.p50()), times(s.p50(), direct.p50()), extra, span(s.p99()), times(s.p99(), direct.p99()))
		}
	}
	fmt.Fprintln(out)
}

func (r *results) throughput(out *strings.Builder) {
	if len(r.points) == 0 {
		return
	}
	fmt.Fprint(out, "Calls a second (median over the rounds), and as a ratio to the bare relay's.\n\n")
	r.ratesHead(out, "response")
	for _, p := range r.points {
		r.rates(out, bytesOf(p.size), p.inFlight, r.calls[p])
	}
	fmt.Fprintln(out)
}

func (r *results) usualThroughput(out *strings.Builder) {
	if len(r.usual) == 0 {
		return
	}
	fmt.Fprint(out, "Calls a second between peers that people have, with responses of 200 B: client and server decode and encode every message.\n\n")
	r.ratesHead(out, "client and server")
	for _, u := range r.usual {
		r.rates(out, u.client+", "+u.server, u.inFlight, u.rates)
	}
	fmt.Fprintln(out)
}

func (r *results) ratesHead(out *strings.Builder, what string) {
	fmt.Fprintf(out, "| %s | in flight |", what)
	for _, name := range r.chains {
		fmt.Fprintf(out, " %s |", titles[name])
	}
	fmt.Fprint(out, "\n|---|---|"+strings.Repeat("---|", len(r.chains))+"\n")
}

// rates prints one row: each chain's calls a second, and their ratio to the bare relay's.
func (r *results) rates(out *strings.Builder, what string, inFlight int, of map[string]*series) {
	fmt.Fprintf(out, "| %s | %d |", what, inFlight)
	for _, name := range r.chains {
		switch over := overRelay(of, name); {
		case of[name] == nil || of[name].rate() == 0:
			fmt.Fprint(out, " – |")
		case name == "relay" || math.IsNaN(over):
			fmt.Fprintf(out, " %s |", count(of[name].rate()))
		default:
			fmt.Fprintf(out, " %s (%s) |", count(of[name].rate()), ratio(over))
		}
	}
	fmt.Fprintln(out)
}

// overRelay is a chain's calls a second as a ratio to the bare relay's; NaN if one of them was not measured.
func overRelay(of map[string]*series, chain string) float64 {
	at, floor := of[chain], of["relay"]
	if at == nil || floor == nil || floor.rate() == 0 {
		return math.NaN()
	}
	return at.rate() / floor.rate()
}

func (r *results) startUps(out *strings.Builder) {
	if !slices.ContainsFunc(r.chains, func(name string) bool { return len(r.hello[name].took) > 0 }) {
		return
	}
	fmt.Fprint(out, "From the start of the process to the response of `initialize`, and to the response of the first call after the listing.\n\n"+
		"| chain | initialize p50 | over direct | p99 | first call p50 | over direct | p99 |\n|---|---|---|---|---|---|---|\n")
	for _, name := range r.chains {
		over := func(of map[string]*series) string {
			if !r.has("direct") || name == "direct" {
				return "–"
			}
			return "+" + span(of[name].p50()-of["direct"].p50())
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", titles[name], span(r.hello[name].p50()), over(r.hello), span(r.hello[name].p99()),
			span(r.first[name].p50()), over(r.first), span(r.first[name].p99()))
	}
	fmt.Fprintln(out)
}

func (r *results) memories(out *strings.Builder) {
	if len(r.memory) == 0 {
		return
	}
	fmt.Fprint(out, "Memory of the chain without client and server, its helpers included: idle after one call, and the high-water mark after a response of 20 MB.\n\n"+
		"| chain | processes | idle RSS | idle PSS | high water at 20 MB |\n|---|---|---|---|---|\n")
	for _, name := range r.chains {
		f, ok := r.memory[name]
		if !ok {
			continue
		}
		if !f.measured {
			fmt.Fprintf(out, "| %s | not measured on this platform | | | |\n", titles[name])
			continue
		}
		mib := func(kib int) string { return fmt.Sprintf("%.1f MiB", float64(kib)/1024) }
		fmt.Fprintf(out, "| %s | %d | %s | %s | %s |\n", titles[name], f.processes, mib(f.rss), mib(f.pss), mib(f.highWater))
	}
}

// page is the beginning of a new page.
const page = `# Performance

What a call costs on its way through Sallyport, beside the same call made directly, through a relay that only copies, and
through a proxy that decodes and encodes every message. All four are measured in turns within one run; compare the ratios,
not figures of different runs. ` + "`make bench`" + ` writes the figures below.

` + beginMark + endMark

// insert puts text between the markers of a page, which it creates if necessary.
func insert(path, text string) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		old, err = []byte(page), nil
	}
	if err != nil {
		return fmt.Errorf("read page: %w", err)
	}
	head, rest, ok := bytes.Cut(old, []byte(beginMark))
	_, tail, ended := bytes.Cut(rest, []byte(endMark))
	if !ok || !ended {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	whole := slices.Concat(head, []byte(beginMark+"\n"+text+"\n"+endMark), tail)
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

func bytesOf(size int) string {
	switch {
	case size >= 1_000_000:
		return fmt.Sprintf("%d MB", size/1_000_000)
	case size >= 1000:
		return fmt.Sprintf("%d KB", size/1000)
	}
	return fmt.Sprintf("%d B", size)
}

// span prints a duration with three significant digits.
func span(d time.Duration) string {
	switch us := float64(d) / 1e3; {
	case math.Abs(us) < 100:
		return fmt.Sprintf("%.1f µs", us)
	case math.Abs(us) < 1000:
		return fmt.Sprintf("%.0f µs", us)
	case math.Abs(us) < 100_000:
		return fmt.Sprintf("%.2f ms", us/1e3)
	default:
		return fmt.Sprintf("%.0f ms", us/1e3)
	}
}

func times(a, b time.Duration) string {
	if b == 0 {
		return "–"
	}
	return ratio(float64(a) / float64(b))
}

func ratio(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	return number(value) + " ×"
}

func number(value float64) string {
	switch {
	case math.IsNaN(value):
		return "–"
	case math.Abs(value) < 10:
		return fmt.Sprintf("%.2f", value)
	case math.Abs(value) < 100:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.0f", value)
}

func count(rate float64) string {
	if rate < 100 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}
