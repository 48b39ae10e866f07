package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestQuotedTextIsWholeHoweverItIsBroken(t *testing.T) {
	for _, s := range []string{"", "a", "one two three four five six seven eight nine ten eleven twelve", strings.Repeat("x", 200), strings.Repeat("漢字", 50), "a  b   c\n\n  d" + strings.Repeat(" ", 90) + "e"} {
		var out bytes.Buffer
		(&Page{Out: &out, Columns: 40}).Quote("  ", Piece{Text: s})
		var got strings.Builder
		for line := range strings.Lines(out.String()) {
			rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  │")
			if !ok {
				t.Fatalf("%q has no gutter", line)
			}
			got.WriteString(rest)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(got.String()) != squeeze(s) {
			t.Errorf("%q became %q", s, got.String())
		}
	}
}
