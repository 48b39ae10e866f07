package review

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func OrderItems(items []store.Item) {
	SortItems(items, func(it store.Item) store.Item { return it })
}

// SortItems sorts pending items for reading: the last one asked for on top, then by severity, then newest first.
func SortItems[T any](items []T, of func(T) store.Item) {
	rank := map[vocab.Severity]int{vocab.SeverityCritical: 0, vocab.SeverityHigh: 1, vocab.SeverityReview: 2}
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

// ByAge sorts pending items by severity, and then oldest first.
func ByAge(items []control.InboxItem) {
	rank := map[vocab.Severity]int{vocab.SeverityCritical: 0, vocab.SeverityHigh: 1, vocab.SeverityReview: 2}
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

// Graver is the more serious of two severities.
func Graver(a, b vocab.Severity) vocab.Severity {
	rank := map[vocab.Severity]int{vocab.SeverityReview: 0, vocab.SeverityHigh: 1, vocab.SeverityCritical: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
