package inspect

import (
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Impersonation is the rule for a server that imitates Sallyport.
const Impersonation = "impersonation"

// OwnVoice begins everything that Sallyport itself says.
const OwnVoice = "[Sallyport]"

// Voice finds lines that begin like our own, whatever invisible characters precede or split the letters. raw must have passed frame.Scan.
// Watch.Answer, Threats and JudgeAnswer check this too.
func Voice(raw []byte) []Finding {
	var v voice
	new(reading).strings(raw, &v)
	return v.found
}

type voice struct{ found []Finding }

func (v *voice) read(r *reading, text string, _ bool) { v.hear(&decode.View{Text: text}, r) }

// mayBeOurs reports whether a text could contain such a line, in any case or with invisible characters between the letters.
func mayBeOurs(v *decode.View) bool {
	if v.Holds()&(decode.Wide|decode.ControlCharacters) != 0 {
		return true
	}
	for rest := v.Text; ; {
		at := strings.IndexByte(rest, OwnVoice[0])
		if at < 0 || len(rest)-at < len(OwnVoice) {
			return false
		}
		rest = rest[at:]
		if rest[1]|0x20 == OwnVoice[1]|0x20 && strings.EqualFold(rest[:len(OwnVoice)], OwnVoice) {
			return true
		}
		rest = rest[1:]
	}
}

func (v *voice) hear(in *decode.View, where placer) {
	text := in.Text
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if speaksAsWe(text[at:end]) {
			f := Finding{
				Rule: Impersonation, Level: High, Category: "threat", Title: "It speaks as Sallyport does", Where: where.at(),
				Match: strings.Clone(cut.Runes(text[at:end], maxMatch)),
			}
			f.Start, f.End = in.Span(at, end)
			v.found = appendBounded(v.found, f, maxAllFindings)
		}
		at = end + 1
	}
}

// speaksAsWe reports whether a line begins with OwnVoice, ignoring white space before it, escape sequences and invisible characters. Case,
// compatibility forms, accents and look-alike letters make no difference.
func speaksAsWe(line string) bool {
	said := 0
	for i := 0; i < len(line); {
		if n := legible.Sequence(line[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if legible.ClassOf(r) != legible.Ordinary || said == 0 && (r == ' ' || r == '\t' || r == 0xa0) {
			continue
		}
		read := decode.TakenFor(r)
		if left := OwnVoice[said:]; len(read) > len(left) || !strings.EqualFold(read, left[:len(read)]) {
			return false
		}
		if said += len(read); said == len(OwnVoice) {
			return true
		}
	}
	return false
}
