package pin

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the comparison. Up to maxSteps differences the memory is maxSteps² small integers (4 MiB) and the time tokens × maxSteps. Lines
// are compared first and then the words of those that changed, so that a new line stands alone; what is beyond the limits is shown as a
// whole, once as it was and once as it is.
const (
	maxTokens = 40_000
	maxSteps  = 1_000
)

// compareWords cuts two texts into runs that are equal, deleted or inserted. The equal and deleted runs joined are before, the equal and
// inserted ones after. complete is false if the texts were too long or too different for a comparison by words.
func compareWords(before, after string) (segments []Segment, complete bool) {
	a, b := lines(before), lines(after)
	room := maxTokens
	if len(a)+len(b) > maxTokens {
		return changedWords(before, after, &room)
	}
	ops, ok := shortest(a, b)
	if !ok {
		return changedWords(before, after, &room)
	}
	complete = true
	for len(ops) > 0 {
		if e := ops[0]; e.op == '=' {
			segments = appendKept(segments, strings.Join(a[e.at:e.at+e.n], ""))
			ops = ops[1:]
			continue
		}
		var deleted, inserted strings.Builder
		for ; len(ops) > 0 && ops[0].op != '='; ops = ops[1:] {
			if e := ops[0]; e.op == '-' {
				deleted.WriteString(strings.Join(a[e.at:e.at+e.n], ""))
			} else {
				inserted.WriteString(strings.Join(b[e.at:e.at+e.n], ""))
			}
		}
		changed, whole := changedWords(deleted.String(), inserted.String(), &room)
		complete = complete && whole
		for _, s := range changed {
			if s.Op == Kept {
				segments = appendKept(segments, s.Text)
			} else {
				segments = append(segments, s)
			}
		}
	}
	return segments, complete
}

// changedWords compares two texts word by word, whatever their lines are. room is how many tokens may still be compared.
func changedWords(before, after string, room *int) (segments []Segment, complete bool) {
	if before != "" && after != "" {
		if a, b, ok := tokens(before, after, *room); ok {
			*room -= len(a) + len(b)
			if ops, ok := shortest(a, b); ok {
				return merge(ops, a, b), true
			}
		}
	}
	for _, s := range []Segment{{Deleted, before}, {Inserted, after}} {
		if s.Text != "" {
			segments = append(segments, s)
		}
	}
	return segments, len(segments) < 2
}

// appendKept adds text that both sides have.
func appendKept(segments []Segment, text string) []Segment {
	if last := len(segments) - 1; last >= 0 && segments[last].Op == Kept {
		segments[last].Text += text
		return segments
	}
	return append(segments, Segment{Op: Kept, Text: text})
}

// lines cuts a text after each line break; an empty text has none.
func lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	}
	return all
}

func tokens(before, after string, most int) (a, b []string, ok bool) {
	if a, ok = split(before, most); !ok {
		return nil, nil, false
	}
	b, ok = split(after, most-len(a))
	return a, b, ok
}

// split cuts a text into words, runs of one white-space character, and single other characters. An invisible character is a token of its
// own, so that a difference shows it alone.
func split(s string, most int) ([]string, bool) {
	var out []string
	for len(s) > 0 {
		if len(out) == most {
			return nil, false
		}
		first, size := utf8.DecodeRuneInString(s)
		n := size
		switch {
		case inWord(first):
			for n < len(s) {
				r, size := utf8.DecodeRuneInString(s[n:])
				if !inWord(r) {
					break
				}
				n += size
			}
		case first == ' ' || first == '\t':
			for n < len(s) && rune(s[n]) == first {
				n++
			}
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out, true
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) &&
		!unicode.Is(unicode.Variation_Selector, r)
}

// edit is a run of n tokens: '=' of both, '-' of a from at, '+' of b from at.
type edit struct {
	op    byte
	at, n int
}

// shortest is the shortest edit script from a to b (Myers 1986, the greedy algorithm), false if it has more than maxSteps
// steps.
func shortest(a, b []string) ([]edit, bool) {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	middle, ok := greedy(a[prefix:len(a)-suffix], b[prefix:len(b)-suffix])
	if !ok {
		return nil, false
	}
	var ops []edit
	if prefix > 0 {
		ops = append(ops, edit{'=', 0, prefix})
	}
	for _, e := range middle {
		e.at += prefix
		ops = append(ops, e)
	}
	if suffix > 0 {
		ops = append(ops, edit{'=', len(a) - suffix, suffix})
	}
	return ops, true
}

func greedy(a, b []string) ([]edit, bool) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		var ops []edit
		if n > 0 {
			ops = append(ops, edit{'-', 0, n})
		}
		if m > 0 {
			ops = append(ops, edit{'+', 0, m})
		}
		return ops, true
	}
	limit := min(n+m, maxSteps)
	reach := make([]int32, 2*limit+2) // furthest x on diagonal k, at k+limit
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := step(reach, limit, k, d)
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
			}
			reach[k+limit] = int32(x)
			if x >= n && y >= m {
				return backtrack(trace, n, m, d), true
			}
		}
		trace = append(trace, slices.Clone(reach[limit-d:limit+d+1]))
	}
	return nil, false
}

// step is where a path of d steps enters diagonal k.
func step(reach []int32, limit, k, d int) int {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && reach[k-1+limit] < reach[k+1+limit] {
		return int(reach[k+1+limit])
	}
	return int(reach[k-1+limit]) + 1
}

// backtrack walks the trace of the greedy algorithm from the end. trace[d] holds diagonals -d..d after d steps.
func backtrack(trace [][]int32, n, m, d int) []edit {
	var reversed []edit
	put := func(op byte, at, count int) {
		if count > 0 {
			reversed = append(reversed, edit{op, at, count})
		}
	}
	x, y := n, m
	for ; d > 0; d-- {
		before := trace[d-1]
		k := x - y
		at := func(k int) int32 {
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return before[k+d-1]
		}
		if k == -d || k != d && at(k-1) < at(k+1) {
			px := int(at(k + 1))
			put('=', px, x-px)
			x, y = px, px-k-1
			put('+', y, 1)
			continue
		}
		px := int(at(k - 1))
		put('=', px+1, x-px-1)
		put('-', px, 1)
		x, y = px, px-k+1
	}
	put('=', 0, x)
	slices.Reverse(reversed)
	return reversed
}

// merge joins an edit script into segments: deletions before insertions, and a lone space between two changed words changes with them, so
// that a rewritten phrase reads as one.
func merge(ops []edit, a, b []string) []Segment {
	var out []Segment
	var deleted, inserted strings.Builder
	flush := func() {
		if deleted.Len() > 0 {
			out = append(out, Segment{Op: Deleted, Text: deleted.String()})
		}
		if inserted.Len() > 0 {
			out = append(out, Segment{Op: Inserted, Text: inserted.String()})
		}
		deleted.Reset()
		inserted.Reset()
	}
	for i, e := range ops {
		switch e.op {
		case '-':
			deleted.WriteString(strings.Join(a[e.at:e.at+e.n], ""))
		case '+':
			inserted.WriteString(strings.Join(b[e.at:e.at+e.n], ""))
		default:
			text := strings.Join(a[e.at:e.at+e.n], "")
			if deleted.Len() > 0 && inserted.Len() > 0 && i+1 < len(ops) && strings.Trim(text, " ") == "" {
				deleted.WriteString(text)
				inserted.WriteString(text)
				continue
			}
			flush()
			out = appendKept(out, text)
		}
	}
	flush()
	return out
}
