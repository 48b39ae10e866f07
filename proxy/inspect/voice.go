package inspect

import "strings"

// Impersonation is the rule of a server that speaks as Sallyport does.
const Impersonation = "impersonation"

// Voice finds lines that begin with prefix, which is how our own words begin. raw must have passed frame.Scan.
func Voice(raw []byte, prefix string) []Finding {
	v := voice{prefix: prefix}
	new(reading).strings(raw, &v)
	return v.found
}

type voice struct {
	prefix string
	found  []Finding
}

func (v *voice) read(r *reading, text string, _ bool) {
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := strings.TrimLeft(text[at:end], " \t\r")
		if strings.HasPrefix(line, v.prefix) {
			start := end - len(line)
			v.found = appendBounded(v.found, Finding{
				Rule: Impersonation, Level: High, Category: "threat", Title: "It speaks as Sallyport does", Where: r.at(),
				Start: start, End: end, Match: strings.Clone(clip(text[start:end], maxMatch)),
			}, maxAllFindings)
		}
		at = end + 1
	}
}
