package rules

import "slices"

// MaxBegun is how many open patterns are remembered.
const MaxBegun = 16

// openEnd is a pattern that had begun.
type openEnd struct {
	pattern, after int32
	part           int8
	reach          bool
	start, end     int
}

// Unfinished is what was open when a matcher reached the end of its texts, in offsets from there.
type Unfinished struct {
	open    []openEnd
	pending []pending
}

func (u *Unfinished) Size() int { return len(u.open) + len(u.pending) }

func (u *Unfinished) Reset() { u.open, u.pending = u.open[:0], u.pending[:0] }

func (u *Unfinished) Clone() Unfinished {
	return Unfinished{open: slices.Clone(u.open), pending: slices.Clone(u.pending)}
}

// Leave adds the open patterns that can still continue after end, where the last text of the run ended.
func (m *Matcher) Leave(u *Unfinished, end int) {
	if end-m.far <= maxGap {
		for i := max(0, m.begun-MaxBegun); i < m.begun; i++ {
			o := m.recent[i%MaxBegun]
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

// GoOn starts a run with what earlier texts left open.
func (m *Matcher) GoOn(u *Unfinished) {
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
