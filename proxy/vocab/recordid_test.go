package vocab

import (
	"slices"
	"testing"
	"time"
)

func TestRecordIDsSortAsTimeDoes(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var ids []string
	for _, later := range []time.Duration{0, 1, 2, 31, 32, time.Microsecond, time.Second, time.Hour, 100 * 365 * 24 * time.Hour} {
		ids = append(ids, NewRecordID(now.Add(later)))
	}
	if !slices.IsSorted(ids) {
		t.Errorf("%v", ids)
	}
	seen := map[string]bool{}
	for range 10_000 {
		seen[NewRecordID(now)] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different ones of 10000", len(seen))
	}
}

func BenchmarkNewRecordID(b *testing.B) {
	now := time.Now()
	for b.Loop() {
		NewRecordID(now)
	}
}
