package review

import (
	"cmp"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// SeverityOf is the severity of an item with a finding of this level.
func SeverityOf(level inspect.Level) vocab.Severity {
	switch level {
	case inspect.Critical:
		return vocab.SeverityCritical
	case inspect.High:
		return vocab.SeverityHigh
	default:
		return vocab.SeverityReview
	}
}

// rank orders severities. One of a later version counts as the most serious.
func rank(s vocab.Severity) int {
	order := []vocab.Severity{vocab.SeverityReview, vocab.SeverityHigh, vocab.SeverityCritical}
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

// Graver is the more serious of two severities.
func Graver(a, b vocab.Severity) vocab.Severity {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// SortItems sorts pending items for reading: the last one asked for on top, then by severity, then newest first.
func SortItems[T any](items []T, of func(T) store.Item) {
	slices.SortStableFunc(items, func(x, y T) int {
		a, b := of(x), of(y)
		return cmp.Or(b.AskedAt.Compare(a.AskedAt), rank(b.Severity)-rank(a.Severity), b.Created.Compare(a.Created))
	})
}

// ByAge sorts pending items by severity, and then oldest first.
func ByAge(items []control.InboxItem) {
	since := func(it control.InboxItem) time.Time {
		if !it.First.IsZero() {
			return it.First
		}
		return it.Created
	}
	slices.SortStableFunc(items, func(a, b control.InboxItem) int {
		return cmp.Or(rank(b.Severity)-rank(a.Severity), since(a).Compare(since(b)))
	})
}
