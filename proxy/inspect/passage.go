package inspect

import (
	"cmp"
	"slices"
)

// near is how many bytes may lie between two findings of one passage: what is in one sentence, or in the next, hangs together, and a rule
// knows only a few words of it. Measured on the attacks in the development corpora: 1,261 findings are 591 passages, at most 5 a definition.
const near = 32

// A Passage is a piece of one text that rules object to: the one thing that a person reads as a warning, however many rules it breaks.
// Findings are places in the list it was made of, the gravest first; Where is the text, Start and End all that they cover of it.
type Passage struct {
	Where    string `json:"where,omitempty"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Level    Level  `json:"level"`
	Findings []int  `json:"findings"`
}

// Passages folds findings that overlap in a text, or lie next to each other there, into one. A finding without a place in a text stays
// alone. Passages come in the order in which the first of their findings has in the list. Everything that counts or lists warnings for
// people counts these.
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
