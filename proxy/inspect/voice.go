package inspect

import (
	"strings"
	"unicode/utf8"
)

// Impersonation is the rule of a server that speaks as Sallyport does.
const Impersonation = "impersonation"

// OwnVoice is how what Sallyport itself says begins.
const OwnVoice = "[Sallyport]"

// Voice finds lines that begin as our own words do, whatever nobody sees stands before or among the letters. raw must have
// passed frame.Scan. Watch.Answer listens too.
func Voice(raw []byte) []Finding {
	var v voice
	new(reading).strings(raw, &v)
	return v.found
}

type voice struct{ found []Finding }

func (v *voice) read(r *reading, text string, _ bool) { v.hear(&view{text: text}, r) }

// mayBeOurs says that a text may hold a line that begins as ours do: as it stands, or with letters that nobody sees between.
func (v *view) mayBeOurs() bool {
	return v.holds()&(markWide|markControl) != 0 || strings.Contains(v.text, OwnVoice)
}

func (v *voice) hear(in *view, where placer) {
	text := in.text
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if speaksAsWe(text[at:end]) {
			f := Finding{
				Rule: Impersonation, Level: High, Category: "threat", Title: "It speaks as Sallyport does", Where: where.at(),
				Match: strings.Clone(clip(text[at:end], maxMatch)),
			}
			f.Start, f.End = in.span(at, end)
			v.found = appendBounded(v.found, f, maxAllFindings)
		}
		at = end + 1
	}
}

// speaksAsWe says that a line begins with OwnVoice once white space before it, escape sequences and all that is not seen are left out.
func speaksAsWe(line string) bool {
	said := 0
	for i := 0; i < len(line); {
		if n := Sequence(line[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		switch {
		case classOf(r) != plain, said == 0 && (r == ' ' || r == '\t' || r == 0xa0):
			continue
		case r != rune(OwnVoice[said]):
			return false
		}
		if said++; said == len(OwnVoice) {
			return true
		}
	}
	return false
}
