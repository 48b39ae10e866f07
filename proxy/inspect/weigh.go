package inspect

import (
	"sort"
)

// Verdict of a text: what the default policy makes of it.
type Verdict string

const (
	Clean Verdict = "clean"
	Flag  Verdict = "flag"  // shown to the person
	Block Verdict = "block" // the tool stays blocked, the answer is held
)

// Place is where a text stands. The same words weigh differently in what a server says of itself and in what it answers.
type Place uint8

const (
	Metadata Place = iota
	Answer
)

// Part is one text of a definition or an answer, and its path there.
type Part struct{ Where, Text string }

// Weighed is what the rules of the catalogue found in texts that belong together. Findings are empty where the verdict is
// Clean: what weighs little alone is no warning.
type Weighed struct {
	Findings []Finding
	Score    float64
	Verdict  Verdict
	Whole    bool // every view was looked at
}

// thresholds of the score.
var thresholds = map[Place]struct{ flag, block float64 }{
	Metadata: {3, 4.5},
	Answer:   {3, 4.5},
}

// unseen is what a finding of hidden characters makes of a text by itself. Pages are full of them; definitions are not.
var unseen = map[Place]map[Level]float64{
	Metadata: {Critical: 6, High: 3},
	Answer:   {Critical: 4},
}

// together is how far apart, in bytes of the original, matches stand that are weighed together.
const together = 900

// encodedWeight is what a match weighs more where it stands under an encoding: nobody encodes what he wants read.
const encodedWeight = 1.6

type placed struct {
	hit   int // rule
	start int // in all parts together
	under []string
}

// Weigh looks for threats in the parts of one definition, or of one answer.
func Weigh(parts []Part, place Place) Weighed {
	w := newWeigher(place)
	for _, part := range parts {
		w.add(part.Text, func() string { return part.Where })
	}
	return w.done()
}

// weigher takes texts that belong together one by one. Where a text stands is only asked for where something is found: a path
// is as long as a server makes it.
type weigher struct {
	Weighed
	place  Place
	match  *matcher
	found  []placed
	offset int
}

func newWeigher(place Place) *weigher {
	m, _ := matchers.Get().(*matcher)
	return &weigher{Weighed: Weighed{Whole: true, Verdict: Clean}, place: place, match: m}
}

func (w *weigher) add(text string, where func() string) {
	all, whole := views(text)
	w.Whole = w.Whole && whole
	seen := map[int][][2]int{}
	path := ""
	for _, v := range all {
		folded := fold(v)
		for _, h := range w.match.match(folded.text) {
			start, end := folded.span(h.start, h.end)
			if overlaps(seen[h.rule], start, end) {
				continue
			}
			if len(seen) == 0 {
				path = where()
			}
			seen[h.rule] = append(seen[h.rule], [2]int{start, end})
			r := &w.match.rules[h.rule]
			f := Finding{
				Rule: r.name, Level: r.level, Category: "threat", Title: r.title, Where: path, Start: start, End: end,
				Match: clip(text[start:end], maxMatch),
			}
			if len(folded.chain) > 0 {
				f.Decoded, f.Encodings = clipBytes(folded.text[h.start:h.end], maxDecoded), folded.chain
			}
			w.Findings = appendBounded(w.Findings, f, maxAllFindings)
			w.found = append(w.found, placed{h.rule, w.offset + start, folded.chain})
		}
	}
	for _, f := range Text(text, "") {
		w.Score = max(w.Score, unseen[w.place][f.Level])
	}
	w.offset += len(text) + 1
}

// done weighs what was found. Nothing is added after it.
func (w *weigher) done() Weighed {
	w.Score = max(w.Score, score(w.match.rules, w.found, w.place))
	matchers.Put(w.match)
	switch t := thresholds[w.place]; {
	case w.Score >= t.block:
		w.Verdict = Block
	case w.Score >= t.flag:
		w.Verdict = Flag
	}
	w.settle()
	return w.Weighed
}

// settle gives findings the level that they have in their context: Critical and High are kept where all of it together
// says block, what is only flagged is Medium.
func (w *Weighed) settle() {
	switch w.Verdict {
	case Clean:
		w.Findings = nil
	case Flag:
		for i := range w.Findings {
			if w.Findings[i].Level.Rank() > Medium.Rank() {
				w.Findings[i].Level = Medium
			}
		}
		w.atLeast(Medium)
	case Block:
		w.atLeast(High)
	}
}

// atLeast raises the first finding where none is as grave.
func (w *Weighed) atLeast(level Level) {
	if len(w.Findings) > 0 && Worst(w.Findings).Rank() < level.Rank() {
		w.Findings[0].Level = level
	}
}

// Judged is what a definition or an answer is found to be, by every detector there is.
type Judged struct {
	Verdict  Verdict
	Findings []Finding // in the order of the text, hidden characters first
	Whole    bool
}

// JudgeDefinition judges one definition. Block with any Critical or High finding, Flag with a Medium one (contract, "Threat
// detection"). raw must have passed frame.Validate or frame.Scan.
func JudgeDefinition(raw []byte) Judged {
	w := Threats(raw)
	j := Judged{Verdict: Clean, Findings: append(Definition(raw), w.Findings...), Whole: w.Whole}
	switch worst := Worst(j.Findings).Rank(); {
	case worst >= High.Rank():
		j.Verdict = Block
	case worst >= Medium.Rank():
		j.Verdict = Flag
	}
	return j
}

// JudgeAnswer judges one text of an answer, by its score.
func JudgeAnswer(text string) Judged {
	w := Weigh([]Part{{Text: text}}, Answer)
	return Judged{Verdict: w.Verdict, Findings: append(Text(text, ""), w.Findings...), Whole: w.Whole}
}

func overlaps(spans [][2]int, start, end int) bool {
	for _, s := range spans {
		if start < s[1] && s[0] < end {
			return true
		}
	}
	return false
}

// score is the best sum of weights among matches that stand together. Of one group the heaviest counts in full and a second,
// other rule a third; each group beyond the first adds a little, since an attack has several parts and honest text rarely
// has more than one.
func score(rules []rule, found []placed, place Place) float64 {
	sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
	best := 0.0
	for i := range found {
		var heaviest, second [groups]float64
		counted := map[int]bool{}
		for j := i; j < len(found) && found[j].start-found[i].start <= together; j++ {
			r := &rules[found[j].hit]
			if counted[found[j].hit] {
				continue
			}
			counted[found[j].hit] = true
			weight := r.metal
			if place == Answer {
				weight = r.answer
			}
			if encoded(found[j].under) {
				weight *= encodedWeight
			}
			if weight > heaviest[r.group] {
				heaviest[r.group], second[r.group] = weight, heaviest[r.group]
			} else if weight > second[r.group] {
				second[r.group] = weight
			}
		}
		sum, kinds := 0.0, 0
		for g := range groups {
			sum += heaviest[g] + second[g]/3
			if heaviest[g] >= 0.5 {
				kinds++
			}
		}
		if kinds > 2 {
			sum += 0.4 * float64(kinds-2)
		}
		best = max(best, sum)
	}
	return best
}

// encoded says that a chain holds what nobody does to text that is to be read. HTML is full of entities, and links of
// percent signs.
func encoded(chain []string) bool {
	for _, e := range chain {
		if e != "html_entities" && e != "url_encoding" && e != compatibilityEncoding && e != invisibleEncoding {
			return true
		}
	}
	return len(chain) > 1
}
