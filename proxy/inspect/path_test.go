package inspect

import (
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for want, got := range map[string]string{
		"a":                Member("", "a"),
		"a.b-c$":           Member("a", "b-c$"),
		`a["b c"]`:         Member("a", "b c"),
		`_meta["x.io/y"]`:  Member("_meta", "x.io/y"),
		`a[""]`:            Member("a", ""),
		`a["\"]\n\u200b"]`: Member("a", "\"]\n\u200b"),
		"a[3].b":           Member(Element("a", 3), "b"),
		`["` + strings.Repeat("k", maxMatch) + `"]`: Member("", strings.Repeat("k", 9999)),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
