package rules

import "slices"

// Together is how far apart, in bytes of the original, matches stand that are weighed together.
const Together = 900

// EncodedWeight is what a match weighs more where it stands under an encoding: nobody encodes what he wants read.
const EncodedWeight = 1.6

// ownWeight is what an answer must weigh by itself for the end of those before to count: an honest word after a doubtful answer is
// no attack.
const ownWeight = 1

// Crowd is how many matches are weighed one by one. Of more, the heaviest of each rule in each stretch of a quarter of together
// counts: a text that is made of matches costs no more than another.
const Crowd = 1000

// MaxHeavy is how many heavy places are told.
const MaxHeavy = 8

// Match is a match as the score sees it.
type Match struct {
	Start  int // in all texts together
	Rule   int32
	Weight float32
	Silent bool // its rule is excepted
	Before bool // it stands in an earlier answer
}

// scale adds up weights of matches that stand together.
type scale struct {
	heaviest, second [groups]float32
	rule             [groups]int32 // of the heaviest
}

// take adds a match. Of one group the heaviest counts in full and a second, other rule a third.
func (s *scale) take(g group, p *Match) {
	switch {
	case s.heaviest[g] > 0 && s.rule[g] == p.Rule:
		s.heaviest[g] = max(s.heaviest[g], p.Weight)
	case p.Weight > s.heaviest[g]:
		s.second[g] = s.heaviest[g]
		s.heaviest[g], s.rule[g] = p.Weight, p.Rule
	case p.Weight > s.second[g]:
		s.second[g] = p.Weight
	}
}

// sum is what they weigh. Each group beyond the second adds a little, since an attack has several parts and honest text rarely has
// more than one.
func (s *scale) sum() (sum float32) {
	kinds := 0
	for g := range groups {
		sum += s.heaviest[g] + s.second[g]/3
		if s.heaviest[g] >= 0.5 {
			kinds++
		}
	}
	if kinds > 2 {
		sum += 0.4 * float32(kinds-2)
	}
	return sum
}

// Score is the best sum among matches that stand together, of those that are not silent and of all, and where those stand that
// weigh as much as heavy: a place for each window of together. It sorts found.
func Score(rules []Rule, found []Match, heavy float64) (loud, all float64, at []int) {
	if len(found) == 0 {
		return 0, 0, nil
	}
	slices.SortFunc(found, func(a, b Match) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return int(a.Rule - b.Rule)
	})
	if len(found) > Crowd {
		found = thin(rules, found)
	}
	for i := range found {
		var heard, whole, own scale
		silent, before := false, false
		for j := i; j < len(found) && found[j].Start-found[i].Start <= Together; j++ {
			p := &found[j]
			whole.take(rules[p.Rule].group, p)
			if p.Silent {
				silent = true
				continue
			}
			heard.take(rules[p.Rule].group, p)
			if before = before || p.Before; !p.Before {
				own.take(rules[p.Rule].group, p)
			}
		}
		sum := heard.sum()
		if before && own.sum() < ownWeight {
			continue // it was weighed when it came
		}
		loud = max(loud, float64(sum))
		if float64(sum) >= heavy && len(at) < MaxHeavy {
			at = append(at, found[i].Start)
		}
		if silent {
			sum = whole.sum()
		}
		all = max(all, float64(sum))
	}
	return loud, all, at
}

// thin keeps the heaviest match of each rule in each stretch.
func thin(rules []Rule, found []Match) []Match {
	kept := found[:0]
	at := make([]int, len(rules)) // of the last kept of each rule, and 1
	for _, p := range found {
		if k := at[p.Rule] - 1; k >= 0 && kept[k].Start/(Together/4) == p.Start/(Together/4) && kept[k].Before == p.Before && kept[k].Silent == p.Silent {
			kept[k].Weight = max(kept[k].Weight, p.Weight)
			continue
		}
		kept = append(kept, p)
		at[p.Rule] = len(kept)
	}
	return kept
}
