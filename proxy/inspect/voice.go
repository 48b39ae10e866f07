package inspect

import "strings"

// Impersonation is the rule of a server that speaks as Sallyport does.
const Impersonation = "impersonation"

// Voice finds lines that begin with prefix, which is how our own words begin. raw must have passed frame.Scan.
func Voice(raw []byte, prefix string) []Finding {
	var found []Finding
	w := newWalk(raw, "")
	w.visit = func(text string) {
		for at := 0; at < len(text); {
			end := len(text)
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				end = at + n
			}
			line := strings.TrimLeft(text[at:end], " \t\r")
			if strings.HasPrefix(line, prefix) {
				start := end - len(line)
				found = appendBounded(found, Finding{
					Rule: Impersonation, Level: High, Category: "threat", Title: "It speaks as Sallyport does", Where: w.at(),
					Start: start, End: end, Match: clip(text[start:end], maxMatch),
				}, maxAllFindings)
			}
			at = end + 1
		}
	}
	w.value(raw, 0)
	return found
}
