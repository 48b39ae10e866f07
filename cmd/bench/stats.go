package main

import (
	"math"
	"slices"
	"time"
)

// series are the measurements of one chain in one case.
type series struct {
	took  []time.Duration
	rates []float64 // calls a second, one a slice
}

// footprint is the memory of a chain without the server, in KiB: the wrapper and its helpers. It is measured on Linux only.
type footprint struct {
	processes int
	rss, pss  int
	highWater int
	measured  bool
}

// quantile is the nearest-rank quantile; q is in (0, 1]. Zero without values.
func quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}

func (s *series) p50() time.Duration { return quantile(s.took, 0.50) }
func (s *series) p99() time.Duration { return quantile(s.took, 0.99) }

// rate is the median over slices.
func (s *series) rate() float64 {
	if len(s.rates) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.rates))
	return sorted[(len(sorted)-1)/2]
}

// added is what a chain adds to direct, as a multiple of what the bare relay adds; NaN if the relay adds nothing measurable.
func added(chain, direct, floor time.Duration) float64 {
	if floor <= direct {
		return math.NaN()
	}
	return float64(chain-direct) / float64(floor-direct)
}
