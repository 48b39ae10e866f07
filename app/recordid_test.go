package app

import (
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// The hub and its wrappers name records apart from each other, and a person sorts one export of both.
func TestRecordIDsOfHubAndWrapperSortTogether(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 200 {
		at := start.Add(time.Duration(i*i) * 37 * time.Nanosecond)
		if i%2 == 0 {
			ids = append(ids, store.NewRecordID(at.Add(time.Duration(i))))
		} else {
			ids = append(ids, control.NewRecordID(at.Add(time.Duration(i))))
		}
		if len(ids[i]) != len(ids[0]) {
			t.Fatalf("%q is not as long as %q", ids[i], ids[0])
		}
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not in the order of time: %v", ids)
	}
}
