package decode

import "slices"

// nearby is how many bytes before and behind a change are read with it: no match of a rule is longer (four phrases of 64 bytes and what may be between them),
// and of the words before them, those from which the second vote counts anything.
const nearby = 1 << 10

// edge is how far the end of such a part is moved to be between two words.
const edge = 128

// Near are the parts of a view that differ from the original, each with what stands around it, as views of their own. Most of a long text is often the same,
// and has been read. A short view, or one that differs all over, is its only part.
func (v *View) Near() []*View {
	if len(v.Parts) < 2 || len(v.Text) <= 4*nearby {
		return []*View{v}
	}
	var near [][2]int
	kept := 0
	for i, p := range v.Parts {
		at, end := int(p.at), int(p.at)
		if !p.even {
			end = v.partEnd(i)
		}
		from, to := max(at-nearby, 0), min(end+nearby, len(v.Text))
		if n := len(near); n > 0 && from <= near[n-1][1]+nearby {
			kept += to - near[n-1][1]
			near[n-1][1] = to
		} else if i > 0 || !p.even {
			kept += to - from
			near = append(near, [2]int{from, to})
		}
	}
	if kept > len(v.Text)/4*3 {
		return []*View{v}
	}
	views := make([]*View, len(near))
	for i, n := range near {
		views[i] = v.section(v.between(n[0], -1), v.between(n[1], 1))
	}
	return views
}

// partEnd is where a stretch ends in the text.
func (v *View) partEnd(i int) int {
	if i+1 < len(v.Parts) {
		return int(v.Parts[i+1].at)
	}
	return len(v.Text)
}

// between is the nearest place in a direction that is beside white space, and not far.
func (v *View) between(at, step int) int {
	for i := at; i >= max(at-edge, 0) && i <= min(at+edge, len(v.Text)); i += step {
		if i == 0 || i == len(v.Text) || v.Text[i] <= ' ' || v.Text[i-1] <= ' ' {
			return i
		}
	}
	return at
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
