package decode

import "slices"

// nearby is how many bytes before and behind a change are read with it, where white space in a row counts as one: no match of a rule is longer (four phrases
// of 64 bytes and what may be between them), and of the words before them, those from which the second vote counts anything.
const nearby = 1 << 10

// edge is how far the end of such a part is moved to be between two words.
const edge = 128

// Near are the parts of a view that differ from the original, each with what stands around it, as views of their own. Most of a long text is often the same,
// and has been read. A short view, or one that differs all over, is its only part.
func (v *View) Near() []*View {
	if len(v.Parts) < 2 || len(v.Text) <= 4*nearby {
		return []*View{v}
	}
	var changes [][2]int // each the first and the last place of what is changed, with little that is not between
	for i, p := range v.Parts {
		at, end := int(p.at), int(p.at)
		if !p.even {
			end = v.partEnd(i)
		}
		if n := len(changes); n > 0 && at-changes[n-1][1] <= 3*nearby {
			changes[n-1][1] = end
		} else if i > 0 || !p.even {
			changes = append(changes, [2]int{at, end})
		}
	}
	var near [][2]int
	kept, past := 0, 0
	for i, c := range changes {
		next := len(v.Text)
		if i+1 < len(changes) {
			next = changes[i+1][0]
		}
		from, to := v.around(c[0], past, -1), v.around(c[1], next, 1)
		if n := len(near); n > 0 && from <= near[n-1][1] {
			kept += to - near[n-1][1]
			near[n-1][1] = to
		} else {
			kept += to - from
			near = append(near, [2]int{from, to})
		}
		past = to
	}
	if kept > len(v.Text)/4*3 {
		return []*View{v}
	}
	views := make([]*View, len(near))
	for i, n := range near {
		views[i] = v.section(n[0], n[1])
	}
	return views
}

// around is the place nearby in a direction (-1 or 1), but not beyond last.
func (v *View) around(at, last, step int) int {
	for n := 0; at != last && n < nearby; at += step {
		if c := v.Text[min(at, at+step)]; c > ' ' || at+2*step < 0 || at+2*step > len(v.Text) || v.Text[min(at+step, at+2*step)] > ' ' {
			n++ // not inside of white space
		}
	}
	for n := 0; at != last && at > 0 && at < len(v.Text) && n < edge && v.Text[at] > ' ' && v.Text[at-1] > ' '; at += step {
		n++
	}
	return at
}

// partEnd is where a stretch ends in the text.
func (v *View) partEnd(i int) int {
	if i+1 < len(v.Parts) {
		return int(v.Parts[i+1].at)
	}
	return len(v.Text)
}

// section is a part of a view as a view of the same original.
func (v *View) section(from, to int) *View {
	first := v.part(from)
	last := first
	for last+1 < len(v.Parts) && int(v.Parts[last+1].at) < to {
		last++
	}
	parts := slices.Clone(v.Parts[first : last+1])
	for i := range parts {
		p := &parts[i]
		if cut := int32(from) - p.at; cut > 0 {
			if p.even {
				p.from += cut
			}
			p.at = int32(from)
		}
		p.at -= int32(from)
	}
	return &View{Text: v.Text[from:to], Parts: parts, Chain: v.Chain}
}
