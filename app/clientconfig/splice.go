package clientconfig

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// splice puts text in the place of one span of the file.
type splice struct {
	at   span
	text string
}

// apply makes all splices at once; they must not overlap.
func apply(raw []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.at.from - b.at.from })
	var out bytes.Buffer
	last := 0
	for _, s := range splices {
		out.Write(raw[last:s.at.from])
		out.WriteString(s.text)
		last = s.at.to
	}
	out.Write(raw[last:])
	return out.Bytes()
}

// quote spells a JSON text.
func quote(s string) string { return string(hujson.String(s)) }

func quoteAll(values []string) []string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return quoted
}

// blank says that text is white space only, so that it can be copied or removed without touching a comment.
func blank(text string) bool { return strings.Trim(text, " \t\r\n") == "" }
