package main

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// A run starts its own program again, which here is the test binary.
func TestMain(m *testing.M) {
	if partOf(os.Args) != nil {
		main()
	}
	os.Exit(m.Run())
}

func TestQuantilesAreValuesThatWereMeasured(t *testing.T) {
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(100-i))
	}
	for name, c := range map[string]struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{
		"the median of a hundred is the fiftieth":       {hundred, 0.5, 50},
		"the 99th percentile of a hundred is the 99th":  {hundred, 0.99, 99},
		"one value is every quantile":                   {hundred[:1], 0.01, 100},
		"of nothing it is nothing":                      {nil, 0.5, 0},
		"the 99th percentile of a few is their largest": {[]time.Duration{3, 1, 2}, 0.99, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if got := quantile(c.of, c.q); got != c.want {
				t.Fatal(got)
			}
		})
	}
}

func TestWhatIsAddedIsMeasuredInTheRelaysOwnAddition(t *testing.T) {
	if got := added(20, 8, 14); got != 2 {
		t.Fatal(got)
	}
	if got := added(20, 8, 8); !math.IsNaN(got) {
		t.Fatal(got)
	}
}

func TestFiguresGoBetweenTheMarkersAndNothingElseChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	for _, text := range []string{"first", "second"} {
		if err := insert(path, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "first") || !strings.Contains(string(raw), beginMark+"\nsecond\n\n"+endMark) || !strings.HasPrefix(string(raw), "# Performance\n") {
		t.Fatalf("%s %v", raw, err)
	}
	if err := os.WriteFile(path, []byte("no markers"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := insert(path, "x"); err == nil {
		t.Fatal("a page without markers was changed")
	}
}

// A whole run with real processes, as short as possible. The figures are not judged; every case must have some.
func TestARunMeasuresEveryCaseItShould(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := &bench{options: options{short: true, rounds: 1, slice: time.Millisecond, starts: 1}, ctx: context.Background(), progress: io.Discard}
	defer b.close()
	if err := b.prepare([]string{"direct", "relay"}, []echo.Era{echo.Legacy, echo.Modern}); err != nil {
		t.Fatal(err)
	}
	r, err := b.measure()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		for _, c := range b.chains {
			if got := r.at(p.size, p.inFlight, c.way); b.sensible(c, p) != (len(got.took) > 0) {
				t.Errorf("%s, %d in flight, %s: %d calls", bytesOf(p.size), p.inFlight, c.way, len(got.took))
			}
		}
	}
	for _, u := range r.usual {
		for _, c := range b.chains {
			if u.rates[c.way].rate() == 0 {
				t.Errorf("%s, %d in flight, %s: no call", u.server, u.inFlight, c.way)
			}
		}
	}
	if want := len(b.pairs()) * len(inFlights); len(r.usual) != want {
		t.Errorf("%d cases between peers that people have", len(r.usual))
	}
	for _, s := range shapes {
		if r.inspection.shapes[s.name] == 0 {
			t.Errorf("%s was not inspected", s.name)
		}
	}
	text := r.markdown()
	for _, row := range []string{"| 10 KB | 8 | legacy | bare relay |", "| 10 KB | 8 | modern | bare relay |", "| modern | direct |", "| prose |", "`scan --as jsonl` reads"} {
		if !strings.Contains(text, row) {
			t.Errorf("no row %s in %s", row, text)
		}
	}
}

func TestAReportHoldsNoFigureThatWasNotMeasured(t *testing.T) {
	measured := func(rate float64) *series { return &series{rates: []float64{rate}} }
	rates := map[way]*series{}
	r := &results{
		only: onlyUsual, calls: map[point]map[way]*series{}, memory: map[way]footprint{}, hello: map[way]*series{}, first: map[way]*series{}, machine: "here",
		usual: []usualCase{{pair{client: "a client", server: "a server"}, 64, rates}},
	}
	for name, rate := range map[string]float64{"direct": 300, "relay": 200, "sallyport": 190} {
		for _, as := range []echo.Era{echo.Legacy, echo.Modern} {
			w := way{name, as}
			r.ways = append(r.ways, w)
			r.hello[w], r.first[w], rates[w] = new(series), new(series), new(series)
			if as == echo.Legacy {
				rates[w] = measured(rate)
			}
		}
	}
	text := r.markdown()
	if strings.Count(text, "reached") != 1 || !strings.Contains(text, "| legacy | at least 0.9 × | 0.95 × | reached |") {
		t.Error(text)
	}
	for _, unmeasured := range []string{"start-up", "0.0 µs", "memory", "added", "next to nothing"} {
		if strings.Contains(text, unmeasured) {
			t.Errorf("%q stands in\n%s", unmeasured, text)
		}
	}
}
