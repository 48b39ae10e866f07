// Package inspect looks at text that comes from a server and says what it finds. It decides nothing: a finding is a
// fact with a place, and what follows from it (withheld, flagged, held) is decided where findings are weighed.
//
// Text(text, where) looks at one string for what a reader does not see; JSON(raw, where) at every string and every key of a
// JSON value. Threats(raw) and Weigh(parts, place) look for orders to the assistant, with the rules of the catalogue
// (docs/detection.md). All are pure.
//
// It composes four rooms below it: legible (what characters do to a reader), decode (the ways a text can be read), secrets (what
// secrets look like) and rules (what attacks say). Here is what is weighed of it all: texts of one definition or answer, one after
// the other (weigher), what was cut in pieces (joint), the verdict, and the findings with their places.
package inspect

import "github.com/sallyport/sallyport/proxy/inspect/rules"

// Level is how grave a finding is: the levels are those of rules.
type Level = rules.Level

const (
	Critical = rules.Critical
	High     = rules.High
	Medium   = rules.Medium
	Low      = rules.Low
)

// Finding is one thing that was seen. Rule is a stable
// name such as "invisible_characters"; Title is ours; Where is a path into the definition ("inputSchema.properties.a");
// Start and End are byte offsets in the text at that place; Match is at most 160 characters of it, not yet escaped.
type Finding struct {
	Rule      string   `json:"rule"`
	Level     Level    `json:"level"`
	Category  string   `json:"category"` // "threat" or "secret"
	Title     string   `json:"title"`
	Where     string   `json:"where,omitempty"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Match     string   `json:"match,omitempty"`
	Decoded   string   `json:"decoded,omitempty"`
	Encodings []string `json:"encodings,omitempty"`
}

// Worst is the gravest level among findings, "" when there are none.
func Worst(findings []Finding) Level {
	var worst Level
	for _, f := range findings {
		if f.Level.Rank() > worst.Rank() {
			worst = f.Level
		}
	}
	return worst
}
