package inspect

import "slices"

// maxBegun is how many patterns are remembered as begun.
const maxBegun = 16

// openEnd is a pattern that had begun.
type openEnd struct {
	pattern, after int32
	part           int8
	reach          bool
	start, end     int
}

// unfinished is what had begun when a matcher came to the end of its texts, in offsets from there.
type unfinished struct {
	open    []openEnd
	pending []pending
}

func (u *unfinished) size() int { return len(u.open) + len(u.pending) }

func (u *unfinished) reset() { u.open, u.pending = u.open[:0], u.pending[:0] }

func (u *unfinished) clone() unfinished {
	return unfinished{open: slices.Clone(u.open), pending: slices.Clone(u.pending)}
}

// leave adds what has begun and can still go on behind end, which is where the last text of the run ended.
func (m *matcher) leave(u *unfinished, end int) {
	if end-m.far <= maxGap {
		for i := max(0, m.begun-maxBegun); i < m.begun; i++ {
			o := m.recent[i%maxBegun]
			b := m.open[o.pattern][o.part]
			if b.run == m.run && b.end >= m.stop.last && end-b.end <= int(o.after) && b.end > 0 {
				o.start, o.end = b.start-end, b.end-end
				u.open = append(u.open, o)
			}
		}
	}
	for _, p := range m.pending {
		p.start -= end
		u.pending = append(u.pending, p)
	}
}

// goOn makes a run begin where others were left.
func (m *matcher) goOn(u *unfinished) {
	for _, o := range u.open {
		m.open[o.pattern][o.part] = begun{o.start, o.end, m.run}
		m.far = max(m.far, o.end)
		if o.reach {
			m.want = max(m.want, o.end+int(o.after))
		}
	}
	for _, p := range u.pending {
		if len(m.pending) < maxPending {
			m.pending = append(m.pending, p)
		}
	}
}
