package table

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheParentIsReadPastAnyName(t *testing.T) {
	tail := " S 41 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1"
	for name, c := range map[string]struct {
		stat string
		ok   bool
	}{
		"a plain name":                  {"7 (sh)" + tail, true},
		"a name with a blank":           {"7 (a b)" + tail, true},
		"a name that imitates the rest": {"7 (x) S 1 1 1 0 (y)" + tail, true},
		"a name with a line break":      {"7 (a\n7 (b) S 1)" + tail, true},
		"a name of parentheses":         {"7 ()))((()" + tail, true},
		"no name":                       {"7 sh S 41", false},
		"a line that is cut":            {"7 (sh) S 41", false},
		"a parent that is no number":    {"7 (sh)" + strings.Replace(tail, "41", "x", 1), false},
		"nothing":                       {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseStat(c.stat)
			if (err == nil) != c.ok || (c.ok && (p != Process{PID: 7, Parent: 41, Group: 1, Session: 1, Start: 777})) {
				t.Error(fmt.Sprint(p, err))
			}
		})
	}
}
