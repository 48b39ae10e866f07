//go:build !race

package inspect

import "testing"

// Under the race detector a sync.Pool forgets things at random, on purpose.

func TestAShortCleanAnswerCostsNothing(t *testing.T) {
	raw := answer("The weather in Oslo is fine, 21 degrees. Wind from the west.")
	var watch Watch
	watch.Answer(raw, Terms{})
	if n := testing.AllocsPerRun(200, func() { watch.Answer(raw, Terms{}) }); n > 1 {
		t.Errorf("%.1f allocations", n)
	}
}
