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

	"github.com/sallyport/sallyport/cmd/bench/echo"
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
	if r.remote != nil {
		r.remote.markdown(&out)
	}
	if r.inspection != nil {
		r.inspection.markdown(&out)
	}
	return out.String()
}

// has reports whether these chains were measured in an era.
func (r *results) has(as echo.Era, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.ways, way{name, as}) })
}

// chains are the chains that were measured in any era, and eras the eras.
func (r *results) chains() (names []string) {
	for _, w := range r.ways {
		if !slices.Contains(names, w.chain) {
			names = append(names, w.chain)
		}
	}
	return names
}

func (r *results) eras() (eras []echo.Era) {
	for _, as := range []echo.Era{echo.Legacy, echo.Modern} {
		if slices.ContainsFunc(r.ways, func(w way) bool { return w.era == as }) {
			eras = append(eras, as)
		}
	}
	return eras
}

func (r *results) at(size, inFlight int, w way) *series {
	if s := r.calls[point{size, inFlight}][w]; s != nil {
		return s
	}
	return new(series)
}

// latencies prints medians and 99th percentiles, also as ratios to direct, and the added time as a ratio to the relay's.
func (r *results) latencies(out *strings.Builder) {
	if len(r.points) == 0 {
		return
	}
	fmt.Fprint(out, "One call, from its first byte written to the last of its response read. “× direct” is the ratio of the chain to direct; "+
		"“added” is what the chain adds to direct as a multiple of what the bare relay adds in the same era. With more than one in flight a call also waits for the others.\n\n")
	fmt.Fprint(out, "| response | in flight | era | chain | p50 | × direct | added | p99 | × direct |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range r.points {
		for _, w := range r.byEra() {
			s := r.at(p.size, p.inFlight, w)
			if len(s.took) == 0 {
				continue
			}
			direct, floor := r.at(p.size, p.inFlight, way{"direct", w.era}), r.at(p.size, p.inFlight, way{"relay", w.era})
			extra := "–"
			if w.chain != "direct" && w.chain != "relay" && len(direct.took) > 0 && len(floor.took) > 0 {
				extra = ratio(added(s.p50(), direct.p50(), floor.p50()))
			}
			fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", bytesOf(p.size), p.inFlight, w.era, titles[w.chain],
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
	fmt.Fprintf(out, "| %s | in flight | era |", what)
	names := r.chains()
	for _, name := range names {
		fmt.Fprintf(out, " %s |", titles[name])
	}
	fmt.Fprint(out, "\n|---|---|---|"+strings.Repeat("---|", len(names))+"\n")
}

// rates prints a row for each era: each chain's calls a second, and their ratio to the bare relay's.
func (r *results) rates(out *strings.Builder, what string, inFlight int, of map[way]*series) {
	for _, as := range r.eras() {
		if !measuredIn(as, of) {
			continue
		}
		fmt.Fprintf(out, "| %s | %d | %s |", what, inFlight, as)
		for _, name := range r.chains() {
			w := way{name, as}
			switch over := overRelay(of, w); {
			case of[w] == nil || of[w].rate() == 0:
				fmt.Fprint(out, " – |")
			case name == "relay" || math.IsNaN(over):
				fmt.Fprintf(out, " %s |", count(of[w].rate()))
			default:
				fmt.Fprintf(out, " %s (%s) |", count(of[w].rate()), ratio(over))
			}
		}
		fmt.Fprintln(out)
	}
}

// measuredIn reports whether anything was measured in an era.
func measuredIn(as echo.Era, of map[way]*series) bool {
	for w, s := range of {
		if w.era == as && len(s.rates)+len(s.took) > 0 {
			return true
		}
	}
	return false
}

// overRelay is a chain's calls a second as a ratio to the bare relay's in the same era; NaN if one of them was not measured.
func overRelay(of map[way]*series, w way) float64 {
	at, floor := of[w], of[way{"relay", w.era}]
	if at == nil || floor == nil || floor.rate() == 0 {
		return math.NaN()
	}
	return at.rate() / floor.rate()
}

// byEra are the chains of one era after those of the other.
func (r *results) byEra() []way {
	return slices.SortedStableFunc(slices.Values(r.ways), func(a, b way) int { return strings.Compare(string(a.era), string(b.era)) })
}

func (r *results) startUps(out *strings.Builder) {
	if !slices.ContainsFunc(r.ways, func(w way) bool { return len(r.hello[w].took) > 0 }) {
		return
	}
	fmt.Fprint(out, "From the start of the process to the first response (of `initialize`, in the modern era of `server/discover`), and to the response of the "+
		"first call: in the legacy era after the listing, in the modern era as the first message ever, in a start of its own.\n\n"+
		"| era | chain | first response p50 | over direct | p99 | first call p50 | over direct | p99 |\n|---|---|---|---|---|---|---|---|\n")
	for _, w := range r.byEra() {
		over := func(of map[way]*series) string {
			if !r.has(w.era, "direct") || w.chain == "direct" {
				return "–"
			}
			return "+" + span(of[w].p50()-of[way{"direct", w.era}].p50())
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", w.era, titles[w.chain], span(r.hello[w].p50()), over(r.hello), span(r.hello[w].p99()),
			span(r.first[w].p50()), over(r.first), span(r.first[w].p99()))
	}
	fmt.Fprintln(out)
}

func (r *results) memories(out *strings.Builder) {
	if len(r.memory) == 0 {
		return
	}
	fmt.Fprint(out, "Memory of the chain without client and server, its helpers included: idle after one call, and the high-water mark after a response of 20 MB.\n\n"+
		"| era | chain | processes | idle RSS | idle PSS | high water at 20 MB |\n|---|---|---|---|---|---|\n")
	for _, w := range r.byEra() {
		f, ok := r.memory[w]
		if !ok {
			continue
		}
		if !f.measured {
			fmt.Fprintf(out, "| %s | %s | not measured on this platform | | | |\n", w.era, titles[w.chain])
			continue
		}
		mib := func(kib int) string { return fmt.Sprintf("%.1f MiB", float64(kib)/1024) }
		fmt.Fprintf(out, "| %s | %s | %d | %s | %s | %s |\n", w.era, titles[w.chain], f.processes, mib(f.rss), mib(f.pss), mib(f.highWater))
	}
	fmt.Fprintln(out)
}

// page is the beginning of a new page.
const page = `# Performance

What a call costs on its way through Sallyport, beside the same call made directly, through a relay that only copies, and
through a proxy that decodes and encodes every message. All are measured in turns within one run, in both eras of the protocol;
compare the ratios, not figures of different runs. ` + "`make bench`" + ` writes the figures below.

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
