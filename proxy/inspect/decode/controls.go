package decode

import (
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// controlsEncoding names the view without terminal sequences.
const controlsEncoding = "control_characters"

// withoutControls is a text as a terminal shows it, and as sanitizer.ansi strip delivers it: escape sequences and control characters
// removed without a gap. (The text itself is read with spaces in their place.)
func withoutControls(v *View) *View {
	w := weave(v)
	from := 0
	for i := 0; i < len(v.Text); {
		if c := v.Text[i]; c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		size := legible.Sequence(v.Text[i:])
		if size == 0 {
			var r rune
			if r, size = utf8.DecodeRuneInString(v.Text[i:]); r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f) {
				i += size
				continue
			}
		}
		w.keep(from, i)
		i += size
		from = i
	}
	w.keep(from, len(v.Text))
	return w.view(controlsEncoding)
}
