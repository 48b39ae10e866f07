package legible

import (
	"strings"
	"unicode"
)

// Text cleans a stranger's text for a record or a row: one line, no invisible characters or ones that change how others are shown, at most
// most characters. Never put it into a sentence of ours.
func Text(text string, most int) string {
	var out strings.Builder
	n, blank := 0, false
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if unicode.IsSpace(r) {
			blank = n > 0
			continue
		}
		if Hidden(r) || unicode.Is(unicode.Co, r) {
			continue
		}
		room := most - n
		if blank {
			room--
		}
		if room <= 0 {
			break
		}
		if blank {
			out.WriteByte(' ')
			n, blank = n+1, false
		}
		out.WriteRune(r)
		n++
	}
	return out.String()
}
