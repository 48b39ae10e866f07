package rules

import "slices"

// Together is the distance, in bytes of the original, within which matches are weighed together.
const Together = 900

// EncodedWeight multiplies a match under an encoding: honest writers don't encode what they want read.
const EncodedWeight = 1.6

// JointWeight multiplies a match with bytes of two responses: the rest of such an order, which would add to its weight, may have been in the
// earlier one, where it counts no more.
const JointWeight = 1.6

// Crowd is how many matches are weighed one by one. Beyond that, the heaviest of each rule in each stretch of a quarter of together counts,
// so that a text full of matches costs no more than another.
const Crowd = 1000

// MaxHeavy is how many heavy places are returned.
const MaxHeavy = 8

// Match is a match as the score sees it.
type Match struct {
	Start  int // in all texts together
	Rule   int32
	Weight float32
	Silent bool // its rule is excepted
	Joint  bool // it has bytes of an earlier response
	Before bool // it ended in an earlier response
}

// Vote is the rule of a match of the second vote. It belongs to no group, and only the heaviest counts.
const Vote int32 = -1

// scale adds up weights of matches that are near each other.
type scale struct {
	heaviest, second [groups]float32
	rule             [groups]int32 // rule of the heaviest
	vote             float32
}

// take adds a match. The heaviest of a group counts in full, a second one of another rule a third.
func (s *scale) take(rules []Rule, p *Match) {
	if p.Rule == Vote {
		s.vote = max(s.vote, p.Weight)
		return
	}
	g := rules[p.Rule].group
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

// sum is the total weight without the vote. Each group beyond the second adds a little, because an attack has several parts and honest text rarely has more
// than one.
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

// Score returns the best sum among neighbouring matches, without the silent ones (loud; ruled: without the second vote too) and with all, and
// the places that reach heavy: one for each window of together. What ended in an earlier response counts only beside a match that is completed here: so the score of a response
// that completes nothing is its own, whatever came before. It sorts found.
func Score(rules []Rule, found []Match, heavy float64) (loud, ruled, all float64, at []int) {
	if len(found) == 0 {
		return 0, 0, 0, nil
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
		var heard, whole scale
		silent, before, completes := false, false, false
		for j := i; j < len(found) && found[j].Start-found[i].Start <= Together; j++ {
			p := &found[j]
			whole.take(rules, p)
			before, completes = before || p.Before, completes || p.Joint && !p.Before
			if p.Silent {
				silent = true
				continue
			}
			heard.take(rules, p)
		}
		if before && !completes {
			continue
		}
		sum := heard.sum()
		ruled = max(ruled, float64(sum))
		sum += heard.vote
		loud = max(loud, float64(sum))
		if float64(sum) >= heavy && len(at) < MaxHeavy {
			at = append(at, found[i].Start)
		}
		if silent {
			sum = whole.sum() + whole.vote
		}
		all = max(all, float64(sum))
	}
	return loud, ruled, all, at
}

// thin keeps the heaviest match of each rule in each stretch.
func thin(rules []Rule, found []Match) []Match {
	kept := found[:0]
	at := make([]int, len(rules)+1) // index + 1 of the last kept match of each rule
	for _, p := range found {
		if k := at[p.Rule-Vote] - 1; k >= 0 && kept[k].Start/(Together/4) == p.Start/(Together/4) && kept[k].Before == p.Before && kept[k].Joint == p.Joint && kept[k].Silent == p.Silent {
			kept[k].Weight = max(kept[k].Weight, p.Weight)
			continue
		}
		kept = append(kept, p)
		at[p.Rule-Vote] = len(kept)
	}
	return kept
}
