package wrappers

import (
	"slices"

	"github.com/sallyport/sallyport/store"
)

// levels are the sandboxes there are, weakest first.
var levels = []string{"off", "shield", "strict"}

// level is what a wrapper says its server runs under; "" where it said nothing that we know.
func level(said string) string {
	if slices.Contains(levels, said) {
		return said
	}
	return ""
}

// hiddenFiles are the clients' files that a person had protected, wherever they lie: a sandboxed server does not see them.
func hiddenFiles(tx *store.Tx) []string {
	var paths []string
	for _, f := range tx.ClientFiles() {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	return paths
}
