package review

import (
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// FileItem reports whether a kind of item is about a client's file.
func FileItem(kind vocab.ItemKind) bool {
	return kind == vocab.ItemConfigChanged || kind == vocab.ItemUnguarded
}

// KeyLaunch is the one item that a server does not declare: what its command runs (docs/launch.md).
const KeyLaunch = string(pin.Launch)

// EntryPrefix begins the key of a part about an entry of a client's file.
const EntryPrefix = "entry:"

// Graver is the more serious of two severities.
func Graver(a, b vocab.Severity) vocab.Severity {
	rank := map[vocab.Severity]int{vocab.SeverityReview: 0, vocab.SeverityHigh: 1, vocab.SeverityCritical: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
