package app

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

func orderItems(items []store.Item) {
	sortItems(items, func(it store.Item) store.Item { return it })
}

// sortItems sorts what waits as a person reads it: what was asked for last on top, then by severity, then the newest.
func sortItems[T any](items []T, of func(T) store.Item) {
	rank := map[string]int{severityCritical: 0, severityHigh: 1, severityReview: 2}
	sort.SliceStable(items, func(i, j int) bool {
		a, b := of(items[i]), of(items[j])
		if !a.AskedAt.Equal(b.AskedAt) {
			return a.AskedAt.After(b.AskedAt)
		}
		if rank[a.Severity] != rank[b.Severity] {
			return rank[a.Severity] < rank[b.Severity]
		}
		return a.Created.After(b.Created)
	})
}

// byAge sorts what waits by severity, and then by how long it does.
func byAge(items []control.InboxItem) {
	rank := map[string]int{severityCritical: 0, severityHigh: 1, severityReview: 2}
	since := func(it control.InboxItem) time.Time {
		if !it.First.IsZero() {
			return it.First
		}
		return it.Created
	}
	slices.SortStableFunc(items, func(a, b control.InboxItem) int {
		return cmp.Or(rank[a.Severity]-rank[b.Severity], since(a).Compare(since(b)))
	})
}
