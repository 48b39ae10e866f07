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

import (
	"cmp"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

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
	Catalogue Level    `json:"catalogue,omitempty" ts_type:"'' | 'critical' | 'high' | 'medium' | 'low'"` // of its rule, whatever its context
	Category  string   `json:"category"`                                                                  // "threat" or "secret"
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

// near is the largest distance in bytes between two findings of one passage: text in one sentence, or in the next, belongs together, and a
// rule matches only a few words of it. On the attacks in the development corpora, 1,261 findings are 591 passages, at most 5 a definition.
const near = 32

// A Passage is a piece of one text that rules object to. A person sees it as one warning, however many rules match. Findings are indexes
// into the source list, most serious first; Where is the text, Start and End the range that they cover.
type Passage struct {
	Where    string `json:"where,omitempty"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Level    Level  `json:"level"`
	Findings []int  `json:"findings"`
}

// Warns reports whether a person sees the passage as a warning. One that is Low throughout is only a weak sign, and folded away.
func (p Passage) Warns() bool { return p.Level != Low }

// Warnings counts the warnings among passages.
func Warnings(passages []Passage) int {
	n := 0
	for _, p := range passages {
		if p.Warns() {
			n++
		}
	}
	return n
}

// Signs are the rules of the weak signs among passages, each once, and how many findings they have.
func Signs(findings []Finding, passages []Passage) (rules []string, count int) {
	for _, p := range passages {
		if p.Warns() {
			continue
		}
		for _, i := range p.Findings {
			if count++; !slices.Contains(rules, findings[i].Rule) {
				rules = append(rules, findings[i].Rule)
			}
		}
	}
	return rules, count
}

// Catalogued adds the level of the catalogue to findings that lack it: those of rules that judge more than words have only their own.
func Catalogued(findings []Finding) []Finding {
	for i := range findings {
		if f := &findings[i]; f.Catalogue == "" {
			if f.Catalogue = rules.Named(f.Rule).Catalogue; f.Catalogue == "" {
				f.Catalogue = f.Level
			}
		}
	}
	return findings
}

// Passages merges findings that overlap or are close together in a text. A finding without a place stays alone. Passages are ordered by
// their first finding in the list. Every count or list of warnings for people uses those that warn.
func Passages(findings []Finding) []Passage {
	out := []Passage{}
	placed := make([]int, 0, len(findings))
	for i, f := range findings {
		if f.End > f.Start {
			placed = append(placed, i)
		} else {
			out = append(out, Passage{Where: f.Where, Start: f.Start, End: f.End, Findings: []int{i}})
		}
	}
	slices.SortStableFunc(placed, func(a, b int) int {
		return cmp.Or(cmp.Compare(findings[a].Where, findings[b].Where), findings[a].Start-findings[b].Start)
	})
	open := -1 // the passage that the next finding may belong to
	for _, i := range placed {
		f := findings[i]
		if open >= 0 && out[open].Where == f.Where && f.Start <= out[open].End+near {
			out[open].Findings, out[open].End = append(out[open].Findings, i), max(out[open].End, f.End)
			continue
		}
		open = len(out)
		out = append(out, Passage{Where: f.Where, Start: f.Start, End: f.End, Findings: []int{i}})
	}
	for n := range out {
		of := out[n].Findings
		slices.SortFunc(of, func(a, b int) int {
			return cmp.Or(findings[b].Level.Rank()-findings[a].Level.Rank(), a-b)
		})
		out[n].Level = findings[of[0]].Level
	}
	slices.SortFunc(out, func(a, b Passage) int { return slices.Min(a.Findings) - slices.Min(b.Findings) })
	return out
}
