package inspect

import "slices"

// together is how far apart, in bytes of the original, matches stand that are weighed together.
const together = 900

// encodedWeight is what a match weighs more where it stands under an encoding: nobody encodes what he wants read.
const encodedWeight = 1.6

// ownWeight is what an answer must weigh by itself for the end of those before to count: an honest word after a doubtful answer is
// no attack.
const ownWeight = 1

// crowd is how many matches are weighed one by one. Of more, the heaviest of each rule in each stretch of a quarter of together
// counts: a text that is made of matches costs no more than another.
const crowd = 1000

// maxHeavy is how many heavy places are told.
const maxHeavy = 8

// placed is a match as the score sees it.
type placed struct {
	start  int // in all texts together
	rule   int32
	weight float32
	silent bool // its rule is excepted
	before bool // it stands in an earlier answer
}

// scale adds up weights of matches that stand together.
type scale struct {
	heaviest, second [groups]float32
	rule             [groups]int32 // of the heaviest
}

// take adds a match. Of one group the heaviest counts in full and a second, other rule a third.
func (s *scale) take(g group, p *placed) {
	switch {
	case s.heaviest[g] > 0 && s.rule[g] == p.rule:
		s.heaviest[g] = max(s.heaviest[g], p.weight)
	case p.weight > s.heaviest[g]:
		s.second[g] = s.heaviest[g]
		s.heaviest[g], s.rule[g] = p.weight, p.rule
	case p.weight > s.second[g]:
		s.second[g] = p.weight
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

// score is the best sum among matches that stand together, of those that are not silent and of all, and where those stand that
// weigh as much as heavy: a place for each window of together. It sorts found.
func score(rules []rule, found []placed, heavy float64) (loud, all float64, at []int) {
	if len(found) == 0 {
		return 0, 0, nil
	}
	slices.SortFunc(found, func(a, b placed) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return int(a.rule - b.rule)
	})
	if len(found) > crowd {
		found = thin(rules, found)
	}
	for i := range found {
		var heard, whole, own scale
		silent, before := false, false
		for j := i; j < len(found) && found[j].start-found[i].start <= together; j++ {
			p := &found[j]
			whole.take(rules[p.rule].group, p)
			if p.silent {
				silent = true
				continue
			}
			heard.take(rules[p.rule].group, p)
			if before = before || p.before; !p.before {
				own.take(rules[p.rule].group, p)
			}
		}
		sum := heard.sum()
		if before && own.sum() < ownWeight {
			continue // it was weighed when it came
		}
		loud = max(loud, float64(sum))
		if float64(sum) >= heavy && len(at) < maxHeavy {
			at = append(at, found[i].start)
		}
		if silent {
			sum = whole.sum()
		}
		all = max(all, float64(sum))
	}
	return loud, all, at
}

// thin keeps the heaviest match of each rule in each stretch.
func thin(rules []rule, found []placed) []placed {
	kept := found[:0]
	at := make([]int, len(rules)) // of the last kept of each rule, and 1
	for _, p := range found {
		if k := at[p.rule] - 1; k >= 0 && kept[k].start/(together/4) == p.start/(together/4) && kept[k].before == p.before && kept[k].silent == p.silent {
			kept[k].weight = max(kept[k].weight, p.weight)
			continue
		}
		kept = append(kept, p)
		at[p.rule] = len(kept)
	}
	return kept
}
