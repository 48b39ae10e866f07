package legible

import (
	"strings"
	"unicode"
)

// Text is a text of somebody else's as a record or a row may hold it: on one line, without characters that are not seen or that
// change how others are shown, at most that many characters long. It is no sentence of ours and is never put into one.
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
