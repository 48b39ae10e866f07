// Package inspect examines text from a server and reports findings. It decides nothing: a finding is a fact with a place, and the caller
// decides whether to block, flag or hold.
//
// Text(text, where) checks one string for what a reader does not see; JSON(raw, where) checks every string and key of a JSON value.
// Threats(raw) and Weigh(parts, place) look for orders to the assistant, with the rules of the catalogue (docs/detection.md). All are pure.
//
// It builds on four packages below it: legible (what characters do to a reader), decode (the ways a text can be read), secrets (what
// secrets look like) and rules (what attacks say). This package weighs the results: the texts of one definition or response in order
// (weigher), threats cut into pieces (joint), the verdict, and the findings with their places.
package inspect

import "github.com/sallyport/sallyport/proxy/inspect/rules"

// Level is how serious a finding is.
type Level = rules.Level

const (
	Critical = rules.Critical
	High     = rules.High
	Medium   = rules.Medium
	Low      = rules.Low
)

// Finding is one thing that was found. Rule is a stable name such as "invisible_characters"; Title is in our words; Where is a path into
// the definition ("inputSchema.properties.a"); Start and End are byte offsets in the text at that place; Match is at most 160 characters of
// it, not yet escaped.
type Finding struct {
	Rule      string   `json:"rule"`
	Level     Level    `json:"level" ts_type:"'critical' | 'high' | 'medium' | 'low'"`
	Category  string   `json:"category"` // "threat" or "secret"
	Title     string   `json:"title"`
	Where     string   `json:"where,omitempty"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Match     string   `json:"match,omitempty"`
	Decoded   string   `json:"decoded,omitempty"`
	Encodings []string `json:"encodings,omitempty"`
}

// Worst is the most serious level among findings, "" if there are none.
func Worst(findings []Finding) Level {
	var worst Level
	for _, f := range findings {
		if f.Level.Rank() > worst.Rank() {
			worst = f.Level
		}
	}
	return worst
}
