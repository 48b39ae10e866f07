package legible

import (
	"strings"
	"unicode"
)

// rightToLeft are the scripts in use that are written from right to left.
var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Mandaic, unicode.Samaritan, unicode.Hanifi_Rohingya}

// Isolated puts each piece of right-to-left text into an isolate of its own, together with the mark after a name; otherwise it would move
// the digits and signs that follow to its other side. Use it for a line of ours that holds names, as the last step before drawing: cleaning
// removes isolates.
func Isolated(line string) string {
	var b strings.Builder
	done, from, to := 0, -1, 0 // from and to: the open piece, up to the end of its last letter
	end := func() {
		if from < 0 {
			return
		}
		if tail := line[to:]; len(tail) >= len(markSign)+4 && LooksMarked("x"+tail[:len(markSign)+4]) {
			to += len(markSign) + 4
		}
		b.WriteString(line[done:from] + "\u2068" + line[from:to] + "\u2069")
		done, from = to, -1
	}
	for i, r := range line {
		next := i + len(string(r))
		switch {
		case i < done: // of a mark
		case unicode.IsLetter(r) && unicode.In(r, rightToLeft...):
			if from < 0 {
				from = i
			}
			to = next
		case from >= 0 && unicode.Is(unicode.M, r):
			to = next
		case unicode.IsLetter(r):
			end()
		}
	}
	end()
	return b.String() + line[done:]
}
